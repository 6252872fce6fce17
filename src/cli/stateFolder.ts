import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Environment } from './settings.ts';

export type StatePlace = {
  readonly environment: Environment;
  readonly platform: NodeJS.Platform;
  /** Home directory of the user; homedir by default. */
  readonly home?: string;
};

/** The folder for persistent state of this user's programs, by the conventions of each system. */
export function stateFolder({ environment, platform, home = homedir() }: StatePlace): string {
  const { XDG_STATE_HOME: stateHome = '', LOCALAPPDATA: localData = '' } = environment;
  // The XDG specification requires relative paths to be ignored.
  if (isAbsolute(stateHome)) return join(stateHome, 'negato');
  if (platform === 'win32') return join(localData || join(home, 'AppData', 'Local'), 'negato');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'negato');
  return join(home, '.local', 'state', 'negato');
}
