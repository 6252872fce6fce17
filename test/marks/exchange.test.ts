import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import * as fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { listChosenBoxes, listChosenRois, turnIntoBoxes, turnIntoRois } from '../../src/web/draw/marks/exchangeRois.ts';
import { roisByFile } from '../../src/web/draw/marks/rois/roi.ts';
import { addRoi } from '../../src/web/draw/marks/rois/roiActions.ts';
import { roiBackendOf } from '../../src/web/draw/marks/rois/roiBackend.ts';
import { roisOf } from '../../src/web/draw/marks/rois/roiFiles.ts';
import { syncRois } from '../../src/web/draw/marks/rois/syncRois.ts';
import { hasUnsavedWork } from '../../src/web/draw/marks/sync/guardTab.ts';
import { listUids, markSyncOf } from '../../src/web/draw/marks/sync/markKind.ts';
import { markRequestsOf } from '../../src/web/draw/marks/sync/markRequests.ts';
import { chooseMarks, marksOf } from '../../src/web/draw/marks/sync/marks.ts';
import { syncMarks } from '../../src/web/draw/marks/sync/syncMarks.ts';
import { RequestRefused } from '../../src/web/kit/api/send.ts';
import { findFile, libraryOf } from '../../src/web/kit/state/library.ts';
import { createPage, type Page } from '../../src/web/kit/state/page.ts';
import { stepsOf } from '../../src/web/kit/state/stepHistory.ts';
import { createFileRecord } from '../support/createFileRecord.ts';
import { createTempFolder } from '../support/tempFolder.ts';
import {
  connect,
  describeFile,
  type Network,
  readWhatIsKept,
  startServer,
  type TabServer,
  wake,
} from './tabs/tabServer.ts';

const SEQUENCES = Number(process.env['NEGATO_SEQUENCES'] ?? 20);

const STATES = ['up', 'down', 'answers lost'] as const;
const step = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ do: 'turn' } as const) },
  { weight: 2, arbitrary: fc.constant({ do: 'undo' } as const) },
  { weight: 1, arbitrary: fc.constant({ do: 'redo' } as const) },
  { weight: 1, arbitrary: fc.constant({ do: 'draw' } as const) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('network' as const),
      of: fc.constantFrom('marks' as const, 'rois' as const),
      is: fc.constantFrom(...STATES),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('rest' as const), turns: fc.integer({ min: 1, max: 8 }) }) },
);
/** The request of one of both does not arrive; first when they are exchanged, then when that is undone. */
const EXAMPLES: readonly [Step[]][] = (['marks', 'rois'] as const).flatMap((of): [Step[]][] =>
  STATES.slice(1).map((is) => [
    [
      { do: 'turn' },
      { do: 'rest', turns: 8 },
      { do: 'network', of, is },
      { do: 'turn' },
      { do: 'rest', turns: 8 },
      { do: 'undo' },
      { do: 'rest', turns: 8 },
    ],
  ]),
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

test('whenever the server is killed while ROIs become boxes and boxes ROIs, it has kept one of both', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      expect(await play(steps)).toEqual([]);
    }),
    { numRuns: SEQUENCES, examples: [...EXAMPLES] },
  );
}, 36_000_000);

test('a ROI stays while the server refuses the box that is made of it', async () => {
  const { page, server } = await openWithRoi();
  Object.assign(markRequestsOf(page), {
    create: () => Promise.reject(new RequestRefused({ code: 'too_many_marks', error: 'too many marks' })),
  });
  turnChosen(page);
  await letRun(20);
  await markSyncOf(page).settled();
  expect(await countOf(server)).toEqual({ rois: 1, boxes: 0 });
  expect(countOnPage(page)).toEqual({ rois: 1, boxes: 1 });

  stepsOf(page).undo();
  await settle(page);
  expect(await countOf(server)).toEqual({ rois: 1, boxes: 0 });
  expect(countOnPage(page)).toEqual({ rois: 1, boxes: 0 });
});

test('a ROI stays while the disk does not take the box that is made of it', async () => {
  const { page, server } = await openWithRoi();
  const { readJournal } = markRequestsOf(page);
  Object.assign(markRequestsOf(page), {
    readJournal: async (signal: AbortSignal) => ({ ...(await readJournal(signal)), state: 'failing' }),
  });
  turnChosen(page);
  await letRun(20);
  await delay(50);
  expect(await countOf(server)).toEqual({ rois: 1, boxes: 1 });
  expect(hasUnsavedWork(page)).toBe(true);

  Object.assign(markRequestsOf(page), { readJournal });
  await settle(page);
  expect(await countOf(server)).toEqual({ rois: 0, boxes: 1 });
});

test('a ROI that is moved while it becomes a box stays beside the box', async () => {
  const { page, server, networks } = await openWithRoi();
  setNetwork(page, networks.marks, 'down');
  turnChosen(page);
  roisOf(page).edit(0, (rois) => rois.map((roi) => ({ ...roi, box: [20, 20, 30, 30] })));
  setNetwork(page, networks.marks, 'up');
  await settle(page);
  expect(await countOf(server)).toEqual({ rois: 1, boxes: 1 });
});

