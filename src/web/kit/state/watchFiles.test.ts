import { expect, test } from 'vitest';
import { createFileRecord } from '../../../../test/support/createFileRecord.ts';
import type { FilesResponse } from '../../../shared/contract/files.ts';
import type { FilesPage } from '../../../shared/filesPath.ts';
import { ConnectionLost, RequestRefused } from '../api/send.ts';
import { type FileListState, watchFiles } from './watchFiles.ts';

/** A server with this many files, which responds as the contract specifies. */
function createFakeServer(options: { started: number; files: number; complete?: boolean }) {
  const { started, files, complete = true } = options;
  return async ({ since, limit }: FilesPage): Promise<FilesResponse> => {
    const reset = since > files;
    const from = reset ? 0 : since;
    const to = Math.min(files, from + limit);
    return {
      files: Array.from({ length: to - from }, (_, i) =>
        createFileRecord(from + i, { path: `${started}/${from + i}` }),
      ),
      discovery: [],
      tunnelled: false,
      tunnel_host: null,
      server_start_ms: started,
      scan_complete: complete,
      scanned: files,
      skipped: 0,
      filtered: 0,
      not_shown: {},
      gone: [],
      attachments: 0,
      revision: to,
      more: to < files,
      reset,
      annotations: { import_state: 'none', error: null },
      overlays: 0,
      making_demo: null,
      masked: false,
    };
  };
}

type Answer = (page: FilesPage) => Promise<FilesResponse>;

const lost: Answer = () => Promise.reject(new ConnectionLost('gone'));
const refused: Answer = () => Promise.reject(new RequestRefused({ code: 'unauthorized', error: 'no token' }));

/** Watches until every response has been delivered and processed, one response after each wait. */
async function watch(answers: readonly Answer[], now = () => 0): Promise<{ states: FileListState[]; waits: number[] }> {
  const controller = new AbortController();
  const states: FileListState[] = [];
  const waits: number[] = [];
  await watchFiles({
    fetchPage: (page) => (answers[waits.length] ?? lost)(page),
    onChange: (state) => states.push(state),
    wait: async (ms) => {
      waits.push(ms);
      if (waits.length >= answers.length) controller.abort();
    },
    signal: controller.signal,
    now,
  });
  return { states, waits };
}

function pathsOf(state: FileListState | undefined): string[] {
  return (state?.files ?? []).map((file) => file.path);
}

test('a long list comes in pages, without a wait between them', async () => {
  const { states, waits } = await watch([createFakeServer({ started: 1, files: 2_500 })]);
  expect(states.map((state) => state.files.length)).toEqual([1_000, 2_000, 2_500]);
  expect(waits).toEqual([5_000]);
});

test('during the scan a list that is behind comes page by page, and without a wait when the scan is over', async () => {
  const scanning = createFakeServer({ started: 1, files: 20_000, complete: false });
  const { states, waits } = await watch([
    ...Array.from({ length: 12 }, () => scanning),
    createFakeServer({ started: 1, files: 20_000 }),
  ]);
  // Ten requests that leave the processors to the scan, then sooner.
  expect(waits).toEqual([...Array.from({ length: 10 }, () => 400), 100, 100, 5_000]);
  // After 12 pages of 1,000 files the scan is over, and the other 8 follow at once.
  expect(states).toHaveLength(20);
  expect(states.at(-1)?.files).toHaveLength(20_000);
});

test('a list that is far behind waits longer if each page takes long, but for two seconds at most', async () => {
  const scanning = createFakeServer({ started: 1, files: 20_000, complete: false });
  let nowMs = 0;
  let tookMs = 50;
  const slow: Answer = async (page) => {
    nowMs += tookMs;
    tookMs *= 4;
    return scanning(page);
  };
  const { waits } = await watch([...Array.from({ length: 10 }, () => scanning), slow, slow, slow], () => nowMs);
  // Four times 50 and 200 ms; four times 800 ms would be longer than two seconds.
  expect(waits.slice(10)).toEqual([200, 800, 2_000]);
});

test('the list is polled more often during the scan', async () => {
  const { states, waits } = await watch([
    createFakeServer({ started: 1, files: 1, complete: false }),
    createFakeServer({ started: 1, files: 3 }),
  ]);
  expect(waits).toEqual([400, 5_000]);
  expect(pathsOf(states.at(-1))).toEqual(['1/0', '1/1', '1/2']);
});

test('a lost connection keeps the list, and waits longer each time', async () => {
  const { states, waits } = await watch([createFakeServer({ started: 1, files: 2 }), lost, lost, lost, lost, lost]);
  expect(waits).toEqual([5_000, 500, 1_000, 2_000, 4_000, 4_000]);
  expect(states.at(-1)).toMatchObject({ connection: 'lost' });
  expect(pathsOf(states.at(-1))).toEqual(['1/0', '1/1']);
});

test('a connection that comes back goes on where it was', async () => {
  const server = createFakeServer({ started: 1, files: 2 });
  const { states } = await watch([server, lost, server]);
  expect(states.at(-1)).toMatchObject({ connection: 'ok' });
  expect(pathsOf(states.at(-1))).toEqual(['1/0', '1/1']);
});

test.each([0, 1, 2, 5])('a restarted server with %i files replaces the list', async (files) => {
  const { states } = await watch([createFakeServer({ started: 1, files: 2 }), createFakeServer({ started: 9, files })]);
  expect(pathsOf(states.at(-1))).toEqual(Array.from({ length: files }, (_, i) => `9/${i}`));
});

test('without the token there is nothing to wait for', async () => {
  const { states, waits } = await watch([refused]);
  expect(states).toMatchObject([{ connection: 'needs_token' }]);
  expect(waits).toEqual([]);
});
