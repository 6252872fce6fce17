import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type RoiMark, roisByFile } from '../../src/web/draw/marks/rois/roi.ts';
import { roiBackendOf } from '../../src/web/draw/marks/rois/roiBackend.ts';
import { roisOf } from '../../src/web/draw/marks/rois/roiFiles.ts';
import { syncRois } from '../../src/web/draw/marks/rois/syncRois.ts';
import { hasUnsavedWork } from '../../src/web/draw/marks/sync/guardTab.ts';
import { markSyncOf } from '../../src/web/draw/marks/sync/markKind.ts';
import { markRequestsOf } from '../../src/web/draw/marks/sync/markRequests.ts';
import { keepMissing } from '../../src/web/draw/marks/sync/parkedMarks.ts';
import { syncMarks } from '../../src/web/draw/marks/sync/syncMarks.ts';
import { libraryOf } from '../../src/web/kit/state/library.ts';
import { noteMarkNews } from '../../src/web/kit/state/markNews.ts';
import { createPage, type Page } from '../../src/web/kit/state/page.ts';
import { stepsOf } from '../../src/web/kit/state/stepHistory.ts';
import { createFileRecord } from '../support/createFileRecord.ts';
import { createTempFolder } from '../support/tempFolder.ts';
import { editMarks, FORMS, listForms, marksText, markTokens } from './tabs/marksOfTab.ts';
import { answerQuestions, editRois, ROI_SCOPES, roiTokens, showTiles, TILED } from './tabs/roisOfTab.ts';
import { connect, describeFile, NAMES, type Network, restartServer, startServer, wake } from './tabs/tabServer.ts';

/** NEGATO_SEQUENCES=50000 npx vitest run --project fast test/marks/tabs.test.ts */
const SEQUENCES = Number(process.env['NEGATO_SEQUENCES'] ?? 25);

const TABS = 2;
/** In place of a tab: nobody has it any more, because a server or a tab has ended that alone had it. */
const ENDED = -1;

const tab = fc.nat(TABS - 1);
const mark = fc.nat(3);
const markEdits = [
  { weight: 5, arbitrary: fc.record({ do: fc.constant('create' as const), tab, form: fc.constantFrom(...FORMS) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('label' as const), tab, mark }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('move' as const), tab, mark }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('paint' as const), tab, mark, slice: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('erase' as const), tab, mark, slice: fc.nat(1) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), tab, mark }) },
];
const roiEdits = [
  { weight: 6, arbitrary: fc.record({ do: fc.constant('drawRoi' as const), tab, on: fc.constantFrom(...ROI_SCOPES) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('moveRoi' as const), tab, mark }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('deleteRoi' as const), tab, mark }) },
  /** The answer to the question what becomes of ROIs that two tabs have changed. */
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('answer' as const),
      tab,
      choice: fc.constantFrom('mine' as const, 'theirs' as const, 'both' as const),
    }),
  },
];
const otherSteps = [
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
  /** The tab ends with what only it has, and is opened again. */
  { weight: 1, arbitrary: fc.record({ do: fc.constant('crash' as const), tab }) },
  /** The process of the server ends; what it has kept is restored or offered, or it has kept nothing. */
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('restart' as const),
      keeps: fc.constantFrom('restored' as const, 'offered' as const, 'lost' as const),
      /** Whether the tabs know at once that these are all files. */
      isScanned: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restore' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('scanned' as const), tab }) },
];
const step = fc.oneof(...markEdits, ...roiEdits, ...otherSteps);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;
type Edit = Exclude<Step, { do: 'network' | 'news' | 'rest' | 'reload' | 'crash' | 'restart' | 'restore' | 'scanned' }>;

const LENGTHS = { minLength: 1, maxLength: 24 };
/** All steps, or those of ROIs only, which meet each other more often then. */
const sequence: fc.Arbitrary<readonly Step[]> = fc.oneof(
  fc.array(step, LENGTHS),
  fc.array(fc.oneof(...roiEdits, ...otherSteps), LENGTHS),
);

test('whatever two tabs do, offline and over restarts, nothing of either is lost, and both end as the server has it', async () => {
  await fc.assert(
    fc.asyncProperty(sequence, async (steps) => {
      expect(await play(steps)).toEqual([]);
    }),
    { numRuns: SEQUENCES },
  );
}, 36_000_000);

