import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { browserArguments, findChromium, memoryMbOfFamily } from './browser.ts';

/**
 * A browser without a debugger while it loads a page, as for a user: with a debugger attached, which is needed to
 * drive a page, loading takes up to twice as long. A visit is a new tab of a running browser.
 */
export type PlainBrowser = {
  readonly visit: (url: string, until: VisitEnd) => Promise<Visit>;
  readonly close: () => Promise<void>;
};

/**
 * The page's own mark at its first image; the last byte of the first frame that the page of any viewer with this API
 * has requested; or the end of loading, for a bare picture.
 */
export type VisitEnd = 'first image' | 'first frame' | 'loaded';
export type Visit = {
  /** Time since the start of the navigation. */
  readonly tookMs: number;
  /** On the clock of `Date.now`. */
  readonly endedAtMs: number;
  /** Memory of the browser's processes at that time. */
  readonly browserMb: number;
};

const SIZE = [1280, 800];
/** No debugger is attached before this time has passed. */
const UNDISTURBED_MS = 2_000;
const LONGEST_MS = 30_000;

const WHEN: Readonly<Record<VisitEnd, string>> = {
  'first image': `performance.getEntriesByName('first-image')[0]?.startTime`,
  'first frame': String.raw`performance.getEntriesByType('resource').find(({ name, responseEnd }) => /\/frame\/\d+(\/raw)?(\?|$)/.test(name) && responseEnd > 0)?.responseEnd`,
  loaded: `performance.getEntriesByType('navigation')[0]?.loadEventEnd || undefined`,
};

export async function launchPlainBrowser({ gpu }: { readonly gpu: boolean }): Promise<PlainBrowser> {
  const profile = mkdtempSync(join(tmpdir(), 'negato-browser-'));
  const child = spawn(
    findChromium(),
    [
      ...browserArguments({ gpu }),
      '--headless=new',
      '--no-first-run',
      '--remote-debugging-pipe',
      `--user-data-dir=${profile}`,
      `--window-size=${SIZE.join(',')}`,
    ],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] },
  );
  const send = createPipe(child);
  // The first page of a browser has to wait until the browser has started.
  await (await visit(send, 'about:blank', 'loaded')).leave();
  return {
    async visit(url, until) {
      const { end, leave } = await visit(send, url, until);
      const browserMb = memoryMbOfFamily(child.pid ?? 0);
      await leave();
      return { ...end, browserMb };
    },
    async close() {
      const gone = new Promise((resume) => child.once('exit', resume));
      child.kill();
      await gone;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

type End = Pick<Visit, 'tookMs' | 'endedAtMs'>;

async function visit(send: Send, url: string, until: VisitEnd): Promise<{ end: End; leave: () => Promise<unknown> }> {
  const { targetId } = await send('Target.createTarget', { url });
  await delay(UNDISTURBED_MS);
  const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
  const expression = `{ const at = ${WHEN[until]}; at === undefined ? null : { tookMs: at, endedAtMs: performance.timeOrigin + at } }`;
  const latest = performance.now() + LONGEST_MS;
  for (;;) {
    const { result } = await send('Runtime.evaluate', { expression, returnByValue: true }, String(sessionId));
    if (isEnd(result)) {
      return { end: result.value, leave: () => send('Target.closeTarget', { targetId }) };
    }
    if (performance.now() > latest) throw new Error(`${url} did not come to its ${until}`);
    await delay(100);
  }
}

function isEnd(result: unknown): result is { readonly value: End } {
  return typeof result === 'object' && result !== null && 'value' in result && result.value !== null;
}

type Answer = Readonly<Record<string, unknown>>;
type Send = (method: string, params: object, sessionId?: string) => Promise<Answer>;

/** The browser's protocol: JSON messages, each followed by a zero byte. */
function createPipe(child: ChildProcess): Send {
  const [, , , input, output] = child.stdio;
  if (!(input instanceof Writable && output instanceof Readable)) throw new Error('the browser has no pipes');
  const waiting = new Map<number, { resolve: (answer: Answer) => void; reject: (error: Error) => void }>();
  let rest = '';
  output.setEncoding('utf8').on('data', (text: string) => {
    const messages = (rest + text).split('\0');
    rest = messages.pop() ?? '';
    for (const message of messages) {
      const { id, result, error } = JSON.parse(message);
      if (error === undefined) waiting.get(id)?.resolve(result);
      else waiting.get(id)?.reject(new Error(error.message));
      waiting.delete(id);
    }
  });
  child.once('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error('the browser has ended'));
  });
  let last = 0;
  return (method, params, sessionId) =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, { resolve, reject });
      input.write(`${JSON.stringify({ id: last, method, params, sessionId })}\0`);
    });
}
