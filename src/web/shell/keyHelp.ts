import { COMMAND_GROUPS, type Command, type CommandGroup } from '../state/commands.ts';
import { COMMANDS } from './commandTable.ts';

export type KeyHelp = { readonly group: CommandGroup | 'Mouse and touch'; readonly lines: readonly KeyLine[] };
export type KeyLine = { readonly keys: readonly string[]; readonly title: string };

/** Pointer input on an image, for the help. */
const HANDS: readonly KeyLine[] = [
  { keys: ['Left drag'], title: 'The tool of the toolbar; at first the window of gray images, pan for color' },
  { keys: ['Right drag'], title: 'Zoom about the point of the press' },
  { keys: ['Right click'], title: 'Menu' },
  { keys: ['Middle drag', 'Space + drag'], title: 'Pan' },
  { keys: ['Wheel'], title: 'One image a notch; on single images zoom about the pointer' },
  { keys: ['Ctrl + wheel', 'Pinch'], title: 'Zoom about the pointer' },
  { keys: ['Shift + wheel'], title: '10 images' },
  { keys: ['Double click'], title: 'Maximise this cell, or restore' },
  { keys: ['One finger', 'Two fingers'], title: 'The tool; pan and pinch' },
];

/** All keys by group, for the key sheet and docs/keys.md. */
export function listKeys(commands: readonly Command[] = COMMANDS): KeyHelp[] {
  const groups = COMMAND_GROUPS.map((group) => ({
    group,
    lines: commands.filter((command) => command.group === group && command.keys.length > 0),
  }));
  return [...groups.filter(({ lines }) => lines.length > 0), { group: 'Mouse and touch', lines: HANDS }];
}
