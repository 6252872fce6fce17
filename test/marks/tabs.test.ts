import { cpSync, existsSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  MARK_KINDS,
  type MarkKind,
  type MarkMask,
  type MarkPlace,
  type MarkPlaceType,
  MASK_TILE,
  type MarksResponse,
  type WireMark,
} from '../../src/shared/contract/marks.ts';
import { ViewerError } from '../../src/shared/contract/errors.ts';
import { traitsOf } from '../../src/shared/markTraits.ts';
import { nameJournal } from '../../src/server/work/journal/journalFile.ts';
import { MARK_FORMAT, readMarkJournal } from '../../src/server/work/marks/markFormat.ts';
import { createMarks, type MarkStore } from '../../src/server/work/marks/marks.ts';
import { createMemoryAccount } from '../../src/server/machine/memory/memoryAccount.ts';
import type { Task, TaskRunner } from '../../src/server/machine/workers/task.ts';
import { ConnectionLost, RequestRefused } from '../../src/web/kit/api/send.ts';
import { changeMasks, createBrushMark, findBrushMark } from '../../src/web/draw/marks/masks/brushes.ts';
import { removeMarks } from '../../src/web/draw/marks/removeMarks.ts';
import { changeMarkWords, findShape, keepMeasurement } from '../../src/web/draw/marks/shapes/measurements.ts';
import { hasUnsavedWork } from '../../src/web/draw/marks/sync/guardTab.ts';
import { type MarkForm, masksOf, parseFrameKey, toMeasurement } from '../../src/web/draw/marks/sync/markForm.ts';
import { findForm, listUids, markSyncOf } from '../../src/web/draw/marks/sync/markKind.ts';
import { type MarkRequests, markRequestsOf } from '../../src/web/draw/marks/sync/markRequests.ts';
import { createMarkUid } from '../../src/web/draw/marks/sync/marks.ts';
import { keepMissing, parkedMarksOf } from '../../src/web/draw/marks/sync/parkedMarks.ts';
import { syncMarks } from '../../src/web/draw/marks/sync/syncMarks.ts';
import { libraryOf } from '../../src/web/kit/state/library.ts';
import { noteMarkNews } from '../../src/web/kit/state/markNews.ts';
import { createPage, type Page } from '../../src/web/kit/state/page.ts';
import { stepsOf } from '../../src/web/kit/state/stepHistory.ts';
import { createImage, createOpenFiles } from '../support/annotatedFiles.ts';
import { createFileRecord } from '../support/createFileRecord.ts';
import { createTempFolder } from '../support/tempFolder.ts';

/** NEGATO_SEQUENCES=50000 npx vitest run --project fast test/marks/tabs.test.ts */
const SEQUENCES = Number(process.env['NEGATO_SEQUENCES'] ?? 25);

const TABS = 2;
const PATHS = ['/data/1.dcm', '/data/2.dcm', '/data/slide.dcm'];
const SLIDE = 2;
/** In place of a tab: the restarted server has it no longer, and no page had it. */
const RESTARTED = -1;
/** Every kind on every kind of place. */
const FORMS = MARK_KINDS.flatMap((kind) => traitsOf(kind).places.map((place) => ({ kind, place })));

const tab = fc.nat(TABS - 1);
const mark = fc.nat(3);
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('create' as const), tab, form: fc.constantFrom(...FORMS) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('label' as const), tab, mark }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('move' as const), tab, mark }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('paint' as const), tab, mark, slice: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('erase' as const), tab, mark, slice: fc.nat(1) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), tab, mark }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('undo' as const), tab }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('redo' as const), tab }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('network' as const),
      tab,
      is: fc.constantFrom('up' as const, 'down' as const, 'answers lost' as const),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('news' as const), tab }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('rest' as const), turns: fc.integer({ min: 1, max: 12 }) }) },
  /** The tab is closed without a question, and opened again. */
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reload' as const), tab }) },
  /** The process of the server ends; what it has kept is restored, or it has kept nothing. */
  { weight: 2, arbitrary: fc.record({ do: fc.constant('restart' as const), keeps: fc.boolean() }) },
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

