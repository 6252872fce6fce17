import { existsSync, lstatSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { AnnotationJournalResponse, AnnotationPayload } from '../../src/shared/contract/annotations.ts';
import { writeDicomFiles } from '../cli/dicomFiles.ts';
import { type NegatoProcess, startNegato } from '../cli/negatoProcess.ts';
import { faultRuns, randomFaults } from '../support/faultRuns.ts';
import { writeSlice } from '../support/sliceFiles.ts';
import { createTempFolder } from '../support/tempFolder.ts';

const RUNS = 5;
const PATIENCE_MS = 60_000;

type Server = NegatoProcess & { readonly started: { readonly base_url: string } };

/** Creates files, and a state folder that all runs of a test share. */
async function prepare(...names: string[]) {
  const folder = createTempFolder();
  await writeDicomFiles(folder, ...names);
  const stateHome = createTempFolder();
  const kept = join(stateHome, 'negato');
  const start = async (...args: string[]) => {
    const negato = await startNegato(['--no-token', ...args], { env: { XDG_STATE_HOME: stateHome } });
    await negato.waitFor('stdout', /scan_complete/);
    return negato;
  };
  return { folder, kept, start, listKept: () => (existsSync(kept) ? readdirSync(kept) : []) };
}

const box = (n: number): [number, number, number, number] => [0, 0, 1 + (n % 16), 1 + (Math.floor(n / 16) % 16)];
const payload = (...numbers: number[]): AnnotationPayload => ({
  num_roi: numbers.length,
  roi_coords: numbers.map(box),
  roi_frames: [],
});

function put(server: Server, index: number, body: AnnotationPayload): Promise<Response> {
  return fetch(`${server.started.base_url}/api/file/${index}/annotations`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
}

async function read(server: Server, index: number): Promise<AnnotationPayload> {
  return (await fetch(`${server.started.base_url}/api/file/${index}/annotations`)).json();
}

async function journalOf(server: Server): Promise<AnnotationJournalResponse> {
  return (await fetch(`${server.started.base_url}/api/annotations/journal`)).json();
}

/** What the server offers to restore, once its search is complete. */
async function offerOf(server: Server): Promise<AnnotationJournalResponse['kept']> {
  await expect.poll(async () => (await journalOf(server)).searched).toBe(true);
  return (await journalOf(server)).kept;
}

async function recover(server: Server, action: 'restore' | 'forget'): Promise<AnnotationJournalResponse> {
  const response = await fetch(`${server.started.base_url}/api/annotations/journal`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ action }),
  });
  expect(response.status).toBe(200);
  return response.json();
}

async function kill(server: Server): Promise<void> {
  server.signal('SIGKILL');
  await server.exit;
}

async function exportAll(server: Server, query = ''): Promise<string> {
  return (await fetch(`${server.started.base_url}/api/annotations/export.csv${query}`)).text();
}

test('nothing is written before the first edit, and only the user can read a saved edit', async () => {
  const { folder, kept, start, listKept } = await prepare('a.dcm');
  const server = await start(folder);
  expect(existsSync(kept)).toBe(false);

  const response = await put(server, 0, payload(1));

  expect(response.headers.get('X-Annotation-Durability')).toBe('kept');
  expect(lstatSync(kept).mode & 0o777).toBe(0o700);
  expect(listKept()).toHaveLength(1);
  expect(lstatSync(join(kept, listKept()[0] ?? '')).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['a.dcm']);
});

