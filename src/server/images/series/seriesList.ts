import type { Catalog } from '../catalog/catalog.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import { createFileNews } from '../catalog/fileNews.ts';
import type { TaskRunner } from '../../machine/workers/task.ts';
import { isStackable } from './buildSeries.ts';
import { createGeometryReader, type ReadGeometry } from './geometryReader.ts';
import type { KeyFrames } from './keyFrames.ts';
import type { InspectedSeries, WantedKeyFrames, WantedStack } from './seriesMessages.ts';
import { type SeriesThread, startSeriesThread } from './seriesThread.ts';
import { doInTurns, type WorkInTurns } from '../../machine/workers/doInTurns.ts';
import type { StartThread } from '../../machine/workers/startThread.ts';
import type { LargeStack, PackedStack } from './stackRecord.ts';

/** All series, built and written in a separate thread. */
export interface SeriesList {
  /** The response of /series as JSON, with all files known at this moment. */
  read(): Promise<SeriesAnswer>;
  /**
   * The stack of a frame of a file; without `frame`, of the first frame that is in one. Undefined for a file that is in
   * no stack.
   */
  findStack(fileIndex: number, frame?: number): Promise<PackedStack | LargeStack | undefined>;
  /** With the frames of all stacks that may be one volume with it, unless these are too many. */
  findJointStack(fileIndex: number, frame?: number): Promise<PackedStack | LargeStack | undefined>;
  /** The frames that stand for a series in a few pictures. Undefined if there is no such series. */
  findKeyFrames(wanted: WantedKeyFrames): Promise<KeyFrames | undefined>;
  /** What is odd about the geometry of all series, some series at a time. */
  inspect(signal: AbortSignal): AsyncGenerator<Omit<InspectedSeries, 'answer'>, void>;
  /** Changes whenever a stack may have changed. */
  readonly version: () => string;
  /** Stops reading files; responses that have started may finish. */
  stop(): void;
  /** Ends the thread. */
  close(): Promise<void>;
}

export type SeriesAnswer = {
  /** Identifies the text of the response. Undefined while files are found or read, when the next one will differ. */
  readonly key: string | undefined;
  readonly write: () => Promise<AsyncGenerator<Uint8Array<ArrayBuffer>, void>>;
};

export type SeriesListContext = {
  readonly catalog: Pick<Catalog, 'files' | 'gone' | 'readLater' | 'whenRead' | 'rowsFrom' | 'progress' | 'subscribe'>;
  readonly tasks: TaskRunner;
  /** How the thread is started, if not as a new one. */
  readonly startThread?: StartThread | undefined;
  /** How long a response waits for frame positions. */
  readonly geometryWaitMs?: number;
  /** How long after a failure of another machine a file of it is tried again; twice as long after each failure. */
  readonly retryMs?: number;
};

/** As long as a file has failed no more often than this, the list is not complete, so that pages ask again. */
const MOST_FAILURES = 6;
const MOST_DOUBLINGS = 5;