test('whatever two tabs do, offline and over restarts, nothing of either is lost, and both end as the server has it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 24 }), async (steps) => {
      expect(await play(steps)).toEqual([]);
    }),
    { numRuns: SEQUENCES },
  );
}, 36_000_000);

type Network = { state: 'up' | 'down' | 'answers lost'; readonly waiting: Set<() => void> };
type Tab = { page: Page; readonly network: Network; end: () => void };

/**
 * Returns what is wrong. Each label, each geometry and each painted pixel is written once and has a number. It must be on
 * the server in the end, unless a tab took it away that had it on its page.
 */
async function play(steps: readonly Step[]): Promise<readonly unknown[]> {
  const wrong: unknown[] = [];
  let count = 0;
  const written = new Set<string>();
  /** By which tabs each was taken away. A tab that brings it back, by undo, does not decide for another one. */
  const takers = new Map<string, Set<number>>();
  const takersOf = (token: string) => {
    const known = takers.get(token) ?? new Set<number>();
    takers.set(token, known);
    return known;
  };
  let order: readonly number[] = [0, 1, 2];
  const folders = { now: join(createTempFolder(), 'state') };
  let server = await start(folders.now, order);
  let runs = 0;
  const line = { server: () => server };
  const tabs: Tab[] = Array.from({ length: TABS }, () => openTab());
  try {
    for (const one of steps) await take(one);
    // The journal is written to a real disk, which takes its time.
    for (let round = 0; round < 2_000 && !(await areAllSettled()); round += 1) {
      for (const { page, network } of tabs) {
        network.state = 'up';
        wake(network);
        keepMissing(page);
        markSyncOf(page).retry();
      }
      await letRun(10);
      for (const { page } of tabs) noteMarkNews(page);
      await delay(round < 10 ? 1 : 10);
    }
    const onServer = new Map((await list(server)).map((one) => [one.uid, one]));
    const found = new Set([...onServer.values()].flatMap((one) => tokensOf(one, order)));
    for (const token of written) if (takersOf(token).size === 0 && !found.has(token)) wrong.push({ lost: token });
    for (const token of found) if (!written.has(token)) wrong.push({ invented: token });
    for (const [n, { page }] of tabs.entries()) {
      const shown = toText(listForms(page), order);
      const wanted = toText([...onServer.values()], order);
      if (shown !== wanted) wrong.push({ tab: n, shown, wanted });
      if (hasUnsavedWork(page)) wrong.push({ tab: n, unsaved: true });
    }
  } finally {
    for (const { end } of tabs) end();
    server.close();
    await server.closeJournal();
  }
  return wrong;

  function openTab(network: Network = { state: 'up', waiting: new Set() }): Tab {
    const page = createPage();
    Object.assign(markRequestsOf(page), connect(line.server, network));
    showFiles(page);
    const end = syncMarks(page);
    return { page, network, end };
  }

  function showFiles(page: Page): void {
    libraryOf(page).setState(({ summary }) => ({
      connection: 'live',
      serverRuns: runs,
      files: order.map((of, index) => createFileRecord(index, { path: PATHS[of]!, sop_instance_uid: `1.2.${of}` })),
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what parking asks for
      summary: { ...summary, scan_complete: true, more: false } as NonNullable<typeof summary>,
    }));
  }

  async function areAllSettled(): Promise<boolean> {
    const wanted = toText(await list(server), order);
    return tabs.every(({ page }) => !hasUnsavedWork(page) && toText(listForms(page), order) === wanted);
  }

  async function take(one: Step): Promise<void> {
    if (one.do === 'rest') await letRun(one.turns);
    else if (one.do === 'network') {
      const { network } = tabs[one.tab]!;
      network.state = one.is;
      wake(network);
    } else if (one.do === 'news') noteMarkNews(tabs[one.tab]!.page);
    else if (one.do === 'reload') {
      const old = tabs[one.tab]!;
      if (hasUnsavedWork(old.page)) return;
      old.end();
      tabs[one.tab] = openTab(old.network);
    } else if (one.do === 'restart') await restart(one.keeps);
    else {
      const { page } = tabs[one.tab]!;
      const before = new Set(listForms(page).flatMap((form) => tokensOf(form, order)));
      edit(page, one);
      const after = new Set(listForms(page).flatMap((form) => tokensOf(form, order)));
      for (const token of before) if (!after.has(token)) takersOf(token).add(one.tab);
      for (const token of after) {
        if (before.has(token)) continue;
        written.add(token);
        takersOf(token).delete(one.tab);
      }
    }
  }

  function edit(page: Page, one: Extract<Step, { tab: number }>): void {
    count += 1;
    if (one.do === 'undo') stepsOf(page).undo();
    else if (one.do === 'redo') stepsOf(page).redo();
    else if (one.do === 'create') create(page, one.form);
    else if ('mark' in one) {
      const uid = listUids(page)[one.mark];
      const form = uid === undefined ? undefined : findForm(page, uid);
      if (uid === undefined || form === undefined) return;
      const item = findShape(page, uid);
      const mask = findBrushMark(page, uid);
      if (one.do === 'label') changeMarkWords(page, [uid], { label: labelOf(count) });
      else if (one.do === 'delete') removeMarks(page, [uid]);
      else if (one.do === 'move') {
        if (item === undefined || form.place.type === 'volume' || form.place.type === 'stack') return;
        const moved = toMeasurement(uid, { ...form, points: pointsOf(form.kind, count) });
        if (moved !== undefined) keepMeasurement(page, moved);
      } else if ((one.do === 'paint' || one.do === 'erase') && mask !== undefined) {
        const file = 'file_index' in form.place ? form.place.file_index : order.indexOf(one.slice);
        const key = mask.slide === undefined ? `${order.indexOf(one.slice)} 0` : `${file} ${one.slice}`;
        const known = mask.slices.get(key);
        const next =
          one.do === 'erase' ? null : addPixel(known, pixelOf(count, mask.slide === undefined ? 0 : one.slice));
        if (next !== null || known !== undefined) changeMasks(page, mask, new Map([[key, next]]));
      }
    }
  }

  function create(page: Page, { kind, place }: (typeof FORMS)[number]): void {
    const words = { label: labelOf(count), class: null, text: '', comment: '', author: '', locked: false };
    const file = order.indexOf(place === 'slide' ? SLIDE : count % 2);
    if (kind === 'brush') {
      const slide = place === 'slide' ? { fileIndex: file, step: 1 } : undefined;
      const made = createBrushMark(page, slide);
      changeMasks(page, { ...made, words }, new Map([[`${file} 0`, pixelOf(count, 0)]]));
      return;
    }
    const form: MarkForm = { kind, ...words, ...geometryOf(kind, place, { file, count, order }) };
    const item = toMeasurement(createMarkUid(), form);
    if (item === undefined) throw new Error(`the page does not draw a ${kind} on a ${place}`);
    keepMeasurement(page, item);
  }

  /** The files have other numbers in the next run. */
  async function restart(keeps: boolean): Promise<void> {
    for (const { page } of tabs) libraryOf(page).setState({ connection: 'lost' });
    server.close();
    const next = join(createTempFolder(), 'state');
    if (keeps && existsSync(folders.now)) cpSync(folders.now, next, { recursive: true });
    await server.closeJournal();
    for (const name of existsSync(next) ? readdirSync(next) : []) {
      const end = name.endsWith('.new') ? '.new' : '';
      renameSync(join(next, name), join(next, nameJournal('nobody', MARK_FORMAT) + end));
    }
    if (!keeps) {
      // What no page has is gone with the server.
      const shown = new Set(tabs.flatMap(({ page }) => listForms(page)).flatMap((form) => tokensOf(form, order)));
      const waiting = tabs.flatMap(({ page }) => parkedMarksOf(page).getState().missing);
      if (waiting.length === 0) for (const token of written) if (!shown.has(token)) takersOf(token).add(RESTARTED);
    }
    order = order.toReversed();
    folders.now = next;
    server = await start(next, order);
    runs += 1;
    for (const { page } of tabs) showFiles(page);
  }
}