test(
  'kill -9 at random moments: no edit that was acknowledged is ever missing',
  async () => {
    const { folder, start, listKept } = await prepare('a.dcm', 'b.dcm', 'c.dcm');
    for (const { random } of randomFaults(RUNS)) {
      const server = await start(folder);
      const sent = [0, 0, 0];
      const acknowledged = [0, 0, 0];
      const life = { isOver: false };
      // Three clients, each on its own file. Edit n has n ROIs, so that later edits can be told from earlier ones.
      const clients = sent.map(async (_, index) => {
        while (!life.isOver) {
          const next = (sent[index] ?? 0) + 1;
          sent[index] = next;
          const numbers = Array.from({ length: next }, (_unused, n) => n);
          const response = await put(server, index, payload(...numbers)).catch(() => undefined);
          if (response?.status === 200) acknowledged[index] = next;
        }
      });
      await wait(random.below(400));
      life.isOver = true;
      await kill(server);
      await Promise.all(clients);

      const next = await start('--restore', folder);
      for (const index of [0, 1, 2]) {
        const { num_roi } = await read(next, index);
        expect(num_roi).toBeGreaterThanOrEqual(acknowledged[index] ?? 0);
        expect(num_roi).toBeLessThanOrEqual(sent[index] ?? 0);
      }
      await exportAll(next);
      next.signal('SIGTERM');
      await next.exit;
      expect(listKept()).toEqual([]);
    }
  },
  PATIENCE_MS + faultRuns(RUNS) * 20_000,
);

function paintedSlice(file: number, n: number) {
  const mask = { left: n % 16, top: Math.floor(n / 16) % 16, width: 1, height: 1, runs: [0, 1] };
  return { file_index: file, frame_index: 0, points: [], mask };
}

