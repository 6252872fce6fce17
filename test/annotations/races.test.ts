import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Annotations,
  createAnnotations,
  type ExportedCsv,
} from '../../src/server/work/annotations/annotations.ts';
import type { StoredAnnotation } from '../../src/server/work/annotations/keptRois.ts';
import { unpackRois } from '../../src/server/work/annotations/packedRois.ts';
import { ViewerError } from '../../src/shared/contract/errors.ts';
import type { AnnotationPayload, RoiBox } from '../../src/shared/contract/annotations.ts';
import { createDeferred, createImage, createOpenFiles, importHere, type OpenFiles } from '../support/annotatedFiles.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';

const PATHS = ['/data/a.dcm', '/data/b.dcm', '/data/c.dcm'];
const INSTANCE = 'run';

/** The expected state in its simplest form, without packing or promises. */
type Model = {
  phase: 'none' | 'waiting' | 'running' | 'done' | 'failed' | 'stopped';
  isClosed: boolean;
  rows: ReadonlyMap<number, AnnotationPayload> | 'invalid';
  edits: Map<number, Answer>;
  /** The version of each file that each client saw last. */
  seen: Map<string, string>;
};

type Answer = { payload: AnnotationPayload; etag: string };

/** A read or an export that cannot be answered yet. */
type Waiting = { isSettled: () => boolean; check: (model: Model) => Promise<void> };

type Real = {
  annotations: Annotations;
  files: OpenFiles;
  importBegan: Promise<void>;
  letImportEnd: () => void;
  waiting: Waiting[];
};

type Command = fc.AsyncCommand<Model, Real>;

test('whatever the order of edits, reads, exports, import and shutdown, the store equals the model', async () => {
  const folder = createTempFolder();
  let runs = 0;
  const commands = [
    fc
      .tuple(fileIndex(), client(), payload(), fc.constantFrom('none', 'seen', '*', 'foreign'))
      .map((args) => put(...args)),
    fc.tuple(fileIndex(), brokenPayload()).map((args) => putBroken(...args)),
    fc.tuple(fileIndex(), client()).map((args) => read(...args)),
    fc.constant(exportAll()),
    fc.constant(exportEdits()),
    fc.array(fc.tuple(fileIndex(), payload()), { maxLength: 2 }).map((edits) => exportThenEdit(edits)),
    fc.constant(endScan()),
    fc.constant(cancelScan()),
    fc.constant(endImport()),
    fc.constant(shutDown()),
  ];
  await fc.assert(
    fc.asyncProperty(csvRows(), fc.commands(commands, { maxCommands: 60, size: 'max' }), async (rows, sequence) => {
      runs += 1;
      const csv = rows === undefined ? undefined : writeBelow(folder, `${runs}.csv`, csvText(rows));
      await fc.asyncModelRun(() => createPair(rows, csv), sequence);
    }),
    { numRuns: 400 },
  );
  expect(runs).toBe(400);
}, 180_000);

function createPair(rows: Model['rows'] | undefined, csv: string | undefined): { model: Model; real: Real } {
  const files = createOpenFiles(PATHS.map((path) => createImage(path)));
  const began = createDeferred<void>();
  const mayEnd = createDeferred<void>();
  const tasks = importHere(() => {
    began.settle();
    return mayEnd.promise;
  });
  const annotations = createAnnotations({
    files,
    tasks,
    csv: csv === undefined ? undefined : { path: csv, startDirectory: '/' },
    instance: INSTANCE,
  });
  const phase = rows === undefined ? 'none' : 'waiting';
  return {
    model: { phase, isClosed: false, rows: rows ?? new Map(), edits: new Map(), seen: new Map() },
    real: { annotations, files, importBegan: began.promise, letImportEnd: mayEnd.settle, waiting: [] },
  };
}

/** A command that is always allowed. The store is compared with the model after it. */
function command(name: string, run: (model: Model, real: Real) => Promise<void>): Command {
  return {
    check: () => true,
    toString: () => name,
    async run(model, real) {
      await run(model, real);
      if (model.phase !== 'stopped') expect(real.annotations.importState().state).toBe(model.phase);
      expect(real.waiting.filter((waiting) => waiting.isSettled())).toEqual([]);
      for (const index of PATHS.keys()) {
        const expected = expectedRead(model, index);
        if (expected !== 'waits')
          expect(await outcomeOf(real.annotations.read(index).then(toAnswer))).toEqual(expected);
      }
    },
  };
}

