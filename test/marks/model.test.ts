import { cpSync, existsSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { MarksResponse, WireMark } from '../../src/shared/contract/marks.ts';
import { ViewerError } from '../../src/shared/contract/errors.ts';
import { nameJournal } from '../../src/server/work/journal/journalFile.ts';
import { MARK_FORMAT, readMarkJournal } from '../../src/server/work/marks/markFormat.ts';
import { createMarks, type MarkStore } from '../../src/server/work/marks/marks.ts';
import { createMemoryAccount } from '../../src/server/machine/memory/memoryAccount.ts';
import type { Task, TaskRunner } from '../../src/server/machine/workers/task.ts';
import { createImage, createOpenFiles } from '../support/annotatedFiles.ts';
import { createTempFolder } from '../support/tempFolder.ts';

/** NEGATO_SEQUENCES=50000 npx vitest run --project fast test/marks/model.test.ts */
const SEQUENCES = Number(process.env['NEGATO_SEQUENCES'] ?? 25);

const TABS = 2;
const WORDS = ['', 'a', 'b'] as const;
/** Of a new mask: two frames of two files each. */
const SLICES = 4;

/** What a tab does. Marks are chosen by their place in the list of all uids that were ever made. */
type Step =
  | { readonly do: 'create'; readonly tab: number; readonly file: number; readonly x: number; readonly isMask: boolean }
  | { readonly do: 'label'; readonly tab: number; readonly mark: number; readonly label: string }
  | { readonly do: 'move'; readonly tab: number; readonly mark: number; readonly x: number }
  | { readonly do: 'paint'; readonly tab: number; readonly mark: number; readonly slice: number; readonly x: number }
  | { readonly do: 'delete'; readonly tab: number; readonly mark: number }
  | { readonly do: 'deleteAll'; readonly tab: number }
  | { readonly do: 'undelete'; readonly mark: number }
  | { readonly do: 'relabelAll'; readonly label: string }
  | { readonly do: 'read'; readonly tab: number }
  | { readonly do: 'export' }
  /** Classes that no mark has. */
  | { readonly do: 'classes'; readonly keys: readonly string[] }
  /** The process ends in the middle of the step before it, or after it. */
  | { readonly do: 'crash'; readonly during: boolean };

const mark = fc.nat(2);
const tab = fc.nat(TABS - 1);
const label = fc.constantFrom(...WORDS);
const x = fc.nat(20);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('create'), tab, file: fc.nat(1), x, isMask: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('label'), tab, mark, label }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('move'), tab, mark, x }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('paint'),
      tab,
      mark,
      slice: fc.nat(SLICES - 1),
      x: fc.integer({ min: -1, max: 20 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete'), tab, mark }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('deleteAll'), tab }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('undelete'), mark }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('relabelAll'), label }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('read'), tab }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('export') }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('classes'),
      keys: fc.uniqueArray(fc.constantFrom('nodule', 'cyst', 'vessel'), { maxLength: 3 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('crash'), during: fc.boolean() }) },
);

/** What the store must have, by uid: the words, the first x, and of a mask the x of each slice, -1 where there is none. */
type State = { label: string; x: number; file: number; masks: readonly number[] };
type Expected = Map<string, State>;
type Shown = Map<string, { id: number; etag: string }>;

test('after any steps of two tabs, conflicts, undo, exports and crashes, no mark or class is lost and none is invented', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async (steps) => {
      expect(await run(steps)).toEqual([]);
    }),
    { numRuns: SEQUENCES },
  );
}, 3_600_000);

