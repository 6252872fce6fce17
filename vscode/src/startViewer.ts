import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** A running negato of one tab. */
export type RunningViewer = {
  /** Of its page, without the token. */
  readonly baseUrl: string;
  readonly token: string;
  /** Settles when the process has ended, with the last lines that it wrote. */
  readonly ended: Promise<string>;
  close(): void;
};

export type StartOptions = {
  /** The program that runs JavaScript: that of the editor itself, so that none needs to be installed. */
  readonly node: string;
  /** `negato.js` of the extension. */
  readonly script: string;
  readonly paths: readonly string[];
  /** As for --memory; empty: the default. */
  readonly memory?: string;
  readonly environment?: NodeJS.ProcessEnv;
  readonly longestMs?: number;
};

const LAST_LINES = 12;
const LONGEST_MS = 30_000;

/** Starts negato and returns when it listens. Throws an error with what it wrote if it does not. */
export async function startViewer(options: StartOptions): Promise<RunningViewer> {
  const { node, script, paths, memory = '', environment = process.env, longestMs = LONGEST_MS } = options;
  const child = spawn(node, [script, ...argumentsOf(memory), '--', ...paths], {
    // The editor's program is a browser unless this is set; a plain Node.js does not mind.
    env: { ...environment, ELECTRON_RUN_AS_NODE: '1' },
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  });
  const lines: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => {
    lines.push(line);
    if (lines.length > LAST_LINES) lines.shift();
  });
  // A child that has ended closes its pipe.
  child.stdin.on('error', () => undefined);
  const ended = new Promise<string>((settle) => {
    child.once('error', (error) => settle(error.message));
    child.once('close', () => settle(lines.join('\n')));
  });
  const close = () => child.stdin.end();
  const started = new Promise<StartEvent>((settle) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const event = parseStart(line);
      if (event !== undefined) settle(event);
    });
  });
  const late = new Promise<'late'>((settle) => {
    setTimeout(() => settle('late'), longestMs).unref();
  });
  const first = await Promise.race([started, ended, late]);
  if (typeof first === 'object') return { baseUrl: first.base_url, token: first.token, ended, close };
  child.kill();
  throw new Error(`negato did not start. ${first === 'late' ? lines.join('\n') : first}`.trim());
}

/** It ends with the editor, however that ends, because its standard input ends. Only pages of the editor may frame it. */
function argumentsOf(memory: string): string[] {
  const fixed = ['--startup-json', '--no-browser', '--stop-with-stdin', '--allow-host', '*'];
  const embedders = ['vscode-webview:', 'vscode-file:'].flatMap((ancestor) => ['--embed', ancestor]);
  return [...fixed, ...embedders, ...(memory === '' ? [] : ['--memory', memory])];
}

type StartEvent = { readonly type: 'server_started'; readonly base_url: string; readonly token: string };

function parseStart(line: string): StartEvent | undefined {
  try {
    const event: unknown = JSON.parse(line);
    return isStart(event) ? event : undefined;
  } catch {
    return undefined;
  }
}

function isStart(event: unknown): event is StartEvent {
  if (typeof event !== 'object' || event === null || !('type' in event) || event.type !== 'server_started')
    return false;
  return (
    'base_url' in event && typeof event.base_url === 'string' && 'token' in event && typeof event.token === 'string'
  );
}