function labelOf(count: number): string {
  return `label ${count}`;
}

/** Its first x has the number. */
function pointsOf(kind: MarkKind, count: number): number[][] {
  return Array.from({ length: traitsOf(kind).points[0] }, (_, n) => [1 + count + n * 0.25, 2 + n * n]);
}

type Made = { readonly file: number; readonly count: number; readonly order: readonly number[] };

function geometryOf(
  kind: MarkKind,
  type: MarkPlaceType,
  { file, count, order }: Made,
): Pick<MarkForm, 'place' | 'points' | 'slices'> {
  const at = { file_index: file, frame_index: 0 };
  const points = pointsOf(kind, count);
  const patient = { frame_of_reference_uid: '1.2.9', position: [count, 2, 3], orientation: [1, 0, 0, 0, 1, 0] };
  if (type === 'frame') return { place: { type, ...at }, points };
  if (type === 'slide') return { place: { type, file_index: file, focal_plane_um: null }, points };
  if (type === 'volume') return { place: { type, ...at, ...patient, size: [4, 5, 6] }, points: [] };
  if (type === 'plane') return { place: { type, ...at, ...patient, spacing: [1, 1], slab_mm: 0, time: 0 }, points };
  const [from, to] = [0, 1].map((of) => ({ file_index: order.indexOf(of), frame_index: 0 }));
  const slices = [from!, to!].map((slice) => ({ ...slice, points }));
  return {
    place: { type, from: from!, to: to! },
    points: [],
    slices: slices.toSorted((a, b) => a.file_index - b.file_index),
  };
}

