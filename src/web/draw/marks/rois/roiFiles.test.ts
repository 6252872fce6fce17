import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createAnnotations } from '../../../../server/work/annotations/annotations.ts';
import { unpackRois } from '../../../../server/work/annotations/packedRois.ts';
import type { AnnotatedFilesResponse, AnnotationPayload, RoiBox } from '../../../../shared/contract/annotations.ts';
import { ViewerError } from '../../../../shared/contract/errors.ts';
import { until } from '../../../../../test/support/until.ts';
import { createImage, createOpenFiles, importHere } from '../../../../../test/support/annotatedFiles.ts';
import { ConnectionLost, RequestRefused } from '../../../kit/api/send.ts';
import { createPage, type Page } from '../../../kit/state/page.ts';
import { stepsOf } from '../../../kit/state/stepHistory.ts';
import { createMarkUid, marksOf, selectMark } from '../sync/marks.ts';
import { type Roi, roisOfFile } from './roi.ts';
import type { RoiBackend } from './roiBackend.ts';
import { createRoiFiles, type RoiFileRef, type RoiFiles } from './roiFiles.ts';

const FIRST = refOf(0);
const FILES = [FIRST, refOf(1)];
const BOX: RoiBox = [1, 2, 3, 4];
const OTHER: RoiBox = [5, 6, 7, 8];

test('an edit is on the screen at once and arrives at the server', async () => {
  const { rois, server } = await openFiles();

  draw(rois, BOX);

  expect(boxes(rois)).toEqual([BOX]);
  expect(saveOf(rois)).toBe('saving');
  await rois.settled();
  expect(saveOf(rois)).toBe('saved');
  expect(await storedIn(server)).toEqual([BOX]);
});

test('edits made while the ROIs are being read are made when they are there, in their order', async () => {
  const { rois, server } = await openFiles(
    createServer(['/a.dcm', '/b.dcm', '/c.dcm'].map((path) => createImage(path))),
  );
  await server.replace(2, payloadOf(BOX));

  const loading = rois.load(refOf(2));
  draw(rois, OTHER, 2);
  draw(rois, [9, 9, 10, 10], 2);
  await loading;
  await until(() => boxes(rois, 2).length === 3);
  await rois.settled();

  expect(await storedIn(server, 2)).toEqual([BOX, OTHER, [9, 9, 10, 10]]);
});

test('one request shows that many files have no ROIs; later edits detect changes by other users', async () => {
  const paths = Array.from({ length: 50 }, (_, index) => `/${index}.dcm`);
  const { rois, server, network } = await openFiles(createServer(paths.map((path) => createImage(path))));
  await server.replace(7, payloadOf(BOX));
  network.reads = 0;

  await rois.survey(paths.map((_, index) => refOf(index)));

  const known = rois.store.getState().files;
  expect(paths.map((_, index) => index).filter((index) => !known.has(index))).toEqual([7]);
  expect(network.reads).toBe(0);
  draw(rois, OTHER, 30);
  await until(() => saveOf(rois, 30) === 'saved');
  expect(await storedIn(server, 30)).toEqual([OTHER]);
  await server.replace(31, payloadOf(BOX));
  draw(rois, OTHER, 31);
  await until(() => saveOf(rois, 31) !== 'saving');
  expect(saveOf(rois, 31)).toBe('conflict');
});

test('edits made while one is on its way follow it in one request', async () => {
  const { rois, server, network } = await openFiles();

  for (let x = 0; x < 10; x++) draw(rois, [0, x, 1, x + 1]);
  await rois.settled();

  expect(network.replaces).toBe(2);
  expect(await storedIn(server)).toEqual(boxes(rois));
});

test('a save that fails keeps the edit, says so, and is tried again until it arrives', async () => {
  const { rois, server, network } = await openFiles();
  network.state = 'down';

  draw(rois, BOX);
  await network.waiting();

  expect(boxes(rois)).toEqual([BOX]);
  expect(rois.sync.store.getState().troubles.get('0')).toMatchObject({
    kind: 'retrying',
    error: { message: 'the server does not respond' },
  });
  network.state = 'up';
  rois.retry();
  await until(() => saveOf(rois) === 'saved');
  expect(await storedIn(server)).toEqual([BOX]);
});

