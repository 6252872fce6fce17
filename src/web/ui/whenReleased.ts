/**
 * Runs when no button is pressed any more. Some systems want a menu with the press, others with the release; and a release
 * closes what was opened by its press.
 */
export function whenReleased({ buttons }: Pick<MouseEvent, 'buttons'>, run: () => void): void {
  if (buttons === 0) run();
  else addEventListener('pointerup', () => setTimeout(run), { once: true });
}