/** One pixel in a tile, or in a frame of 200 columns. */
function pixelOf(count: number, tile: number): MarkMask {
  return { left: tile * MASK_TILE + (count % 100), top: Math.floor(count / 100), width: 1, height: 1, runs: [0, 1] };
}

function addPixel(known: MarkMask | undefined, pixel: MarkMask): MarkMask {
  const pixels = new Set([...(known === undefined ? [] : pixelsOf(known)), ...pixelsOf(pixel)]);
  const places = [...pixels].map((one) => one.split(' ').map(Number));
  const [left, top] = [Math.min(...places.map(([x]) => x!)), Math.min(...places.map(([, y]) => y!))];
  const width = Math.max(...places.map(([x]) => x!)) - left + 1;
  const height = Math.max(...places.map(([, y]) => y!)) - top + 1;
  const runs: number[] = [];
  let isIn = false;
  let run = 0;
  for (let at = 0; at < width * height; at += 1) {
    const bit = pixels.has(`${left + (at % width)} ${top + Math.floor(at / width)}`);
    if (bit !== isIn) {
      runs.push(run);
      run = 0;
      isIn = bit;
    }
    run += 1;
  }
  return { left, top, width, height, runs: [...runs, run] };
}

function pixelsOf({ left, top, width, runs }: MarkMask): readonly string[] {
  const pixels: string[] = [];
  let at = 0;
  for (const [n, run] of runs.entries()) {
    for (const end = at + run; at < end; at += 1) {
      if (n % 2 === 1) pixels.push(`${left + (at % width)} ${top + Math.floor(at / width)}`);
    }
  }
  return pixels;
}

/** What a mark says: its label, its geometry or its pixels, with names of files that are the same in each run. */
function tokensOf(
  form: Pick<MarkForm, 'kind' | 'place' | 'points' | 'slices' | 'label'>,
  order: readonly number[],
): readonly string[] {
  if (form.kind === 'brush') {
    const pixels = [...masksOf(form)].flatMap(([key, mask]) => {
      const { fileIndex, frame } = parseFrameKey(key);
      return pixelsOf(mask).map((pixel) => `pixel ${pixel} on ${order[fileIndex]}, ${frame}`);
    });
    return [form.label, ...pixels];
  }
  return [form.label, `${form.kind} ${geometryText(form, order)}`];
}