/** Returns what is wrong. */
async function run(steps: readonly Step[]): Promise<readonly unknown[]> {
  const wrong: unknown[] = [];
  let folder = join(createTempFolder(), 'state');
  let marks = await start(folder);
  const expected: Expected = new Map();
  /** Marks that are in no journal, because they were exported and not changed since. */
  const exported = new Set<string>();
  /** What was deleted, for undo. */
  const deleted: Expected = new Map();
  const uids: string[] = [];
  /** The keys of all classes, and whether no journal has them. */
  const classes = { keys: '', isExported: true };
  const tabs: Shown[] = Array.from({ length: TABS }, () => new Map());
  try {
    for (const [n, one] of steps.entries()) {
      const next = steps[n + 1];
      if (one.do === 'crash') {
        if (one.during) continue;
        ({ marks, folder } = await restart(marks, folder));
        for (const uid of exported) expected.delete(uid);
        exported.clear();
        forgetExportedClasses();
        for (const shown of tabs) shown.clear();
      } else if (next?.do === 'crash' && next.during) {
        // The step has begun; it is unknown whether it is on disk.
        const keysBefore = classes.isExported ? '' : classes.keys;
        const before = withoutExported(expected, exported);
        const running = take(one).catch(refuse);
        ({ marks, folder } = await restart(marks, folder, running));
        const after = withoutExported(expected, exported);
        const found = await listAll(marks);
        // Nobody was told that it is done, so each mark may be as before or as after.
        for (const uid of new Set([...before.keys(), ...after.keys(), ...found.keys()])) {
          const [was, is, has] = [before, after, found].map((state) => JSON.stringify(state.get(uid)));
          if (has !== was && has !== is) wrong.push({ n, uid, was, is, found: has });
        }
        replaceAll(expected, found);
        exported.clear();
        const keysAfter = one.do === 'classes' ? one.keys.join() : classes.isExported ? '' : classes.keys;
        const keys = keysOf(marks);
        if (keys !== keysBefore && keys !== keysAfter) wrong.push({ n, keysBefore, keysAfter, keys });
        Object.assign(classes, { keys, isExported: keys === '' });
        for (const shown of tabs) shown.clear();
      } else await take(one).catch(refuse);
      const [has, wanted] = [toText(await listAll(marks)), toText(expected)];
      if (has !== wanted) wrong.push({ n, has, wanted });
      if (keysOf(marks) !== classes.keys) wrong.push({ n, classes, has: keysOf(marks) });
    }
  } finally {
    marks.close();
    await marks.closeJournal();
  }
  return wrong;

  function forgetExportedClasses(): void {
    if (classes.isExported) classes.keys = '';
  }

  async function take(one: Step): Promise<void> {
    if (one.do === 'classes') {
      Object.assign(classes, { keys: one.keys.join(), isExported: one.keys.length === 0 });
      const listed = one.keys.map((key) => ({ key, title: key, color: '#ff8800' }));
      await marks.replaceScheme(toBytes({ classes: listed }));
    } else if (one.do === 'create') {
      const uid = `2.25.${uids.length + 1}`;
      uids.push(uid);
      // The model changes with the step, because the store does so before anything is awaited.
      const state = one.isMask ? { x: -1, file: -1, masks: Array<number>(SLICES).fill(one.x) } : { ...one, masks: [] };
      const { x: at, file, masks } = state;
      expected.set(uid, { label: '', x: at, file, masks });
      see(one.tab, await marks.create(toBody(uid, { label: '', x: at, file, masks })));
    } else if (one.do === 'undelete') {
      const uid = uids[one.mark];
      const was = uid === undefined ? undefined : deleted.get(uid);
      if (uid === undefined || was === undefined || expected.has(uid)) return;
      expected.set(uid, was);
      await marks.create(toBody(uid, was));
    } else if (one.do === 'relabelAll') {
      const { marks: listed } = await list(marks);
      if (listed.length === 0) return;
      for (const [uid, was] of expected) expected.set(uid, { ...was, label: one.label });
      exported.clear();
      const body = { marks: listed.map(({ id, etag }) => ({ id, etag })), change: { label: one.label } };
      await marks.changeMany(toBytes(body));
    } else if (one.do === 'read') {
      const shown = tabs[one.tab]!;
      shown.clear();
      for (const { uid, id, etag } of (await list(marks)).marks) shown.set(uid, { id, etag });
    } else if (one.do === 'export') {
      const { texts, delivered } = await marks.exportJson();
      const { marks: sent }: { marks: { uid: string }[] } = JSON.parse([...texts].join(''));
      const listed = [sent.map(({ uid }) => uid), [...expected.keys()]].map((all) => all.toSorted().join());
      if (listed[0] !== listed[1]) wrong.push({ exported: listed });
      await delivered();
      for (const uid of expected.keys()) exported.add(uid);
      classes.isExported = true;
    } else if (one.do === 'deleteAll') {
      const shown = tabs[one.tab]!;
      if (shown.size === 0) return;
      const current = new Map((await list(marks)).marks.map(({ uid, etag }) => [uid, etag]));
      const isStale = [...shown].some(([uid, { etag }]) => current.get(uid) !== etag);
      for (const uid of isStale ? [] : shown.keys()) remove(uid);
      const refusal = await marks.removeMany(toBytes({ marks: [...shown.values()] })).then(() => undefined, codeOf);
      checkRefusal(one, isStale, refusal);
      if (refusal === undefined) shown.clear();
    } else if (one.do === 'label' || one.do === 'move' || one.do === 'paint' || one.do === 'delete') {
      const uid = uids[one.mark] ?? '';
      const seen = tabs[one.tab]!.get(uid);
      if (seen === undefined) return;
      const current = (await list(marks)).marks.find((other) => other.uid === uid);
      const isStale = current?.etag !== seen.etag;
      const was = expected.get(uid);
      const next = was === undefined || one.do === 'delete' ? undefined : changed(was, one);
      // A step that the mark is not for.
      if (was !== undefined && one.do !== 'delete' && next === undefined) return;
      if (!isStale && was !== undefined) {
        exported.delete(uid);
        if (next === undefined) remove(uid);
        else expected.set(uid, next);
      }
      const wish = { ifMatch: seen.etag };
      const done = one.do === 'delete' ? marks.remove(seen.id, wish) : marks.change(seen.id, toChange(one), wish);
      const answer = await done.catch(codeOf);
      checkRefusal(one, isStale, typeof answer === 'string' ? answer : undefined);
      if (typeof answer === 'object' && 'texts' in answer) see(one.tab, answer);
    }
  }

  function remove(uid: string): void {
    const was = expected.get(uid);
    if (was !== undefined) deleted.set(uid, was);
    expected.delete(uid);
    exported.delete(uid);
  }

  function checkRefusal(one: Step, isStale: boolean, refusal: string | undefined): void {
    const isRefused = refusal === 'stale_mark' || refusal === 'mark_not_found';
    if (isRefused !== isStale && refusal !== 'shutting_down') wrong.push({ one, isStale, refusal });
  }

  /** A tab knows what it was answered. */
  function see(of: number, answer: { readonly texts: Iterable<string> }): void {
    const { uid, id, etag }: WireMark = JSON.parse([...answer.texts].join(''));
    tabs[of]!.set(uid, { id, etag });
  }
}