function send(server: Server, method: string, path: string, body: object): Promise<Response> {
  return fetch(`${server.started.base_url}/api/${path}`, {
    method,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
}

test(
  'kill -9 while a mask is painted: every slice is as it was acknowledged, or as it was sent last',
  async () => {
    const { folder, start } = await prepare('a.dcm', 'b.dcm', 'c.dcm');
    const [from, to] = [0, 2].map((file_index) => ({ file_index, frame_index: 0 }));
    const body = { kind: 'brush', place: { type: 'stack', from, to }, points: [] };
    for (const { random } of randomFaults(1)) {
      const server = await start(folder);
      const [sent, acknowledged] = [
        [0, 0, 0],
        [0, 0, 0],
      ];
      await send(server, 'POST', 'marks', { ...body, slices: sent.map((n, file) => paintedSlice(file, n)) });
      const life = { isOver: false };
      const painting = (async () => {
        for (let n = 1; !life.isOver; n += 1) {
          sent[n % 3] = n;
          const done = await send(server, 'PATCH', 'mark/1', { slices: [paintedSlice(n % 3, n)] }).catch(
            () => undefined,
          );
          if (done?.status === 200) acknowledged[n % 3] = n;
        }
      })();
      await wait(100 + random.below(400));
      life.isOver = true;
      await kill(server);
      await painting;

      const next = await start('--restore', folder);
      const { marks } = await (await fetch(`${next.started.base_url}/api/marks`)).json();
      expect(marks).toHaveLength(1);
      for (const file of [0, 1, 2]) {
        const possible = [acknowledged[file], sent[file]].map((n) => paintedSlice(file, n ?? 0));
        expect(possible).toContainEqual(marks[0].slices[file]);
      }
      await fetch(`${next.started.base_url}/api/marks/export.json`).then((response) => response.text());
      next.signal('SIGTERM');
      await next.exit;
    }
  },
  PATIENCE_MS + faultRuns(1) * 20_000,
);

describe('after a run that was killed', () => {
  test('the next start on the same files offers its ROIs in the terminal and to the page, and restores them', async () => {
    const { folder, start, listKept } = await prepare('a.dcm', 'b.dcm');
    const first = await start(folder);
    await put(first, 0, payload(1, 2));
    await put(first, 1, payload(3));
    await kill(first);

    const second = await start(folder);
    await second.waitFor('stdout', new RegExp(`3 ROIs of ${folder} were not exported: .*--restore or --forget`));
    expect(await offerOf(second)).toMatchObject({ num_roi: 3, num_files: 2, path: folder, changed_files: 0 });
    expect(await read(second, 0)).toEqual(payload());

    expect(await recover(second, 'restore')).toMatchObject({ state: 'on', kept: null });

    expect(await read(second, 0)).toEqual(payload(1, 2));
    expect(await read(second, 1)).toEqual(payload(3));
    expect(listKept()).toHaveLength(1);
    // Kill it again: restored ROIs are kept like any edit.
    await kill(second);
    const third = await start('--restore', folder);
    await third.waitFor('stdout', /restored: 3 ROIs/);
    expect(await read(third, 0)).toEqual(payload(1, 2));
  });

  test('--forget, and the button, leave nothing of them on the disk', async () => {
    const { folder, kept, start } = await prepare('a.dcm');
    const first = await start(folder);
    await put(first, 0, payload(1));
    await kill(first);
    const second = await start('--forget', folder);
    await second.waitFor('stdout', /forgotten: 1 ROI of .*a\.dcm/);
    expect(existsSync(kept)).toBe(false);

    await put(second, 0, payload(2));
    await kill(second);
    const third = await start(folder);
    expect(await offerOf(third)).toMatchObject({ num_roi: 1 });
    await recover(third, 'forget');
    expect(existsSync(kept)).toBe(false);
    expect(await read(third, 0)).toEqual(payload());
  });
});

describe('a run that is stopped', () => {
  test('reports edits that were not exported, and the next start offers them', async () => {
    const { folder, kept, start } = await prepare('a.dcm');
    const first = await start(folder);
    await put(first, 0, payload(1, 2));
    first.signal('SIGTERM');
    await first.exit;
    expect(first.output.stdout).toContain(`edits of 1 file (2 ROIs) are not exported; they are saved in ${kept}`);

    const second = await start(folder);
    expect(await offerOf(second)).toMatchObject({ num_roi: 2, num_files: 1, path: join(folder, 'a.dcm') });
  });
});

test('two processes on the same files keep a journal each, and neither is offered the other one’s', async () => {
  const { folder, start, listKept } = await prepare('a.dcm');
  const first = await start(folder);
  await put(first, 0, payload(1));
  const second = await start(folder);
  expect(await offerOf(second)).toBeNull();
  await put(second, 0, payload(2));
  expect(listKept()).toHaveLength(2);
  await kill(first);
  await kill(second);

  const third = await start(folder);
  expect(await offerOf(third)).toMatchObject({ num_roi: 2, num_files: 1 });
  await recover(third, 'restore');

  // The ROIs of the newest journal come first.
  expect(await read(third, 0)).toEqual(payload(2, 1));
});

const ask = (server: Server, path: string, options?: RequestInit) =>
  fetch(`${server.started.base_url}/api/file/0/${path}`, options);

test('a second process covers what the first one, which still runs, has redacted', async () => {
  const { folder, start } = await prepare();
  writeFileSync(join(folder, 'a.dcm'), writeSlice({ number: 0 }));
  const readPixels = async (server: Server) => Buffer.from(await (await ask(server, 'frame/0/raw')).arrayBuffer());
  const first = await start(folder);
  const before = await readPixels(first);
  const response = await ask(first, 'redactions', {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ num_roi: 1, roi_coords: [[5, 10, 10, 20]], roi_frames: [] }),
  });
  expect([response.status, response.headers.get('x-annotation-durability')]).toEqual([200, 'kept']);
  const covered = await readPixels(first);
  expect(covered.equals(before)).toBe(false);

  const second = await start(folder);

  expect((await readPixels(second)).equals(covered)).toBe(true);
  expect((await ask(second, 'file')).status).not.toBe(200);
});

test('an edit is not lost if the disk cannot be written, and page and terminal report it', async () => {
  const { folder, start } = await prepare('a.dcm');
  const first = await start(folder);
  await put(first, 0, payload(1));
  const stateFile = join(createTempFolder(), 'no-folder');
  writeFileSync(stateFile, '');
  const server = await startNegato(['--no-token', folder], { env: { XDG_STATE_HOME: stateFile } });
  await server.waitFor('stdout', /scan_complete/);

  const response = await put(server, 0, payload(1, 2));

  expect(response.status).toBe(200);
  expect(response.headers.get('X-Annotation-Durability')).toBe('memory');
  expect(await read(server, 0)).toEqual(payload(1, 2));
  const { state, error } = await journalOf(server);
  expect([state, error]).toEqual(['failing', expect.stringMatching(/ENOTDIR|not a directory/)]);
  await server.waitFor(
    'stderr',
    /warning: ROIs and marks cannot be saved in .*no-folder.*: export them before you stop negato/,
  );
  server.signal('SIGTERM');
  await server.exit;
  expect(server.output.stderr).toContain('error: edits of 1 file (2 ROIs) are not exported and are lost');
});