test('a ROI that is drawn while another one becomes a box can be undone alone', async () => {
  const { page, server, networks } = await openWithRoi();
  setNetwork(page, networks.marks, 'down');
  turnChosen(page);
  addRoi(page, findFile(page, 0)!, [40, 40, 50, 50], 0);
  setNetwork(page, networks.marks, 'up');
  await settle(page);
  expect(await countOf(server)).toEqual({ rois: 1, boxes: 1 });

  stepsOf(page).undo();
  await settle(page);
  expect(await countOf(server)).toEqual({ rois: 0, boxes: 1 });
  stepsOf(page).undo();
  await settle(page);
  expect(await countOf(server)).toEqual({ rois: 1, boxes: 0 });
  stepsOf(page).redo();
  stepsOf(page).redo();
  await settle(page);
  expect(await countOf(server)).toEqual({ rois: 1, boxes: 1 });
});

/** Returns what is wrong. One place on the image is a ROI or a box, and neither may be missing from what is kept. */
async function play(steps: readonly Step[]): Promise<readonly unknown[]> {
  const wrong: unknown[] = [];
  const { page, server, networks } = await openWithRoi();
  let drawn = 0;
  for (const [n, one] of steps.entries()) {
    if (one.do === 'turn') turnChosen(page);
    else if (one.do === 'undo') {
      // The ROI of the beginning was drawn, too.
      if (stepsOf(page).store.getState().done.length > 1) stepsOf(page).undo();
    } else if (one.do === 'redo') stepsOf(page).redo();
    else if (one.do === 'draw') {
      const { selected, chosen } = marksOf(page).getState();
      drawn += 1;
      addRoi(page, findFile(page, 1)!, [drawn, 3, drawn + 5, 9], 0);
      chooseMarks(page, chosen, selected);
    } else if (one.do === 'network') setNetwork(page, networks[one.of], one.is);
    else {
      for (let turn = 0; turn < one.turns; turn += 1) {
        // The disk takes its time.
        await (turn % 2 === 0 ? nextTurn() : delay(2));
        const { rois, boxes } = await readWhatIsKept(server, countOf);
        if (rois + boxes === 0) wrong.push({ step: n, turn, rois, boxes });
      }
    }
  }
  for (const network of Object.values(networks)) setNetwork(page, network, 'up');
  await settle(page);
  const kept = await countOf(server);
  if (kept.rois + kept.boxes !== 1) wrong.push({ end: kept });
  const shown = countOnPage(page);
  if (JSON.stringify(shown) !== JSON.stringify(kept)) wrong.push({ shown, kept });
  return wrong;
}

type Count = { readonly rois: number; readonly boxes: number };

/** On the first file. */
async function countOf(server: TabServer): Promise<Count> {
  const [marks, rois] = await Promise.all([server.listMarks(), server.listRois()]);
  return { rois: rois.get(0)?.length ?? 0, boxes: marks.length };
}

function countOnPage(page: Page): Count {
  return { rois: roisByFile(page).get(0)?.length ?? 0, boxes: listUids(page).length };
}

function turnChosen(page: Page): void {
  if (listChosenRois(page).length > 0) turnIntoBoxes(page);
  else if (listChosenBoxes(page).length > 0) turnIntoRois(page);
}

/** A page on a server with one ROI, which is kept and chosen. */
async function openWithRoi() {
  const names = [0, 1];
  const server = await startServer(names, join(createTempFolder(), 'state'));
  const page = createPage();
  const networks: Record<'marks' | 'rois', Network> = {
    marks: { state: 'up', waiting: new Set() },
    rois: { state: 'up', waiting: new Set() },
  };
  Object.assign(markRequestsOf(page), connect(() => server, networks.marks).marks);
  Object.assign(roiBackendOf(page), connect(() => server, networks.rois).rois);
  libraryOf(page).setState(({ summary }) => ({
    connection: 'live',
    files: names.map((name) => {
      const { path, uid, rows, columns, frames } = describeFile(name);
      return createFileRecord(name, { path, sop_instance_uid: uid, rows, columns, frame_count: frames });
    }),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what parking and ROIs ask for
    summary: {
      ...summary,
      scan_complete: true,
      more: false,
      annotations: { import_state: 'none' },
    } as unknown as NonNullable<typeof summary>,
  }));
  const stops = [syncRois(page), syncMarks(page)];
  onTestFinished(async () => {
    for (const network of Object.values(networks)) network.state = 'gone';
    for (const stop of stops) stop();
    await server.close();
  });
  for (const file of libraryOf(page).getState().files) await roisOf(page).load(file);
  roisOf(page).setNewRoisOn('frame');
  addRoi(page, findFile(page, 0)!, [10, 10, 15, 18], 2);
  await settle(page);
  return { page, server, networks };
}

async function settle(page: Page): Promise<void> {
  for (let round = 0; round < 2_000 && (hasUnsavedWork(page) || round < 2); round += 1) {
    await letRun(10);
    await delay(round < 10 ? 1 : 10);
  }
}

async function letRun(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await nextTurn();
}

function setNetwork(page: Page, network: Network, state: Network['state']): void {
  network.state = state;
  wake(network);
  if (state === 'up') {
    markSyncOf(page).retry();
    roisOf(page).retry();
  }
}