function keysOf(marks: MarkStore): string {
  return marks
    .scheme()
    .scheme.classes.map(({ key }) => key)
    .join();
}

function codeOf(error: unknown): string {
  return error instanceof ViewerError ? error.code : 'unknown';
}

type Change = Extract<Step, { readonly do: 'label' | 'move' | 'paint' }>;

/** Undefined if the mark is of another kind, or would have nothing left. */
function changed(was: State, one: Change): State | undefined {
  if (one.do === 'label') return { ...was, label: one.label };
  const isMask = was.masks.length > 0;
  if (isMask !== (one.do === 'paint')) return undefined;
  if (one.do === 'move') return { ...was, x: one.x };
  const masks = was.masks.with(one.slice, one.x);
  return masks.every((at) => at === -1) ? undefined : { ...was, masks };
}

function toChange(one: Change): Uint8Array {
  if (one.do === 'label') return toBytes({ label: one.label });
  return toBytes(one.do === 'move' ? { points: lineAt(one.x) } : { slices: [sliceAt(one.slice, one.x)] });
}

/** One pixel, or nothing. */
function sliceAt(slice: number, at: number) {
  const mask = { left: at, top: slice, width: 1, height: 1, runs: [0, 1] };
  return { file_index: slice >> 1, frame_index: slice & 1, points: [], ...(at >= 0 && { mask }) };
}