type Tab = {
  readonly page: Page;
  readonly network: Network;
  /** What the page had when the server was restarted, until all of it was met. */
  held: ReadonlySet<string>;
  /** What was put on the page by its user. */
  readonly put: Set<string>;
  readonly end: () => void;
};

/**
 * Returns what is wrong. Each label, each geometry, each painted pixel and each ROI is written once and has a number. It
 * must be on the server in the end, unless a tab took it away that had it on its page.
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
  let server = await startServer(NAMES, join(createTempFolder(), 'state'));
  let runs = 0;
  const tabs: Tab[] = Array.from({ length: TABS }, () => openTab());
  try {
    for (const one of steps) await take(one);
    await server.marks.recover('restore');
    await server.rois.recover('restore');
    // The journal is written to a real disk, which takes its time.
    for (let round = 0; round < 2_000 && !(await areAllSettled()); round += 1) {
      for (const { page, network } of tabs) {
        showFiles(page);
        setNetwork(page, network, 'up');
        keepMissing(page);
        markSyncOf(page).retry();
        roisOf(page).retry();
        answerQuestions(page, 'both', server.order);
      }
      await letRun(10);
      for (const { page } of tabs) hearNews(page);
      await delay(round < 10 ? 1 : 10);
    }
    const found = new Set(await tokensOfServer());
    for (const token of written) if (takersOf(token).size === 0 && !found.has(token)) wrong.push({ lost: token });
    for (const token of found) if (!written.has(token)) wrong.push({ invented: token });
    const wanted = await textOfServer();
    for (const [n, { page }] of tabs.entries()) {
      const shown = textOfPage(page);
      if (shown !== wanted) wrong.push({ tab: n, shown, wanted });
      if (hasUnsavedWork(page)) wrong.push({ tab: n, unsaved: true });
    }
  } finally {
    for (const { end } of tabs) end();
    await server.close();
  }
  return wrong;

  function openTab(state: Network['state'] = 'up'): Tab {
    const network: Network = { state, waiting: new Set() };
    const page = createPage();
    const requests = connect(() => server, network);
    Object.assign(markRequestsOf(page), requests.marks);
    Object.assign(roiBackendOf(page), requests.rois);
    showFiles(page);
    const stops = [syncRois(page), syncMarks(page), libraryOf(page).subscribe(() => readRois(page))];
    readRois(page);
    const end = () => {
      network.state = 'gone';
      for (const stop of stops) stop();
    };
    return { page, network, held: new Set(), put: new Set(), end };
  }

  function showFiles(page: Page, isScanned = true): void {
    libraryOf(page).setState(({ summary }) => ({
      connection: 'live',
      serverRuns: runs,
      files: server.order.map((name, index) => {
        const { path, uid, rows, columns, frames } = describeFile(name);
        return createFileRecord(index, { path, sop_instance_uid: uid, rows, columns, frame_count: frames });
      }),
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what parking and ROIs ask for
      summary: {
        ...summary,
        scan_complete: isScanned,
        more: false,
        annotations: { import_state: 'none' },
      } as unknown as NonNullable<typeof summary>,
    }));
    showTiles(page, server.order.indexOf(TILED));
  }

  function tokensOfPage(page: Page): readonly string[] {
    const { order } = server;
    const marks = listForms(page).flatMap((form) => markTokens(form, order));
    // What was drawn before the ROIs of its file were read.
    const waiting = roisOf(page)
      .listWork()
      .flatMap(({ fileIndex, rois, areAll }) => (areAll ? [] : roiTokens(new Map([[fileIndex, rois]]), order)));
    return [...marks, ...roiTokens(roisByFile(page), order), ...waiting];
  }

  async function tokensOfServer(): Promise<readonly string[]> {
    const { order } = server;
    const marks = await server.listMarks();
    return [...marks.flatMap((one) => markTokens(one, order)), ...roiTokens(await server.listRois(), order)];
  }

  function textOfPage(page: Page): string {
    return marksText(listForms(page), server.order) + roisText(roisByFile(page));
  }

  async function textOfServer(): Promise<string> {
    return marksText(await server.listMarks(), server.order) + roisText(await server.listRois());
  }

  function roisText(lists: ReadonlyMap<number, readonly RoiMark[]>): string {
    const named = NAMES.map((name) => lists.get(server.order.indexOf(name)) ?? []);
    return JSON.stringify(named.map((rois) => rois.map(({ box, frames }) => [box, frames])));
  }

  async function areAllSettled(): Promise<boolean> {
    const wanted = await textOfServer();
    return tabs.every(({ page }) => !hasUnsavedWork(page) && textOfPage(page) === wanted);
  }

  async function take(one: Step): Promise<void> {
    if (one.do === 'rest') await letRun(one.turns);
    else if (one.do === 'restart') await restart(one);
    else if (one.do === 'restore') {
      await Promise.all([server.marks.recover('restore'), server.rois.recover('restore')]);
    } else {
      const old = tabs[one.tab]!;
      if (one.do === 'network') setNetwork(old.page, old.network, one.is);
      else if (one.do === 'news') hearNews(old.page);
      else if (one.do === 'scanned') showFiles(old.page);
      else if (one.do === 'reload') {
        if (!hasUnsavedWork(old.page)) reopen(one.tab);
      } else if (one.do === 'crash') await crash(one.tab);
      else edit(old, one);
    }
  }

  function edit({ page, put }: Tab, one: Edit): void {
    count += 1;
    const before = new Set(tokensOfPage(page));
    const writing = { count, order: server.order };
    let given: readonly string[] = [];
    if (one.do === 'undo') stepsOf(page).undo();
    else if (one.do === 'redo') stepsOf(page).redo();
    else if (one.do === 'answer') given = answerQuestions(page, one.choice, server.order);
    else if (one.do === 'drawRoi' || one.do === 'moveRoi' || one.do === 'deleteRoi') editRois(page, one, writing);
    else editMarks(page, one, writing);
    const after = new Set(tokensOfPage(page));
    const gone = [...before].filter((token) => !after.has(token));
    for (const token of one.do === 'answer' ? given : gone) takersOf(token).add(one.tab);
    // A step that is undone takes back what its user did, and nothing that somebody else has drawn.
    const isStep = one.do === 'undo' || one.do === 'redo';
    const ofOthers = isStep ? gone.filter((token) => token.startsWith('roi') && !put.has(token)) : [];
    if (ofOthers.length > 0) wrong.push({ undone: ofOthers });
    for (const token of after) {
      if (before.has(token)) continue;
      written.add(token);
      put.add(token);
      takersOf(token).delete(one.tab);
    }
  }

  /** What only this tab has is lost with it. What is on the server is not. */
  async function crash(n: number): Promise<void> {
    const old = tabs[n]!;
    const others = tabs.filter((one) => one !== old).flatMap(({ page, held }) => [...tokensOfPage(page), ...held]);
    reopen(n);
    const kept = new Set([...others, ...(await tokensOfServer())]);
    for (const token of written) if (!kept.has(token)) takersOf(token).add(ENDED);
  }

  function reopen(n: number): void {
    const { network, end } = tabs[n]!;
    const { state } = network;
    end();
    tabs[n] = openTab(state);
  }

  /** The files have other numbers in the next run. */
  async function restart({ keeps, isScanned }: Extract<Step, { do: 'restart' }>): Promise<void> {
    for (const one of tabs) {
      const shown = tokensOfPage(one.page);
      one.held = new Set(hasUnsavedWork(one.page) ? [...one.held, ...shown] : shown);
      libraryOf(one.page).setState({ connection: 'lost' });
    }
    // What no page has is gone with the server.
    const held = new Set(tabs.flatMap((one) => [...one.held]));
    if (keeps === 'lost') for (const token of written) if (!held.has(token)) takersOf(token).add(ENDED);
    server = await restartServer(server, keeps);
    runs += 1;
    for (const { page } of tabs) showFiles(page, isScanned);
  }
}

async function letRun(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await nextTurn();
}

/** As a page does for what is on its screen. */
function readRois(page: Page): void {
  const { files, connection } = libraryOf(page).getState();
  if (connection === 'live') for (const file of files) void roisOf(page).load(file);
}

function setNetwork(page: Page, network: Network, state: Network['state']): void {
  const isBack = network.state !== 'up' && state === 'up';
  network.state = state;
  wake(network);
  if (!isBack) return;
  libraryOf(page).setState({ connection: 'lost' });
  libraryOf(page).setState({ connection: 'live' });
}

function hearNews(page: Page): void {
  noteMarkNews(page);
  void roisOf(page)
    .reloadChanged()
    .catch(() => undefined);
}