function geometryText(
  { place, points, slices = [] }: Pick<MarkForm, 'place' | 'points' | 'slices'>,
  order: readonly number[],
): string {
  const name = (file: number) => order[file];
  const where: MarkPlace =
    place.type === 'stack'
      ? {
          type: 'stack',
          from: { ...place.from, file_index: name(place.from.file_index)! },
          to: { ...place.to, file_index: name(place.to.file_index)! },
        }
      : { ...place, file_index: name(place.file_index)! };
  const outlines = slices.map(({ file_index, ...slice }) => ({ file: name(file_index), ...slice }));
  return JSON.stringify([where, points, outlines.toSorted((a, b) => (a.file ?? 0) - (b.file ?? 0))]);
}

function listForms(page: Page): readonly (MarkForm & { readonly uid: string })[] {
  return listUids(page).flatMap((uid) => {
    const form = findForm(page, uid);
    return form === undefined ? [] : [{ ...form, uid }];
  });
}

function toText(
  marks: readonly (Parameters<typeof tokensOf>[0] & { readonly uid: string })[],
  order: readonly number[],
): string {
  return JSON.stringify(
    marks.map((one) => [one.uid, tokensOf(one, order).toSorted()]).toSorted(([a], [b]) => (a! < b! ? -1 : 1)),
  );
}

async function letRun(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await nextTurn();
}

function toMark({ texts }: { readonly texts: Iterable<string> }): WireMark {
  return JSON.parse([...texts].join(''));
}

function bytes(body: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(body));
}

function wake({ waiting }: Network): void {
  for (const resume of waiting) resume();
  waiting.clear();
}

/** The requests of a page over a network that can fail. */
function connect(server: () => MarkStore, network: Network): Partial<MarkRequests> {
  const pass = async <Answer>(action: (store: MarkStore) => Promise<Answer>): Promise<Answer> => {
    const store = server();
    await nextTurn();
    if (network.state === 'down') throw new ConnectionLost('the server does not respond');
    const answer = await action(store).catch((error: unknown) => {
      if (error instanceof ViewerError) throw new RequestRefused({ code: error.code, error: error.message });
      throw error;
    });
    await nextTurn();
    if (network.state === 'answers lost') throw new ConnectionLost('the server does not respond');
    return answer;
  };
  return {
    list: (since) =>
      pass(async (store): Promise<Omit<MarksResponse, 'marks'> & { marks: WireMark[] }> =>
        JSON.parse([...(await store.list({ kind: [...MARK_KINDS], ...(since !== undefined && { since }) }))].join('')),
      ),
    read: (id) => pass(async (store) => toMark(await store.read(id))),
    create: (body) => pass(async (store) => toMark(await store.create(bytes(body)))),
    change: (id, body, ifMatch) => pass(async (store) => toMark(await store.change(id, bytes(body), { ifMatch }))),
    replace: (id, body, ifMatch) => pass(async (store) => toMark(await store.replace(id, bytes(body), { ifMatch }))),
    remove: (id, ifMatch) => pass(async (store) => ({ id, ...(await store.remove(id, { ifMatch })) })),
    changeMany: (body) => pass((store) => store.changeMany(bytes(body))),
    removeMany: (body) => pass((store) => store.removeMany(bytes(body))),
    readLabels: () => pass(async (store) => store.scheme()),
    readJournal: () =>
      pass(async () => ({ state: 'on', error: null, folder: null, searched: true, kept: null, unread: [] })),
    wait: async (_, signal) => {
      if (network.state === 'up') await nextTurn();
      else {
        await new Promise<void>((resolve) => {
          network.waiting.add(resolve);
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
      }
    },
  };
}

async function start(folder: string, order: readonly number[]): Promise<MarkStore> {
  const files = createOpenFiles(
    order.map((of) =>
      createImage(PATHS[of]!, {
        sopInstanceUid: `1.2.${of}`,
        ...(of === SLIDE && { placement: { slide: { totalRows: 1024, totalColumns: 1024 } } }),
      }),
    ),
  );
  const marks = createMarks({
    files,
    tasks: readHere,
    instance: `run ${folder}`,
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

async function list(marks: MarkStore): Promise<WireMark[]> {
  const { marks: listed }: { marks: WireMark[] } = JSON.parse([...(await marks.list({}))].join(''));
  return listed;
}
