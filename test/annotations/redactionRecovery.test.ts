import { REDACTION_FORMAT } from '../../src/server/work/redactions/redactionFormat.ts';
import { ROI_FORMAT } from '../../src/server/work/annotations/roiFormat.ts';
import {
  chownSync,
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type {
  AnnotationJournalResponse,
  AnnotationPayload,
  RedactionJournalResponse,
  RoiBox,
} from '../../src/shared/contract/annotations.ts';
import { ENDPOINTS } from '../../src/shared/contract/endpoints.ts';
import { createFileFeed } from '../../src/server/images/catalog/fileFeed.ts';
import { nameJournal } from '../../src/server/work/journal/journalFile.ts';
import { localFile, redact } from '../../src/server/bytes/origins/origins.ts';
import { EVERY_REQUEST, optionsOfRequest, writeEveryAttachment, writeEveryFile } from '../support/everyEndpoint.ts';
import { reviewSettings } from '../support/reviewSettings.ts';
import { type ServeOptions, serveWith, type TestServer } from '../support/serve.ts';
import { SLICE_COLUMNS, writeSlice } from '../support/sliceFiles.ts';
import { needs } from '../support/needs.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';

/** In slice n, the sample at (x, y) is 1024 + 10 n + x + 2 y: at least 1044 in the box, and 1024 + 10 n outside. */
const BOX: RoiBox = [5, 10, 10, 20];
const OTHER_BOX: RoiBox = [0, 10, 2, 20];

function prepare() {
  const root = createTempFolder();
  const data = join(root, 'data');
  const path = writeBelow(root, 'data/a.dcm', writeSlice({ number: 0 }));
  const folder = join(root, 'state', 'negato');
  const list = () => (existsSync(folder) ? readdirSync(folder) : []);
  return {
    data,
    path,
    folder,
    list,
    start: (options: ServeOptions = {}) =>
      serveWith({ inputs: [data], journal: { folder, kept: 'offer' }, ...options }),
    /** As if the process had ended: the journal names its process, which is that of the test. */
    kill: async (server: TestServer) => {
      await server.close();
      for (const name of list()) {
        const format = name.startsWith(REDACTION_FORMAT.name) ? REDACTION_FORMAT : ROI_FORMAT;
        renameSync(join(folder, name), join(folder, nameJournal('nobody', format)));
      }
      // Other servers of this process would still know them.
      redact(server.catalog.files.map(({ source }) => [source, []]));
    },
  };
}

const send = (server: TestServer, path: string, body: object) =>
  server.request(path, {
    method: 'PUT',
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json' },
  });

const put = (server: TestServer, index: number, ...boxes: RoiBox[]) =>
  send(server, `/api/file/${index}/redactions`, { num_roi: boxes.length, roi_coords: boxes });

async function boxesOf(server: TestServer, index = 0): Promise<readonly RoiBox[]> {
  const payload: AnnotationPayload = await (await server.request(`/api/file/${index}/redactions`)).json();
  return payload.roi_coords;
}

async function journalOf(server: TestServer): Promise<RedactionJournalResponse> {
  return (await server.request('/api/redactions/journal')).json();
}

const recover = async (server: TestServer, action: string): Promise<RedactionJournalResponse> =>
  (await send(server, '/api/redactions/journal', { action })).json();

/** `covered` or `shown`; the code of the refusal if there are no pixels. */
async function look(server: TestServer, index = 0, [top, left]: RoiBox = BOX): Promise<string> {
  const response = await server.request(`/api/file/${index}/frame/0/raw`);
  if (response.status !== 200) return (await response.json()).code;
  const samples = new Int16Array(await response.arrayBuffer());
  return samples[top * SLICE_COLUMNS + left] === samples[0] ? 'covered' : 'shown';
}

describe('redactions of an earlier run', () => {
  test('cover a file when it is listed, although the scan goes on', async () => {
    const { start, kill, path } = prepare();
    const first = await start();
    expect((await put(first, 0, BOX)).headers.get('x-annotation-durability')).toBe('kept');
    await kill(first);

    const feed = createFileFeed();
    const next = await start({ scans: false, catalog: { feed } });
    const seen: Promise<string>[] = [];
    const listed = new Promise<void>((resolve) => {
      next.catalog.subscribe(({ scanned }) => {
        if (scanned === 0) return;
        seen.push(look(next));
        resolve();
      });
    });
    next.catalog.start();
    feed.add({ path, ref: localFile(path) });
    await listed;

    expect(await Promise.all(seen)).toEqual(seen.map(() => 'covered'));
    expect(await look(next)).toBe('covered');
    expect(next.catalog.progress.scanComplete).toBe(false);
    feed.end();
    await next.catalog.scanComplete;
    expect(await boxesOf(next)).toEqual([BOX]);
    expect(await look(next)).toBe('covered');
  });

  test('are named until the user has confirmed them, and can be removed', async () => {
    const { start, kill, list } = prepare();
    const first = await start();
    await put(first, 0, BOX);
    await kill(first);

    const next = await start();
    expect(await boxesOf(next)).toEqual([BOX]);
    expect(await journalOf(next)).toMatchObject({ kept: { num_roi: 1, num_files: 1 }, unread: [], num_of_others: 0 });
    await put(next, 0, BOX, OTHER_BOX);
    expect(await recover(next, 'forget')).toMatchObject({ kept: null });

    // What this run has added stays.
    expect(await boxesOf(next)).toEqual([OTHER_BOX]);
    expect([await look(next), await look(next, 0, OTHER_BOX)]).toEqual(['shown', 'covered']);
    await kill(next);
    const third = await start();
    expect(await boxesOf(third)).toEqual([OTHER_BOX]);
    expect(await recover(third, 'restore')).toMatchObject({ kept: null });
    expect(await boxesOf(third)).toEqual([OTHER_BOX]);
    expect(list()).toHaveLength(1);
  });

  test('cover a file whose time has changed, and one that is replaced while it is watched', async () => {
    const { start, kill, path } = prepare();
    const first = await start();
    await put(first, 0, BOX);
    await kill(first);
    utimesSync(path, new Date(0), new Date(0));

    const next = await start({ catalog: { watch: { pollMs: 20 } } });
    expect(await boxesOf(next)).toEqual([BOX]);
    expect(await look(next)).toBe('covered');
    utimesSync(path, new Date(1_000_000), new Date(1_000_000));
    await expect.poll(() => next.catalog.files.length, { timeout: 20_000 }).toBe(2);

    expect(await look(next, 1)).toBe('covered');
  });
});

/** Three files with a redaction each; the line of the second one is damaged. */
async function prepareDamaged() {
  const prepared = prepare();
  const { data, folder, list, start, kill } = prepared;
  for (const number of [1, 2]) writeBelow(data, `${number}.dcm`, writeSlice({ number }));
  const first = await start();
  for (const index of [0, 1, 2]) await put(first, index, BOX);
  await kill(first);
  const journal = join(folder, list()[0] ?? '');
  const lines = readFileSync(journal, 'latin1').split('\n');
  lines[2] = lines[2]?.replace('"num_roi":1', '"num_roi":7') ?? '';
  writeFileSync(journal, lines.join('\n'), 'latin1');
  return { ...prepared, journal, name: list()[0] ?? '' };
}

describe('a journal of redactions that cannot be read', () => {
  test('is named, and no pixel is sent until the user goes on without it; what could be read of it stays in effect', async () => {
    const { start, name, list } = await prepareDamaged();

    const next = await start();
    const refused = await next.request('/api/file/1/frame/0/raw');

    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await refused.json()).toEqual({
      code: 'redactions_unknown',
      error: `the redactions in ${name} cannot be read: line 3 is damaged`,
    });
    expect(await journalOf(next)).toMatchObject({ unread: [{ name, reason: 'line 3 is damaged' }] });
    expect((await next.request('/api/file/1/tags')).status).toBe(200);

    expect(await recover(next, 'set_aside')).toMatchObject({ unread: [] });

    expect(await Promise.all([0, 1, 2].map((index) => look(next, index)))).toEqual(['covered', 'shown', 'covered']);
    expect(await Promise.all([0, 1, 2].map((index) => boxesOf(next, index)))).toEqual([[BOX], [], [BOX]]);
    expect(list()).toContain(`${name}.unread`);
  });

  test('is read again when the user asks for it', async () => {
    const { start, journal } = await prepareDamaged();
    const next = await start();
    expect(await look(next)).toBe('redactions_unknown');

    writeFileSync(journal, readFileSync(journal, 'latin1').replace('"num_roi":7', '"num_roi":1'), 'latin1');

    expect(await recover(next, 'restore')).toMatchObject({ unread: [] });
    expect(await Promise.all([0, 1, 2].map((index) => look(next, index)))).toEqual(['covered', 'covered', 'covered']);
  });

  /** Every other endpoint shows pixels, or what was measured in them. */
  const WITHOUT_PIXELS = [
    'health',
    'openapi',
    'files',
    'columns',
    'table',
    'tableSummary',
    'search',
    'tableCsv',
    'tableJsonl',
    'tableParquet',
    'audit',
    'series',
    'info',
    'references',
    'referencedBy',
    'document',
    'report',
    'reportMeasurements',
    'waveform',
    'waveformSamples',
    'spectra',
    'spectrum',
    'plan',
    'narrative',
    'narrativeMedium',
    'mesh',
    'presentation',
    'semanticContext',
    'valueMapping',
    'segmentation',
    'layers',
    'layer',
    'layerRegion',
    'attachments',
    'assistants',
    'attachmentMatches',
    'registrations',
    'wsiContext',
    'wsiTiles',
    'tags',
    'tagSelect',
    'tagTable',
    'notShown',
    'skippedTags',
    'skippedTagSelect',
    'annotations',
    'volume',
    'niftiSidecar',
    'volumeArrayPlan',
    'markVolume',
    // Of model output, which is no DICOM file.
    'labelVolume',
    'labelPlan',
    'compare',
    'redactions',
    'redactionJournal',
    'annotatedFiles',
    'exportAnnotations',
    'annotationJournal',
    'marks',
    'mark',
    'exportMarks',
    'convertMarks',
    'markJournal',
    'review',
    'reviewUnit',
    'reviewCsv',
    'reviewJsonl',
    'reviewParquet',
    'hanging',
    'overlays',
    'labels',
    'view',
  ];

  test('refuses everything that is made of pixels, also what was made of them before', async () => {
    const { folder } = prepare();
    const inputs = [...writeEveryFile(), writeEveryAttachment()];
    const server = await serveWith({
      inputs,
      journal: { folder, kept: 'offer' },
      dicomweb: true,
      review: reviewSettings(),
    });
    const asked = Object.entries(EVERY_REQUEST).filter(
      ([name]) => Object.entries(ENDPOINTS).find(([one]) => one === name)?.[1].method === 'GET' && name !== 'events',
    );
    const ask = async ([name, path]: [string, string]) => {
      const response = await server.request(path);
      const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
      const code: unknown = response.status === 200 || !isJson ? undefined : (await response.json()).code;
      return { name, status: response.status, code };
    };
    await server.request(EVERY_REQUEST.createMark, optionsOfRequest('createMark'));
    const { studyInstanceUid, seriesInstanceUid, sopInstanceUid } = server.catalog.get(0);
    const instance = `/dicomweb/studies/${studyInstanceUid}/series/${seriesInstanceUid}/instances/${sopInstanceUid}`;
    const statusOf = async (path: string) => (await server.request(path)).status;
    const segmentation = server.catalog.files.find((file) => file.sopInstanceUid === '2.25.603')!.index;
    const ofSegmentation = `/api/file/3/volume/labels?layers=${segmentation}&grid=own`;
    expect(await statusOf(ofSegmentation)).toBe(200);
    const before = await Promise.all(asked.map(ask));
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, nameJournal('nobody', REDACTION_FORMAT)), 'another version\n');
    await recover(server, 'restore');

    const after = await Promise.all(asked.map(ask));

    const shown = before.filter(({ status }) => status === 200).map(({ name }) => name);
    const refused = after.filter(({ code }) => code === 'redactions_unknown').map(({ name }) => name);
    expect(shown.filter((name) => !refused.includes(name))).toEqual(WITHOUT_PIXELS);
    expect(await statusOf(ofSegmentation)).toBe(503);
    expect(await Promise.all(['', '/frames/1', '/rendered'].map((form) => statusOf(`${instance}${form}`)))).toEqual([
      503, 503, 503,
    ]);
  });
});

