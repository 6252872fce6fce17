import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Leftovers } from './leftovers.ts';
import { createTemporaryFolder } from './privateFolders.ts';
import type { Environment } from './settings.ts';
import type { Terminal } from './terminal.ts';

const REDIRECT_LIVES_MS = 60_000;

type BrowserContext = {
  readonly environment: Environment;
  readonly platform: NodeJS.Platform;
  readonly leftovers: Leftovers;
  readonly terminal: Terminal;
};

/**
 * Opens the page in the user's browser, if there is one. The URL is also on the terminal, so no failure here prevents
 * the start.
 */
export function openBrowser(url: string, { environment, platform, leftovers, terminal }: BrowserContext): void {
  const obstacle = browserObstacle(environment, platform);
  if (obstacle !== undefined) return terminal.debug(`the browser was not opened: ${obstacle}`);
  try {
    // Other users can read the arguments of every process, so a URL with a token must not be among them.
    const redirect = new URL(url).hash === '' ? undefined : writeRedirect(url, leftovers);
    const [command, ...args] = openerCommand(platform, redirect?.path ?? url);
    const opener = spawn(command, args, { stdio: 'ignore', detached: true, windowsVerbatimArguments: true });
    const giveUp = (reason: string) => {
      redirect?.remove();
      terminal.debug(`the browser was not opened: ${reason}`);
    };
    opener.once('error', (error) => giveUp(error.message));
    opener.once('exit', (code) => {
      if (code !== 0) giveUp(`${command} exited with ${code ?? 'a signal'}`);
    });
    opener.unref();
  } catch (error) {
    terminal.debug(`the browser was not opened: ${String(error)}`);
  }
}

/** Why no browser can be shown to the user; undefined if one can. */
export function browserObstacle(environment: Environment, platform: NodeJS.Platform): string | undefined {
  if (environment.SSH_CONNECTION || environment.SSH_CLIENT || environment.SSH_TTY) return 'this is an SSH session';
  const hasDisplay = environment.DISPLAY || environment.WAYLAND_DISPLAY;
  if (platform !== 'darwin' && platform !== 'win32' && !hasDisplay) return 'no display is available';
  return undefined;
}

export function openerCommand(platform: NodeJS.Platform, target: string): [command: string, ...args: string[]] {
  if (platform === 'darwin') return ['open', target];
  // The first quoted argument of start is the window title.
  if (platform === 'win32') return ['cmd', '/d', '/c', 'start', '""', `"${target}"`];
  return ['xdg-open', target];
}

/**
 * A page with mode 0600 in a folder with mode 0700 that redirects the browser. Removed after a minute, or with the
 * process.
 */
function writeRedirect(url: string, leftovers: Leftovers): { path: string; remove: () => void } {
  const folder = createTemporaryFolder(leftovers);
  const path = join(folder.path, 'open.html');
  writeFileSync(path, redirectPage(url), { mode: 0o600, flag: 'wx' });
  setTimeout(folder.remove, REDIRECT_LIVES_MS).unref();
  return { path, remove: folder.remove };
}

export function redirectPage(url: string): string {
  // A normalized URL contains no double quotes or angle brackets, so it cannot break out of the string or the
  // attribute.
  const safe = new URL(url).href;
  return [
    '<!doctype html>',
    '<meta charset="utf-8">',
    '<meta name="referrer" content="no-referrer">',
    '<title>negato</title>',
    `<script>location.replace("${safe}")</script>`,
    `<a href="${safe}">Open negato</a>`,
    '',
  ].join('\n');
}
