import { cpSync, existsSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { MarksResponse, WireMark } from '../../src/shared/contract/marks.ts';
import { ViewerError } from '../../src/shared/contract/errors.ts';
import { nameJournal } from '../../src/server/annotations/journalFile.ts';
import { MARK_FORMAT, readMarkJournal } from '../../src/server/marks/markFormat.ts';
import { createMarks, type MarkStore } from '../../src/server/marks/marks.ts';
import { createMemoryAccount } from '../../src/server/memory/memoryAccount.ts';
import type { Task, TaskRunner } from '../../src/server/workers/task.ts';
import { createImage, createOpenFiles } from '../support/annotatedFiles.ts';
import { createTempFolder } from '../support/tempFolder.ts';

/** NEGATO_SEQUENCES=50000 npx vitest run --project fast test/marks/model.test.ts */
const SEQUENCES = Number(process.env['NEGATO_SEQUENCES'] ?? 25);

const TABS = 2;
const WORDS = ['', 'a', 'b'] as const;

/** What a tab does. Marks are chosen by their place in the list of all uids that were ever made. */
type Step =
  | { readonly do: 'create'; readonly tab: number; readonly file: number; readonly x: number }
  | { readonly do: 'label'; readonly tab: number; readonly mark: number; readonly label: string }
  | { readonly do: 'move'; readonly tab: number; readonly mark: number; readonly x: number }
  | { readonly do: 'delete'; readonly tab: number; readonly mark: number }
  | { readonly do: 'undelete'; readonly mark: number }
  | { readonly do: 'relabelAll'; readonly label: string }
  | { readonly do: 'read'; readonly tab: number }
  | { readonly do: 'export' }
  /** The process ends in the middle of the step before it, or after it. */
  | { readonly do: 'crash'; readonly during: boolean };

const mark = fc.nat(2);
const tab = fc.nat(TABS - 1);
const label = fc.constantFrom(...WORDS);
const x = fc.nat(20);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('create'), tab, file: fc.nat(1), x }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('label'), tab, mark, label }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('move'), tab, mark, x }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete'), tab, mark }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('undelete'), mark }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('relabelAll'), label }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('read'), tab }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('export') }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('crash'), during: fc.boolean() }) },
);

/** What the store must have: the words and the first x of each mark, by uid. */
type Expected = Map<string, { label: string; x: number; file: number }>;
type Shown = Map<string, { id: number; etag: string }>;

test('after any steps of two tabs, conflicts, undo, exports and crashes, no mark is lost and none is invented', async () => {
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
  const tabs: Shown[] = Array.from({ length: TABS }, () => new Map());
  try {
    for (const [n, one] of steps.entries()) {
      const next = steps[n + 1];
      if (one.do === 'crash') {
        if (one.during) continue;
        ({ marks, folder } = await restart(marks, folder));
        for (const uid of exported) expected.delete(uid);
        exported.clear();
        for (const shown of tabs) shown.clear();
      } else if (next?.do === 'crash' && next.during) {
        // The step has begun; it is unknown whether it is on disk.
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
        for (const shown of tabs) shown.clear();
      } else await take(one).catch(refuse);
      const [has, wanted] = [toText(await listAll(marks)), toText(expected)];
      if (has !== wanted) wrong.push({ n, has, wanted });
    }
  } finally {
    marks.close();
    await marks.closeJournal();
  }
  return wrong;

  async function take(one: Step): Promise<void> {
    if (one.do === 'create') {
      const uid = `2.25.${uids.length + 1}`;
      uids.push(uid);
      // The model changes with the step, because the store does so before anything is awaited.
      expected.set(uid, { label: '', x: one.x, file: one.file });
      see(one.tab, await marks.create(toBody(uid, one)));
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
    } else if (one.do === 'label' || one.do === 'move' || one.do === 'delete') {
      const uid = uids[one.mark] ?? '';
      const seen = tabs[one.tab]!.get(uid);
      if (seen === undefined) return;
      const current = (await list(marks)).marks.find((other) => other.uid === uid);
      const isStale = current?.etag !== seen.etag;
      const was = expected.get(uid);
      if (!isStale && was !== undefined) {
        exported.delete(uid);
        if (one.do === 'delete') {
          deleted.set(uid, was);
          expected.delete(uid);
        } else expected.set(uid, one.do === 'label' ? { ...was, label: one.label } : { ...was, x: one.x });
      }
      const wish = { ifMatch: seen.etag };
      const done =
        one.do === 'delete'
          ? marks.remove(seen.id, wish)
          : marks.change(seen.id, toBytes(one.do === 'label' ? { label: one.label } : { points: lineAt(one.x) }), wish);
      const answer = await done.catch((error: unknown) => (error instanceof ViewerError ? error.code : 'unknown'));
      const isRefused = answer === 'stale_mark' || answer === 'mark_not_found';
      if (isRefused !== isStale && answer !== 'shutting_down') wrong.push({ one, isStale, answer });
      if (typeof answer === 'object' && 'texts' in answer) see(one.tab, answer);
    }
  }

  /** A tab knows what it was answered. */
  function see(of: number, answer: { readonly texts: Iterable<string> }): void {
    const { uid, id, etag }: WireMark = JSON.parse([...answer.texts].join(''));
    tabs[of]!.set(uid, { id, etag });
  }
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
  async run<Input, Output>(_: Task<Input, Output>, input: Input): Promise<Output> {
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
    listed.map(({ uid, label: words, points, place }) => {
      const file = 'file_index' in place ? place.file_index : -1;
      return [uid, { label: words, x: points[0]?.[0] ?? -1, file }];
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

function toBody(uid: string, { label: words = '', x: at, file }: { label?: string; x: number; file: number }) {
  const place = { type: 'frame', file_index: file, frame_index: 0 };
  return toBytes({ uid, kind: 'length', place, points: lineAt(at), label: words });
}

function toBytes(body: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(body));
}