describe('one bad journal never hides another', () => {
  test('a line of 70 MiB is skipped and named, and the lines around it and other journals are read', async () => {
    const { start, kill, folder, list, data } = prepare();
    writeBelow(data, 'b.dcm', writeSlice({ number: 1 }));
    const putRois = (server: TestServer, index: number) =>
      send(server, `/api/file/${index}/annotations`, { num_roi: 1, roi_coords: [BOX] });
    const first = await start();
    await putRois(first, 0);
    await kill(first);
    const [name = ''] = list();
    const journal = join(folder, name);
    const [header = '', line = ''] = readFileSync(journal, 'latin1').split('\n');
    writeFileSync(journal, `${header}\n`);
    truncateSync(journal, 70 * 2 ** 20);
    appendFileSync(journal, `\n${line}\n`);
    // Another journal, whose name comes before or after.
    const second = await start();
    await putRois(second, 1);
    await second.close();
    const own = list().find((one) => one !== name) ?? '';
    renameSync(join(folder, own), join(folder, nameJournal('nobody', ROI_FORMAT)));

    const next = await start();
    await next.annotations.recovered;
    const report: AnnotationJournalResponse = await (await next.request('/api/annotations/journal')).json();

    expect(report.kept).toMatchObject({ num_roi: 2, num_files: 2 });
    expect(report.unread).toEqual([{ name, reason: 'line 2 is longer than 64 MiB' }]);
    await send(next, '/api/annotations/journal', { action: 'restore' });
    // The part that could not be read is not removed.
    expect(statSync(journal).size).toBeGreaterThan(70 * 2 ** 20);
  });

  test('a folder in place of a journal of marks is named, and marks of other journals are offered', async () => {
    const { start, folder } = prepare();
    const first = await start();
    const mark = { kind: 'point', place: { type: 'frame', file_index: 0, frame_index: 0 }, points: [[1, 1]] };
    const made = await first.request('/api/marks', {
      method: 'POST',
      body: JSON.stringify(mark),
      headers: { 'Content-Type': 'application/json' },
    });
    expect(made.status).toBe(200);
    await first.close();
    const [own = ''] = readdirSync(folder);
    renameSync(join(folder, own), join(folder, nameJournal('nobody', { name: 'marks' })));
    const bad = nameJournal('nobody', { name: 'marks' });
    mkdirSync(join(folder, bad));

    const next = await start();
    await next.marks.recovered;

    const report = await (await next.request('/api/marks/journal')).json();
    expect(report).toMatchObject({ kept: { marks: 1 }, unread: [{ name: bad, reason: 'it is not a regular file' }] });
  });
});