test('a save whose answer was lost is no conflict, even after further edits', async () => {
  const { rois, server, network } = await openFiles();
  network.state = 'answers lost';
  draw(rois, BOX);
  await network.waiting();
  expect(await storedIn(server)).toEqual([BOX]);

  draw(rois, OTHER);
  await network.waiting();
  network.state = 'up';
  rois.retry();

  await until(() => saveOf(rois) === 'saved');
  expect(await storedIn(server)).toEqual([BOX, OTHER]);
});

test('an undo after a save whose answer was lost is sent too', async () => {
  const { rois, server, network, steps } = await openFiles();
  network.state = 'answers lost';
  draw(rois, BOX);
  await network.waiting();
  network.state = 'up';

  steps.undo();
  await until(() => saveOf(rois) === 'saved');

  expect(await storedIn(server)).toEqual([]);
});

test('an edit that breaks a rule is not sent, and says which ROI, value and bound', async () => {
  const { rois, server, network, steps } = await openFiles();

  draw(rois, BOX);
  draw(rois, [0, 0, 1, 201]);
  await rois.settled();
  expect(rois.sync.store.getState().troubles.get('0')).toMatchObject({
    kind: 'refused',
    error: { message: 'ROI 1: xmax 201 is greater than 200, the number of columns' },
  });
  expect(network.replaces).toBe(1);

  steps.undo();
  await rois.settled();
  expect(saveOf(rois)).toBe('saved');
  expect(await storedIn(server)).toEqual([BOX]);
});

test('a save that the server refuses is not repeated before the next edit', async () => {
  // The file was replaced by a narrower one after the page read the list.
  const narrower = createServer([createImage('/a.dcm', { columns: 150 }), createImage('/b.dcm')]);
  const { rois, server, network, steps } = await openFiles(narrower);

  draw(rois, [0, 0, 1, 151]);
  await rois.settled();
  expect(saveOf(rois)).toBe('refused');
  expect(network.replaces).toBe(1);

  steps.undo();
  draw(rois, BOX);
  await rois.settled();
  expect(saveOf(rois)).toBe('saved');
  expect(await storedIn(server)).toEqual([BOX]);
});

describe('when another user has changed the ROIs', () => {
  test.each([
    ['mine', [BOX]],
    ['theirs', [OTHER]],
    ['both', [OTHER, BOX]],
  ] as const)('nothing is overwritten until a person decides: %s', async (choice, expected) => {
    const { rois, server } = await openFiles();
    await server.replace(0, payloadOf(OTHER));

    draw(rois, BOX);
    await rois.settled();

    expect(saveOf(rois)).toBe('conflict');
    expect(boxes(rois)).toEqual([BOX]);
    expect(await storedIn(server)).toEqual([OTHER]);
    rois.resolve(0, choice);
    await rois.settled();
    expect(saveOf(rois)).toBe('saved');
    expect(boxes(rois)).toEqual(expected);
    expect(await storedIn(server)).toEqual(expected);
  });

  test('edits made before the decision are part of mine', async () => {
    const { rois, server } = await openFiles();
    await server.replace(0, payloadOf(OTHER));
    draw(rois, BOX);
    await rois.settled();

    draw(rois, [9, 9, 10, 10]);
    await rois.settled();
    expect(saveOf(rois)).toBe('conflict');
    rois.resolve(0, 'both');
    await rois.settled();

    expect(await storedIn(server)).toEqual([OTHER, BOX, [9, 9, 10, 10]]);
  });

  test('ROIs that were not edited here are updated at the next check', async () => {
    const { rois, server } = await openFiles();
    await server.replace(0, payloadOf(OTHER));

    await rois.reload(0);

    expect(boxes(rois)).toEqual([OTHER]);
    expect(saveOf(rois)).toBe('saved');
  });

  test('the same ROIs from two people are no conflict', async () => {
    const { rois, server } = await openFiles();
    await server.replace(0, payloadOf(BOX));

    draw(rois, BOX);
    await rois.settled();

    expect(saveOf(rois)).toBe('saved');
  });
});

