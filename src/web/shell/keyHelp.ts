import { COMMAND_GROUPS, type Command, type CommandGroup } from '../kit/state/commands.ts';
import { COMMANDS } from './commandTable.ts';

export type KeyHelp = { readonly group: CommandGroup | 'Mouse and touch'; readonly lines: readonly KeyLine[] };
export type KeyLine = { readonly keys: readonly string[]; readonly title: string };

/** Pointer input on an image, for the help. */
const POINTER_LINES: readonly KeyLine[] = [
  {
    keys: ['Left drag'],
    title:
      'Use the selected tool (default: window for gray images, pan for color images, crosshair for planes, turn for a rotating MIP)',
  },
  { keys: ['Right drag'], title: 'Zoom around the start of the drag' },
  { keys: ['Right click'], title: 'Open the context menu' },
  { keys: ['Middle drag', 'Space + drag'], title: 'Pan' },
  {
    keys: ['Wheel'],
    title: 'Scroll by one image per notch; zoom around the pointer if there is only one image, and over a rotating MIP',
  },
  { keys: ['Ctrl + wheel', 'Pinch'], title: 'Zoom around the pointer' },
  { keys: ['Shift + wheel'], title: 'Scroll by 10 images per notch' },
  { keys: ['Shift + move'], title: 'Move the crosshair, if there is one' },
  { keys: ['Alt + drag', 'Handle of a line'], title: 'Turn the other planes around the crosshair' },
  { keys: ['Double click'], title: 'Maximize or restore this cell; with the polygon tool, finish the polygon' },
  { keys: ['One finger'], title: 'Use the selected tool' },
  { keys: ['Two fingers'], title: 'Pan and zoom' },
  {
    keys: ['1 to 9 with a measuring tool or the brush'],
    title: 'Class of the next mark, where the classes have that digit',
  },
];

/** All keys by group, for the key sheet and docs/keys.md. */
export function listKeys(commands: readonly Command[] = COMMANDS): KeyHelp[] {
  const groups = COMMAND_GROUPS.map((group) => ({
    group,
    lines: commands.filter((command) => command.group === group && command.keys.length > 0),
  }));
  return [...groups.filter(({ lines }) => lines.length > 0), { group: 'Mouse and touch', lines: POINTER_LINES }];
}