describe('the folder of redactions', () => {
  test('is not behind a link, and the response says that they are not kept', async () => {
    const { start, folder } = prepare();
    const elsewhere = createTempFolder();
    mkdirSync(join(folder, '..'), { recursive: true, mode: 0o700 });
    symlinkSync(elsewhere, folder);
    const server = await start();

    const response = await put(server, 0, BOX);

    expect(response.headers.get('x-annotation-durability')).toBe('memory');
    expect(await journalOf(server)).toMatchObject({ state: 'failing' });
    expect(readdirSync(elsewhere)).toEqual([]);
    // They are in effect all the same.
    expect(await look(server)).toBe('covered');
  });
});

describe('a folder above the folder of redactions', () => {
  test(
    'that another user owns could be replaced with the redactions in it, so they are not kept',
    needs('the user root'),
    async () => {
      const { start, folder } = prepare();
      const above = join(folder, '..');
      mkdirSync(above, { recursive: true, mode: 0o755 });
      chownSync(above, 12_345, 12_345);
      const server = await start();

      const response = await put(server, 0, BOX);

      expect(response.headers.get('x-annotation-durability')).toBe('memory');
      expect(await journalOf(server)).toMatchObject({ state: 'failing' });
      expect(await look(server)).toBe('covered');
    },
  );
});

describe('redactions of another server that still runs', () => {
  test('are in effect here as well, and follow its changes', async () => {
    const { start } = prepare();
    const first = await start();
    await put(first, 0, BOX);
    const forget = () => redact(first.catalog.files.map(({ source }) => [source, []]));
    // Both servers of this process share what is covered. What the second one covers is seen when it is taken away.
    forget();

    const second = await start();
    expect(await look(second)).toBe('covered');
    expect(await boxesOf(second)).toEqual([]);
    expect(await journalOf(second)).toMatchObject({ kept: null, num_of_others: 1 });

    await put(first, 0, OTHER_BOX);
    forget();
    await recover(second, 'restore');
    expect([await look(second), await look(second, 0, OTHER_BOX)]).toEqual(['shown', 'covered']);
    // The other server keeps its journal.
    expect(await boxesOf(first)).toEqual([OTHER_BOX]);
  });
});