describe('undo and redo', () => {
  test('take back the last step, whichever file it was in, and save it', async () => {
    const { rois, server, steps } = await openFiles();
    draw(rois, BOX, 0);
    draw(rois, OTHER, 1);

    expect(steps.undo()).toMatchObject({ fileIndex: 1 });
    expect([boxes(rois, 0), boxes(rois, 1)]).toEqual([[BOX], []]);
    expect(steps.undo()).toMatchObject({ fileIndex: 0 });
    expect(steps.undo()).toBeUndefined();
    steps.redo();
    await rois.settled();

    expect(await storedIn(server, 0)).toEqual([BOX]);
    expect(await storedIn(server, 1)).toEqual([]);
  });

  test('are inverse to each other and to any steps', () => {
    const anyStep = fc.constantFrom<'draw' | 'delete' | 'undo' | 'redo'>('draw', 'delete', 'undo', 'redo');
    return fc.assert(
      fc.asyncProperty(fc.array(anyStep, { maxLength: 20 }), async (chosen) => {
        const { rois, steps } = await openFiles();
        // What the screen should show, and the states for undo and redo.
        let model: { now: readonly RoiBox[]; past: (readonly RoiBox[])[]; future: (readonly RoiBox[])[] } = {
          now: [],
          past: [],
          future: [],
        };
        for (const [i, step] of chosen.entries()) {
          if (step === 'draw') {
            const box: RoiBox = [0, i, 1, i + 1];
            draw(rois, box);
            model = { now: [...model.now, box], past: [...model.past, model.now], future: [] };
          } else if (step === 'delete') {
            rois.edit(0, (now) => (now.length === 0 ? now : now.slice(1)));
            if (model.now.length > 0) {
              model = { now: model.now.slice(1), past: [...model.past, model.now], future: [] };
            }
          } else if (step === 'undo') {
            steps.undo();
            const before = model.past.at(-1);
            if (before) model = { now: before, past: model.past.slice(0, -1), future: [...model.future, model.now] };
          } else {
            steps.redo();
            const after = model.future.at(-1);
            if (after) model = { now: after, past: [...model.past, model.now], future: model.future.slice(0, -1) };
          }
          expect(boxes(rois)).toEqual(model.now);
        }
      }),
    );
  });

  test('a selected ROI that an undo removes is no longer selected', async () => {
    const { rois, steps, page } = await openFiles();
    draw(rois, BOX);
    selectMark(page, roisOfFile(page, 0)[0]?.uid);

    steps.undo();

    expect(marksOf(page).getState().selected).toBeUndefined();
  });
});

describe('when the server was restarted', () => {
  test('its ROIs are gone, and the user decides whether those of the page are sent again', async () => {
    const { rois } = await openFiles();
    draw(rois, BOX);
    await rois.settled();
    // In the new run the file has another index, and the old index belongs to another file.
    const server = createServer([createImage('/other.dcm'), createImage('/new.dcm'), createImage('/a.dcm')]);
    const [work] = rois.listWork();
    rois.forget();
    connect(rois, server);

    await rois.meet([{ work: work!, files: new Map(), found: new Map([[0, refOf(2)]]) }]);

    expect(saveOf(rois, 2)).toBe('conflict');
    expect(boxes(rois, 2)).toEqual([BOX]);
    rois.resolve(2, 'mine');
    await rois.settled();
    expect(await storedIn(server, 2)).toEqual([BOX]);
    expect(await storedIn(server, 0)).toEqual([]);
  });

  test('what was drawn before the ROIs of a file were read is added to those that the file has then', async () => {
    const { rois, network } = await openFiles();
    network.state = 'down';
    await rois.load(refOf(2));
    draw(rois, BOX, 2);
    expect(rois.hasUnsaved()).toBe(true);
    const server = createServer([createImage('/c.dcm'), createImage('/b.dcm')], 'second');
    await server.replace(0, payloadOf(OTHER));
    const [work] = rois.listWork();
    rois.forget();
    connect(rois, server);
    network.state = 'up';

    await rois.meet([{ work: work!, files: new Map(), found: new Map([[2, FIRST]]) }]);
    await rois.settled();

    expect(saveOf(rois)).toBe('saved');
    expect(await storedIn(server)).toEqual([OTHER, BOX]);
  });

  test('the question does not lose what was drawn since, nor is it gone when a request arrives', async () => {
    const { rois } = await openFiles();
    draw(rois, BOX);
    await rois.settled();
    const server = createServer([createImage('/a.dcm')], 'second');
    const [work] = rois.listWork();
    rois.forget();
    connect(rois, server);
    await rois.load(FIRST);
    draw(rois, OTHER);

    await rois.meet([{ work: work!, files: new Map(), found: new Map([[0, FIRST]]) }]);
    await rois.settled();

    expect(saveOf(rois)).toBe('conflict');
    expect(boxes(rois)).toEqual([BOX, OTHER]);
    rois.resolve(0, 'mine');
    await rois.settled();
    expect(await storedIn(server)).toEqual([BOX, OTHER]);
  });

  test('nothing is sent to an index of the run before', async () => {
    const { rois, network } = await openFiles();
    draw(rois, BOX);
    await rois.settled();
    const server = createServer([createImage('/other.dcm')], 'second');
    connect(rois, server);

    draw(rois, OTHER);
    await network.waiting();

    expect(await storedIn(server)).toEqual([]);
    expect(saveOf(rois)).toBe('retrying');
  });
});