function refuse(error: unknown): void {
  if (!(error instanceof ViewerError && error.code === 'shutting_down')) throw error;
}

/** Ends the run as a crash does: what is on disk at this moment is all that the next run finds, and it restores that. */
async function restart(marks: MarkStore, folder: string, running?: Promise<void>) {
  const next = join(createTempFolder(), 'state');
  // Into the middle of what the step does.
  if (running !== undefined)
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resume) => setImmediate(resume));
  if (existsSync(folder)) cpSync(folder, next, { recursive: true });
  await running;
  marks.close();
  await marks.closeJournal();
  for (const name of existsSync(next) ? readdirSync(next) : []) {
    const end = name.endsWith('.new') ? '.new' : '';
    renameSync(join(next, name), join(next, nameJournal('nobody', MARK_FORMAT) + end));
  }
  return { marks: await start(next), folder: next };
}

async function start(folder: string): Promise<MarkStore> {
  const files = createOpenFiles([createImage('/data/1.dcm'), createImage('/data/2.dcm', { sopInstanceUid: '1.2.4' })]);
  const marks = createMarks({
    files,
    tasks: readHere,
    instance: 'test',
    journal: { folder, kept: 'restore' },
    memory: createMemoryAccount(2 ** 30),
    rois: async () => [],
  });
  files.endScan();
  await marks.recovered;
  return marks;
}

/** Reads journals on this thread, with the same code as in a worker. */
const readHere: TaskRunner = {
  async run<Input, Output, Of>(_: Task<Input, Output, Of>, input: Input): Promise<Output> {
    const context = { isCancelled: () => false, throwIfCancelled: () => {}, transfer: <View>(view: View) => view };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the store runs only this task for small bodies
    return (await readMarkJournal(input as { path: string }, context)) as Output;
  },
};

async function list(marks: MarkStore): Promise<Omit<MarksResponse, 'marks'> & { marks: WireMark[] }> {
  return JSON.parse([...(await marks.list({}))].join(''));
}

async function listAll(marks: MarkStore): Promise<Expected> {
  const { marks: listed } = await list(marks);
  return new Map(
    listed.map(({ uid, label: words, points, place, slices }) => {
      const file = 'file_index' in place ? place.file_index : -1;
      const masks = Array<number>(slices.length > 0 ? SLICES : 0).fill(-1);
      for (const { file_index, frame_index, mask: one } of slices)
        masks[2 * file_index + frame_index] = one?.left ?? -2;
      return [uid, { label: words, x: points[0]?.[0] ?? -1, file, masks }];
    }),
  );
}

function withoutExported(expected: Expected, exported: ReadonlySet<string>): Expected {
  return new Map([...expected].filter(([uid]) => !exported.has(uid)));
}

function replaceAll(expected: Expected, found: Expected): void {
  expected.clear();
  for (const [uid, one] of found) expected.set(uid, one);
}

function toText(marks: Expected): string {
  return JSON.stringify([...marks].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function lineAt(at: number): number[][] {
  return [
    [at, 1],
    [at + 2.5, 3],
  ];
}

function toBody(uid: string, { label: words, x: at, file, masks }: State): Uint8Array {
  if (masks.length > 0) {
    const [from, to] = [0, 1].map((index) => ({ file_index: index, frame_index: index }));
    const slices = masks.map((left, slice) => sliceAt(slice, left)).filter((slice) => 'mask' in slice);
    return toBytes({ uid, kind: 'brush', place: { type: 'stack', from, to }, points: [], slices, label: words });
  }
  const place = { type: 'frame', file_index: file, frame_index: 0 };
  return toBytes({ uid, kind: 'length', place, points: lineAt(at), label: words });
}

function toBytes(body: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(body));
}
