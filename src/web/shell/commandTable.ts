import type { Command } from '../state/commands.ts';
import { layoutCommands } from './layoutCommands.ts';
import { panelCommands } from './panelCommands.ts';
import { cineCommands, scrollCommands } from './scrollCommands.ts';
import { toolCommands } from './toolCommands.ts';
import { viewCommands } from './viewCommands.ts';
import { windowCommands } from './windowCommands.ts';

/** Everything that can be asked for. Keys, tooltips, the palette, the key sheet and docs/keys.md come from here. */
export const COMMANDS: readonly Command[] = [
  ...toolCommands,
  ...windowCommands,
  ...viewCommands,
  ...scrollCommands,
  ...cineCommands,
  ...layoutCommands,
  ...panelCommands,
];

export function getCommand(id: string): Command {
  const command = COMMANDS.find((one) => one.id === id);
  if (command === undefined) throw new Error(`there is no command ${id}`);
  return command;
}
