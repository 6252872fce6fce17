/**
 * Runs when no button is pressed any more. Some systems open a menu on press, others on release, and the release would
 * close a menu that its press has opened.
 */
export function whenReleased({ buttons }: Pick<MouseEvent, 'buttons'>, run: () => void): void {
  if (buttons === 0) run();
  else addEventListener('pointerup', () => setTimeout(run), { once: true });
}