function put(index: number, who: string, value: AnnotationPayload, condition: string): Command {
  return command(`put(${index}, ${who}, ${JSON.stringify(value)}, ${condition})`, async (model, real) => {
    const seen = model.seen.get(`${who} ${index}`);
    const ifMatch = { none: undefined, seen, '*': '*', foreign: '"other-0"' }[condition];
    const expected = expectedPut(model, { index, value, ifMatch });
    const outcome = await outcomeOf(real.annotations.replace(index, toBody(value), { ifMatch }).then(toAnswer));
    expect(outcome).toEqual(expected);
    if (typeof expected === 'string') return;
    model.edits.set(index, expected);
    model.seen.set(`${who} ${index}`, expected.etag);
  });
}

function putBroken(index: number, value: unknown): Command {
  return command(`putBroken(${index}, ${JSON.stringify(value)})`, async (_model, real) => {
    const outcome = await outcomeOf(real.annotations.replace(index, toBody(value)));
    expect(outcome).toBe('invalid_annotation');
  });
}

function read(index: number, who: string): Command {
  return command(`read(${index}, ${who})`, async (model, real) => {
    const answer = outcomeOf(real.annotations.read(index).then(toAnswer));
    const check = async (later: Model) => {
      const outcome = await answer;
      expect(outcome).toEqual(expectedRead(later, index));
      if (typeof outcome !== 'string') later.seen.set(`${who} ${index}`, outcome.etag);
    };
    if (expectedRead(model, index) === 'waits') real.waiting.push({ isSettled: watch(answer), check });
    else await check(model);
  });
}

function exportAll(): Command {
  return command('exportAll', async (model, real) => {
    const answer = outcomeOf(real.annotations.exportCsv());
    const check = async (later: Model) => expect(textOf(await answer)).toEqual(expectedExport(later));
    if (expectedExport(model) === 'waits') real.waiting.push({ isSettled: watch(answer), check });
    else await check(model);
  });
}

function exportEdits(): Command {
  return command('exportEdits', async (model, real) => {
    const answer = await outcomeOf(real.annotations.exportCsv({ editsOnly: true }));
    expect(textOf(answer)).toBe(
      csvText(new Map(Array.from(model.edits, ([index, { payload: value }]) => [index, value]))),
    );
  });
}

/** An export whose client starts reading only after other clients have edited. */
function exportThenEdit(later: [number, AnnotationPayload][]): Command {
  return command(`exportThenEdit(${JSON.stringify(later)})`, async (model, real) => {
    const expected = expectedExport(model);
    if (expected === 'waits' || model.isClosed) return;
    const begun = await outcomeOf(real.annotations.exportCsv());
    for (const [index, value] of later) {
      model.edits.set(index, toAnswer(await real.annotations.replace(index, toBody(value))));
    }
    expect(textOf(begun)).toBe(expected);
  });
}

function endScan(): Command {
  return command('endScan', async (model, real) => {
    real.files.endScan();
    if (model.phase !== 'waiting') return;
    await real.importBegan;
    model.phase = 'running';
  });
}

function cancelScan(): Command {
  return command('cancelScan', async (model, real) => {
    real.files.endScan('cancelled');
    if (model.phase !== 'waiting') return;
    model.phase = 'failed';
    await settleWaiting(model, real);
  });
}

function endImport(): Command {
  return command('endImport', async (model, real) => {
    if (model.phase !== 'running') return;
    real.letImportEnd();
    model.phase = model.rows === 'invalid' ? 'failed' : 'done';
    await settleWaiting(model, real);
  });
}

function shutDown(): Command {
  return command('shutDown', async (model, real) => {
    real.annotations.close();
    model.isClosed = true;
    if (model.phase !== 'waiting' && model.phase !== 'running') return;
    model.phase = 'stopped';
    await settleWaiting(model, real);
  });
}

