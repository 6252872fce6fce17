import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Leftovers } from './leftovers.ts';
import { createPrivateFolder } from './privateFolders.ts';
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
 * Shows the page in the user's browser, where there is one to show it to. Whatever goes wrong, the URL is on the
 * terminal, so nothing here fails the start.
 */
export function openBrowser(url: string, { environment, platform, leftovers, terminal }: BrowserContext): void {
  const obstacle = browserObstacle(environment, platform);
  if (obstacle !== undefined) return terminal.debug(`no browser opened: ${obstacle}`);
  try {
    // Other users can read the arguments of every process, so a URL with a token in it stays out of them.
    const redirect = new URL(url).hash === '' ? undefined : writeRedirect(url, leftovers);
    const [command, ...args] = openerCommand(platform, redirect?.path ?? url);
    const opener = spawn(command, args, { stdio: 'ignore', detached: true, windowsVerbatimArguments: true });
    const giveUp = (reason: string) => {
      redirect?.remove();
      terminal.debug(`no browser opened: ${reason}`);
    };
    opener.once('error', (error) => giveUp(error.message));
    opener.once('exit', (code) => {
      if (code !== 0) giveUp(`${command} ended with ${code ?? 'a signal'}`);
    });
    opener.unref();
  } catch (error) {
    terminal.debug(`no browser opened: ${String(error)}`);
  }
}

/** Why no browser can appear in front of the user; undefined when one can. */
export function browserObstacle(environment: Environment, platform: NodeJS.Platform): string | undefined {
  if (environment.SSH_CONNECTION || environment.SSH_CLIENT || environment.SSH_TTY) return 'this is an SSH session';
  const hasDisplay = environment.DISPLAY || environment.WAYLAND_DISPLAY;
  if (platform !== 'darwin' && platform !== 'win32' && !hasDisplay) return 'there is no display';
  return undefined;
}

export function openerCommand(platform: NodeJS.Platform, target: string): [command: string, ...args: string[]] {
  if (platform === 'darwin') return ['open', target];
  // The first quoted argument of start is the title of a window.
  if (platform === 'win32') return ['cmd', '/d', '/c', 'start', '""', `"${target}"`];
  return ['xdg-open', target];
}

/** A page of 0600 in a folder of 0700 that sends the browser on. It is gone after a minute, or with the process. */
function writeRedirect(url: string, leftovers: Leftovers): { path: string; remove: () => void } {
  const folder = createPrivateFolder(leftovers);
  const path = join(folder.path, 'open.html');
  writeFileSync(path, redirectPage(url), { mode: 0o600, flag: 'wx' });
  setTimeout(folder.remove, REDIRECT_LIVES_MS).unref();
  return { path, remove: folder.remove };
}

export function redirectPage(url: string): string {
  // A normalized URL has no double quote and no angle bracket left, so it can leave neither the string nor the attribute.
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