test('after a failed import edits begin with nothing and are saved', async () => {
  const server = createServer([createImage('/a.dcm')]);
  const network = createNetwork();
  const backend = connectTo(() => server, network);
  const page = createPage();
  const rois = createRoiFiles(page, { ...backend, read: () => Promise.resolve(undefined) });
  pages.set(rois, page);
  await rois.load(FIRST);

  draw(rois, BOX);
  await rois.settled();

  expect(await storedIn(server)).toEqual([BOX]);
});

test('two users on a bad connection lose no ROIs when differences are merged', () => {
  const anyStep = fc.record({
    who: fc.constantFrom(0 as const, 1 as const),
    what: fc.constantFrom('draw', 'down', 'answers lost', 'up', 'rest', 'retry', 'merge'),
  });
  return fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 25 }), async (steps) => {
      const server = createServer([createImage('/a.dcm')]);
      const people = await Promise.all([0, 1].map(() => openFiles(server)));
      const drawn: RoiBox[] = [];
      for (const [i, { who, what }] of steps.entries()) {
        const { rois, network } = people[who]!;
        if (what === 'draw') {
          const box: RoiBox = [0, i, 1, i + 1];
          drawn.push(box);
          draw(rois, box);
        } else if (what === 'merge') rois.resolve(0, 'both');
        else if (what === 'retry') rois.retry();
        else if (what === 'rest') await network.rest();
        else network.state = what;
      }
      for (let round = 0; round < 4; round++) {
        for (const { rois, network } of people) {
          network.state = 'up';
          rois.resolve(0, 'both');
          rois.retry();
          await rois.settled();
          await network.rest();
        }
      }
      for (const { rois } of people) {
        expect(saveOf(rois)).toBe('saved');
        await rois.reload(0);
        expect(sorted(boxes(rois))).toEqual(sorted(drawn));
      }
      expect(sorted(await storedIn(server))).toEqual(sorted(drawn));
    }),
  );
});

type Network = {
  state: 'up' | 'down' | 'answers lost';
  replaces: number;
  reads: number;
  /** Resolves when a save pauses before its next attempt. */
  waiting(): Promise<void>;
  /** Lets everything run that does not depend on timers. */
  rest(): Promise<void>;
  readonly wait: RoiBackend['wait'];
};

function createNetwork(): Network {
  const pauses = new Set<AbortSignal>();
  return {
    state: 'up',
    replaces: 0,
    reads: 0,
    rest,
    async waiting() {
      while (pauses.size === 0) await rest();
    },
    wait: (_ms, signal) =>
      new Promise((settle) => {
        pauses.add(signal);
        const end = () => {
          pauses.delete(signal);
          settle();
        };
        if (signal.aborted) end();
        else signal.addEventListener('abort', end, { once: true });
      }),
  };
}