export function createSeriesList(context: SeriesListContext): SeriesList {
  const { catalog, tasks, geometryWaitMs = 5_000, retryMs = 2_000 } = context;
  const unplaced: DicomFile[] = [];
  const places: { readonly fileIndex: number; readonly geometry: ReadGeometry }[] = [];
  /** Files of machines that have failed, and when they are tried again. */
  const failed = new Map<DicomFile, { readonly failures: number; readonly dueMs: number }>();
  const addPlace = ({ index }: DicomFile, geometry: ReadGeometry) => places.push({ fileIndex: index, geometry });
  const geometries = createGeometryReader(tasks, {
    onRead(file, geometry) {
      failed.delete(file);
      addPlace(file, geometry);
    },
    onOriginFailure(file, problem) {
      const failures = (failed.get(file)?.failures ?? 0) + 1;
      const pauseMs = retryMs * 2 ** Math.min(failures - 1, MOST_DOUBLINGS);
      failed.set(file, { failures, dueMs: performance.now() + pauseMs });
      if (failures === 1) addPlace(file, { problem });
    },
  });
  let taken = 0;
  let thread: SeriesThread | undefined;
  let news = createFileNews(catalog);
  let sentPlaces = 0;

  /** Called for every batch of the scan, so that no request has to iterate over all files. */
  function take(): void {
    for (; taken < catalog.files.length; taken += 1) {
      const file = catalog.files[taken]!;
      if (file.placement?.hasFrameGeometry && isStackable(file)) unplaced.push(file);
    }
  }

  /** The files that are tried again now. */
  function takeDue(): DicomFile[] {
    const nowMs = performance.now();
    const due = [...failed].filter(([, { dueMs }]) => dueMs <= nowMs);
    // Not again while they are read.
    for (const [file, { failures }] of due) failed.set(file, { failures, dueMs: Infinity });
    return due.map(([file]) => file);
  }

  const isRetrying = () => [...failed.values()].some(({ failures }) => failures <= MOST_FAILURES);

  /** A thread that died is replaced, and everything is sent again. */
  function startAgain(): SeriesThread {
    news = createFileNews(catalog);
    sentPlaces = 0;
    return startSeriesThread((dead) => {
      if (thread === dead) thread = undefined;
    }, context.startThread);
  }

  /** Starts the thread if there is none, and sends it what is new. Several responses may do so concurrently. */
  function* bringUpToDate(): WorkInTurns<SeriesThread> {
    const current = (thread ??= startAgain());
    for (;;) {
      yield;
      const place = places[sentPlaces];
      if (current !== thread) return current;
      const facts = place === undefined ? news.next() : ({ kind: 'place', ...place } as const);
      if (facts === undefined) return current;
      if (place !== undefined) sentPlaces += 1;
      current.send(facts);
    }
  }

  const unsubscribe = catalog.subscribe(take);
  take();

  /** One answer waits for positions no longer than this, however often it needs them. */
  const allowWait = () => ({ leftMs: geometryWaitMs });

  /** The thread, once it knows all files and the positions that could be read in time. */
  async function prepare(wait = allowWait()): Promise<SeriesThread> {
    geometries.want([...unplaced.splice(0), ...takeDue()]);
    const beganMs = performance.now();
    await geometries.settle(wait.leftMs);
    wait.leftMs = Math.max(0, wait.leftMs - (performance.now() - beganMs));
    return doInTurns(bringUpToDate(), undefined);
  }

  const version = () => `${catalog.files.length} ${places.length} ${catalog.gone.changes} ${catalog.readLater.length}`;

  function stop(): void {
    unsubscribe();
    geometries.close();
  }

  async function findStack(wanted: WantedStack): Promise<PackedStack | LargeStack | undefined> {
    const wait = allowWait();
    const stack = await (await prepare(wait)).findStack(wanted);
    if (stack === undefined || stack.kind === 'too_many_frames') return stack;
    const reading = catalog.whenRead(stack.fileIndices);
    if (reading === undefined) return stack;
    await reading;
    return (await prepare(wait)).findStack(wanted);
  }

  async function findKeyFrames(wanted: WantedKeyFrames): Promise<KeyFrames | undefined> {
    const wait = allowWait();
    const found = await (await prepare(wait)).findKeyFrames(wanted);
    const files = found?.stacks.flatMap(({ frames, peaks }) => [...frames, ...peaks]).map(({ fileIndex }) => fileIndex);
    const reading = files && catalog.whenRead(files);
    if (reading === undefined) return found;
    await reading;
    return (await prepare(wait)).findKeyFrames(wanted);
  }

  /** The positions in all files are waited for. */
  async function* inspect(signal: AbortSignal): AsyncGenerator<InspectedSeries, void> {
    let current = await prepare();
    while (!geometries.isSettled() && !signal.aborted) current = await prepare();
    for (let from = 0; ;) {
      signal.throwIfAborted();
      const part = await current.inspect({ from });
      yield part;
      if (part.next >= part.total) return;
      from = part.next;
    }
  }

  return {
    findKeyFrames,
    inspect,
    findStack: (fileIndex, frame) => findStack({ fileIndex, frame, isJoint: false }),
    findJointStack: (fileIndex, frame) => findStack({ fileIndex, frame, isJoint: true }),
    version,
    async read() {
      const current = await prepare();
      // Nothing was added since the last message was sent, so the response reflects this moment.
      const { scanComplete } = catalog.progress;
      const geometryComplete = geometries.isSettled() && unplaced.length === 0 && !isRetrying();
      return {
        key: scanComplete && geometryComplete ? version() : undefined,
        write: () => current.answer({ scanComplete, geometryComplete }),
      };
    },
    stop,
    async close() {
      stop();
      await thread?.end();
    },
  };
}
