import type { Catalog } from '../catalog/catalog.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import type { TaskRunner } from '../workers/task.ts';
import { buildSeries, isStackable } from './buildSeries.ts';
import { createGeometryReader } from './geometryReader.ts';
import { doInSlices, type SlicedWork } from './slices.ts';
import { sortInSlices } from './sortInSlices.ts';
import type { Series } from './stack.ts';

/** All series at one moment. */
export type SeriesSnapshot = {
  /** By study and series UID. */
  readonly series: readonly Series[];
  readonly scanComplete: boolean;
  /** False while places of frames are still being read: those files come in the order in which they are stored. */
  readonly geometryComplete: boolean;
};

export interface SeriesList {
  /** Brings up to date the series that have changed, and answers all. */
  read(): Promise<SeriesSnapshot>;
  close(): void;
}

export type SeriesListContext = {
  readonly catalog: Pick<Catalog, 'files' | 'progress' | 'subscribe'>;
  readonly tasks: TaskRunner;
  /** How long an answer waits for the places of frames. */
  readonly geometryWaitMs?: number;
};

type Entry = {
  readonly studyInstanceUid: string;
  readonly seriesInstanceUid: string;
  readonly files: DicomFile[];
  built: Series | undefined;
};

export function createSeriesList({ catalog, tasks, geometryWaitMs = 5_000 }: SeriesListContext): SeriesList {
  const entries = new Map<string, Map<string, Entry>>();
  const changed = new Set<Entry>();
  const unplaced: DicomFile[] = [];
  const geometries = createGeometryReader(tasks, (file) => {
    const entry = findEntry(file);
    if (entry !== undefined) changed.add(entry);
  });
  let taken = 0;
  let sorted: Entry[] = [];
  let answered: readonly Series[] = [];
  let count = 0;
  let running: Promise<SeriesSnapshot> | undefined;
  let following: Promise<SeriesSnapshot> | undefined;

  function findEntry({ studyInstanceUid, seriesInstanceUid }: DicomFile): Entry | undefined {
    return entries.get(studyInstanceUid)?.get(seriesInstanceUid);
  }

  function addToEntry(file: DicomFile): Entry {
    const { studyInstanceUid, seriesInstanceUid } = file;
    const known = findEntry(file);
    if (known !== undefined) {
      known.files.push(file);
      return known;
    }
    // A list that begins with its file takes no room for more: many series have but one.
    const entry: Entry = { studyInstanceUid, seriesInstanceUid, files: [file], built: undefined };
    const study = entries.get(studyInstanceUid) ?? new Map<string, Entry>();
    entries.set(studyInstanceUid, study.set(seriesInstanceUid, entry));
    count += 1;
    return entry;
  }

  /** Called for every batch of the scan, so that no request has to go through all files. */
  function take(): void {
    for (; taken < catalog.files.length; taken += 1) {
      const file = catalog.files[taken]!;
      if (!isStackable(file)) continue;
      changed.add(addToEntry(file));
      if (file.placement?.hasFrameGeometry) unplaced.push(file);
    }
  }

  async function update(): Promise<SeriesSnapshot> {
    geometries.want(unplaced.splice(0));
    await geometries.settle(geometryWaitMs);
    // From here to the list of what to build nothing can come between: the answer is of this moment.
    const { scanComplete } = catalog.progress;
    const geometryComplete = geometries.isSettled() && unplaced.length === 0;
    const todo = [...changed];
    changed.clear();
    await doInSlices(buildAll(todo));
    if (sorted.length !== count) sorted = await doInSlices(sortEntries(entries));
    if (todo.length > 0) answered = await doInSlices(listBuilt(sorted));
    return { series: answered, scanComplete, geometryComplete };
  }

  function* buildAll(todo: readonly Entry[]): SlicedWork<void> {
    for (const entry of todo) {
      // A copy, for the scan goes on meanwhile.
      entry.built = yield* buildSeries({ ...entry, files: [...entry.files], geometryOf: geometries.of });
      yield;
    }
  }

  const unsubscribe = catalog.subscribe(take);
  take();

  /** One at a time. Who asks while one runs waits for the next: the one that runs may not see the latest files. */
  function read(): Promise<SeriesSnapshot> {
    if (running === undefined) {
      running = update().finally(() => {
        running = undefined;
      });
      return running;
    }
    following ??= running
      .catch(() => undefined)
      .then(() => {
        following = undefined;
        return read();
      });
    return following;
  }

  return {
    read,
    close() {
      unsubscribe();
      geometries.close();
    },
  };
}

function* sortEntries(entries: ReadonlyMap<string, ReadonlyMap<string, Entry>>): SlicedWork<Entry[]> {
  const all: Entry[] = [];
  for (const study of entries.values()) {
    for (const entry of study.values()) if (all.push(entry) % 4096 === 0) yield;
  }
  const order = yield* sortInSlices(all.length, (a, b) => {
    const [left, right] = [all[a]!, all[b]!];
    const byStudy = compareTexts(left.studyInstanceUid, right.studyInstanceUid);
    return byStudy || compareTexts(left.seriesInstanceUid, right.seriesInstanceUid);
  });
  const sorted: Entry[] = [];
  for (const entry of order) if (sorted.push(all[entry]!) % 4096 === 0) yield;
  return sorted;
}

function* listBuilt(entries: readonly Entry[]): SlicedWork<Series[]> {
  const series: Series[] = [];
  for (const { built } of entries) if (built !== undefined && series.push(built) % 4096 === 0) yield;
  return series;
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