/** The server's own store with an interface of payloads. */
type Store = {
  read(index: number): Promise<StoredPayload>;
  replace(index: number, payload: AnnotationPayload, ifMatch?: string): Promise<StoredPayload>;
  list(): Promise<AnnotatedFilesResponse>;
};
type StoredPayload = { readonly payload: AnnotationPayload; readonly etag: string };

function createServer(images: readonly ReturnType<typeof createImage>[], instance = 'first'): Store {
  const files = createOpenFiles(images);
  const store = createAnnotations({ files, tasks: importHere(), instance });
  files.endScan();
  return {
    async read(index) {
      const { rois, etag } = await store.read(index);
      return { payload: unpackRois(rois), etag };
    },
    async replace(index, payload, ifMatch) {
      const { rois, etag } = await store.replace(index, Buffer.from(JSON.stringify(payload)), { ifMatch });
      return { payload: unpackRois(rois), etag };
    },
    async list() {
      const list: AnnotatedFilesResponse = JSON.parse([...(await store.listFiles())].join(''));
      return list;
    },
  };
}

/** Connects to the store over a connection that can fail. */
function connectTo(server: () => Store, network: Network): RoiBackend {
  const pass = async (action: () => Promise<StoredPayload>) => {
    await Promise.resolve();
    if (network.state === 'down') throw new ConnectionLost('the server does not respond');
    try {
      const answer = await action();
      if (network.state === 'answers lost') throw new ConnectionLost('the server does not respond');
      return { ...answer, instance: answer.etag.split('-')[0] ?? '' };
    } catch (error) {
      if (error instanceof ViewerError) throw new RequestRefused({ code: error.code, error: error.message });
      throw error;
    }
  };
  return {
    read: (index) => {
      network.reads++;
      return pass(() => server().read(index));
    },
    async survey() {
      const { files, untouched_etag: etag } = await server().list();
      const untouched = await pass(async () => ({ payload: payloadOf(), etag }));
      return { etags: new Map(files.map((file) => [file.index, file.etag])), untouched };
    },
    replace: (index, payload, { etag }) => {
      network.replaces++;
      return pass(() => server().replace(index, payload, etag));
    },
    readJournal: async () => ({ state: 'on' }),
    wait: network.wait,
  };
}

const servers = new WeakMap<RoiFiles, { server: Store }>();
const pages = new WeakMap<RoiFiles, Page>();

/** Connects the page to this server from now on. */
function connect(rois: RoiFiles, server: Store): void {
  const line = servers.get(rois);
  if (line !== undefined) line.server = server;
}

async function openFiles(server = createServer([createImage('/a.dcm'), createImage('/b.dcm')])) {
  const network = createNetwork();
  const line = { server };
  const page = createPage();
  const rois = createRoiFiles(
    page,
    connectTo(() => line.server, network),
  );
  servers.set(rois, line);
  pages.set(rois, page);
  await Promise.all(FILES.map((file) => rois.load(file)));
  return { rois, server, network, page, steps: stepsOf(page) };
}

/** Has the size that `createImage` gives. */
function refOf(index: number): RoiFileRef {
  return { index, rows: 100, columns: 200, frame_count: 5 };
}

function draw(rois: RoiFiles, box: RoiBox, fileIndex = 0): void {
  const roi: Roi = { uid: createMarkUid(), box, frames: [] };
  rois.edit(fileIndex, (now) => [...now, roi]);
}

function boxes(rois: RoiFiles, fileIndex = 0): readonly RoiBox[] {
  const page = pages.get(rois);
  return page === undefined ? [] : roisOfFile(page, fileIndex).map(({ box }) => box);
}

function saveOf(rois: RoiFiles, fileIndex = 0): string | undefined {
  return rois.sync.stateOf(String(fileIndex));
}

async function storedIn(server: Store, fileIndex = 0): Promise<readonly RoiBox[]> {
  return (await server.read(fileIndex)).payload.roi_coords;
}

function payloadOf(...coords: readonly RoiBox[]) {
  return { num_roi: coords.length, roi_coords: [...coords], roi_frames: [] };
}

function sorted(list: readonly RoiBox[]): string[] {
  return list.map(String).toSorted();
}

function rest(): Promise<void> {
  return new Promise((settle) => setTimeout(settle));
}
