import { definePart, type Page } from './page.ts';

export const COMMAND_GROUPS = [
  'Review',
  'Tasks',
  'Tools',
  'Window',
  'View',
  'Scroll',
  'Cine',
  'Layout',
  'Planes',
  'Compare',
  'Editing',
  'ROIs',
  'Sharing',
  'Panels',
] as const;
export type CommandGroup = (typeof COMMAND_GROUPS)[number];

/** An action that the user can invoke by key, from the palette, and by its button if it has one. */
export type Command = {
  readonly id: string;
  readonly title: string;
  readonly group: CommandGroup;
  /**
   * The modifiers, then the name of the key or the character that it produces: `Shift+Up`, `Ctrl+K`, `?` or `W`. `Ctrl`
   * also means Cmd. A character that itself requires Shift, such as `?`, is written without it.
   */
  readonly keys: readonly string[];
  readonly run: (page: Page) => void;
  /** Also while the table and gallery of all files lie over the cells, where most commands would change what is not seen. */
  readonly worksEverywhere?: true;
  /** A key that is held down runs it once. */
  readonly isOnce?: true;
  /** Absent: always enabled. */
  readonly isEnabled?: (page: Page) => boolean;
  /** Why it would do nothing, for its button. The key says so in a message. */
  readonly whyNot?: (page: Page) => string | undefined;
  /** Whether the setting that the command toggles is on. Absent: never. */
  readonly isOn?: (page: Page) => boolean;
};

/** Finds a command by its id, for code that does not know what it does. The shell, which has all of them, provides it. */
export const commandFinderOf = definePart((): { find: (id: string) => Command | undefined } => ({
  find: () => undefined,
}));

type Press = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>;

const NAMED: Readonly<Record<string, string>> = {
  ArrowUp: 'Up',
  ArrowDown: 'Down',
  ArrowLeft: 'Left',
  ArrowRight: 'Right',
  PageUp: 'PgUp',
  PageDown: 'PgDn',
  Escape: 'Esc',
  ' ': 'Space',
};

/** Formats a key press in the notation of `Command.keys`. */
export function spellPress({ key, code, ctrlKey, metaKey, altKey, shiftKey }: Press): string {
  // With Alt, some systems produce a different character from the one on the key.
  const letter = (altKey && /^(?:Key|Digit)(.)$/.exec(code)?.[1]) || key;
  const isCharacter = letter.length === 1 && letter !== ' ';
  const isLetter = isCharacter && letter.toLowerCase() !== letter.toUpperCase();
  const parts = [];
  if (ctrlKey || metaKey) parts.push('Ctrl');
  if (altKey) parts.push('Alt');
  if (shiftKey && (isLetter || !isCharacter)) parts.push('Shift');
  parts.push(NAMED[letter] ?? (isLetter ? letter.toUpperCase() : letter));
  return parts.join('+');
}

export function findCommand(page: Page, commands: readonly Command[], press: Press): Command | undefined {
  // What Shift makes of a digit differs from keyboard to keyboard, so `Shift+1` is found by the place of the key.
  const digit = press.shiftKey && !press.ctrlKey && !press.altKey && /^Digit(\d)$/.exec(press.code)?.[1];
  for (const spelled of [spellPress(press), ...(digit ? [`Shift+${digit}`] : [])]) {
    const found = commands.find(({ keys, isEnabled }) => keys.includes(spelled) && (isEnabled?.(page) ?? true));
    if (found !== undefined) return found;
  }
  return undefined;
}