function toBody(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

function toAnswer({ rois, etag }: StoredAnnotation): Answer {
  return { payload: unpackRois(rois), etag };
}

function watch(answer: Promise<unknown>): () => boolean {
  let settled = false;
  void answer.then(() => (settled = true));
  return () => settled;
}

async function settleWaiting(model: Model, real: Real): Promise<void> {
  await real.annotations.imported;
  for (const { check } of real.waiting.splice(0)) await check(model);
}

type Put = { index: number; value: AnnotationPayload; ifMatch: string | undefined };

function expectedPut(model: Model, { index, value, ifMatch }: Put): Answer | string {
  const current = model.edits.get(index)?.etag ?? `"${INSTANCE}-0"`;
  if (model.isClosed) return 'shutting_down';
  if (ifMatch !== undefined && ifMatch !== '*' && ifMatch !== current) return 'stale_annotation';
  const revision = Number(/\d+/.exec(current)?.[0]);
  return { payload: value, etag: `"${INSTANCE}-${revision + 1}"` };
}

function expectedRead(model: Model, index: number): Answer | string {
  const edit = model.edits.get(index);
  if (edit !== undefined) return edit;
  const imported = importedRows(model);
  if (typeof imported === 'string') return imported;
  return { payload: imported.get(index) ?? { num_roi: 0, roi_coords: [], roi_frames: [] }, etag: `"${INSTANCE}-0"` };
}

function expectedExport(model: Model): string {
  const imported = importedRows(model);
  if (typeof imported === 'string') return imported;
  const edited = Array.from(model.edits, ([index, { payload: value }]) => [index, value] as const);
  return csvText(new Map([...imported, ...edited]));
}

function importedRows({ phase, rows }: Model): ReadonlyMap<number, AnnotationPayload> | string {
  if (phase === 'none') return new Map();
  if (phase === 'done' && rows !== 'invalid') return rows;
  return { waiting: 'waits', running: 'waits', stopped: 'shutting_down', done: '', failed: 'annotation_import_failed' }[
    phase
  ];
}

/** The value, or the code of the failure. */
async function outcomeOf<T>(work: Promise<T> | (() => Promise<T>)): Promise<T | string> {
  try {
    return await (typeof work === 'function' ? work() : work);
  } catch (error) {
    if (!(error instanceof ViewerError)) throw error;
    return error.code;
  }
}

function textOf(exported: ExportedCsv | string): string {
  return typeof exported === 'string' ? exported : [...exported.texts].join('');
}

function csvText(rows: ReadonlyMap<number, AnnotationPayload> | 'invalid'): string {
  const header = 'anon_dicom_path,num_ROI,ROI_coords,ROI_frames\n';
  if (rows === 'invalid') return `${header}/data/a.dcm,1,"[[0,0,1,1]]",[]\n/data/b.dcm,1,[],[]\n`;
  const lines = PATHS.flatMap((path, index) => {
    const value = rows.get(index);
    if (value === undefined || value.num_roi === 0) return [];
    const frames = JSON.stringify(value.roi_frames);
    return `${path},${value.num_roi},"${JSON.stringify(value.roi_coords)}",${frames.includes(',') ? `"${frames}"` : frames}\n`;
  });
  return header + lines.join('');
}

function fileIndex() {
  return fc.nat(PATHS.length - 1);
}

function client() {
  return fc.constantFrom('Ada', 'Bob');
}

/** Canonical payloads for images of 100 rows, 200 columns and 5 frames. */
function payload(): fc.Arbitrary<AnnotationPayload> {
  const box = fc.tuple(fc.nat(9), fc.nat(9)).map(([y, x]): RoiBox => [y, x, y + 1, x + 2]);
  // At most four frames: the canonical form of all five is an empty list.
  const frames = fc.subarray([0, 1, 2, 3, 4], { maxLength: 4 });
  return fc.array(fc.tuple(box, frames), { maxLength: 3 }).map((rois) => ({
    num_roi: rois.length,
    roi_coords: rois.map(([coords]) => coords),
    roi_frames: rois.every(([, list]) => list.length === 0) ? [] : rois.map(([, list]) => list),
  }));
}

function brokenPayload() {
  return fc.constantFrom(
    { num_roi: 2, roi_coords: [[0, 0, 1, 1]] },
    {
      num_roi: 2,
      roi_coords: [
        [0, 0, 1, 1],
        [0, 0, 101, 1],
      ],
      roi_frames: [],
    },
    { num_roi: 1, roi_coords: [[0, 0, 1, 1]], roi_frames: [[5]] },
  );
}

/** Undefined means that no CSV was given. Every row has ROIs, because a file without ROIs has no row. */
function csvRows(): fc.Arbitrary<Model['rows'] | undefined> {
  const some = payload().filter(({ num_roi }) => num_roi > 0);
  const rows = fc
    .uniqueArray(fc.tuple(fileIndex(), some), { selector: ([index]) => index })
    .map((entries) => new Map(entries));
  return fc.oneof({ weight: 4, arbitrary: rows }, fc.constant('invalid' as const), fc.constant(undefined));
}
