import type { Catalog } from '../catalog/catalog.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import type { TaskRunner } from '../workers/task.ts';
import { isStackable } from './buildSeries.ts';
import { createGeometryReader, type ReadGeometry } from './geometryReader.ts';
import { type SeriesThread, startSeriesThread } from './seriesThread.ts';
import { doInSlices, type SlicedWork } from './slices.ts';

/** All series, built and written in a thread of their own. */
export interface SeriesList {
  /** The answer of /series with all files of this moment, in JSON. */
  read(): Promise<ReadableStream<Uint8Array<ArrayBuffer>>>;
  /** Nothing more is read from files; answers that have begun may end. */
  stop(): void;
  /** Ends the thread. */
  close(): Promise<void>;
}

export type SeriesListContext = {
  readonly catalog: Pick<Catalog, 'files' | 'rowsFrom' | 'progress' | 'subscribe'>;
  readonly tasks: TaskRunner;
  /** How long an answer waits for the places of frames. */
  readonly geometryWaitMs?: number;
};

export function createSeriesList({ catalog, tasks, geometryWaitMs = 5_000 }: SeriesListContext): SeriesList {
  const unplaced: DicomFile[] = [];
  const places: { readonly fileIndex: number; readonly geometry: ReadGeometry }[] = [];
  const geometries = createGeometryReader(tasks, ({ index }, geometry) => places.push({ fileIndex: index, geometry }));
  let taken = 0;
  let thread: SeriesThread | undefined;
  let sentFiles = 0;
  let sentPlaces = 0;

  /** Called for every batch of the scan, so that no request has to go through all files. */
  function take(): void {
    for (; taken < catalog.files.length; taken += 1) {
      const file = catalog.files[taken]!;
      if (file.placement?.hasFrameGeometry && isStackable(file)) unplaced.push(file);
    }
  }

  /** One that has died is replaced, and told everything again. */
  function startThread(): SeriesThread {
    sentFiles = 0;
    sentPlaces = 0;
    return startSeriesThread((dead) => {
      if (thread === dead) thread = undefined;
    });
  }

  /** Begins the thread where there is none, and tells it what has come since. Several answers may do so side by side. */
  function* bringUpToDate(): SlicedWork<SeriesThread> {
    const current = (thread ??= startThread());
    for (;;) {
      yield;
      const place = places[sentPlaces];
      const rows = catalog.rowsFrom(sentFiles);
      if (current !== thread || (place === undefined && rows === undefined)) return current;
      if (place !== undefined) {
        sentPlaces += 1;
        current.send({ kind: 'place', ...place });
      } else if (rows !== undefined) {
        sentFiles += rows.count;
        current.send({ kind: 'files', rows });
      }
    }
  }

  const unsubscribe = catalog.subscribe(take);
  take();

  function stop(): void {
    unsubscribe();
    geometries.close();
  }

  return {
    async read() {
      geometries.want(unplaced.splice(0));
      await geometries.settle(geometryWaitMs);
      const current = await doInSlices(bringUpToDate());
      // Since all was sent nothing can have come between: the answer is of this moment.
      const { scanComplete } = catalog.progress;
      return current.answer({ scanComplete, geometryComplete: geometries.isSettled() && unplaced.length === 0 });
    },
    stop,
    async close() {
      stop();
      await thread?.end();
    },
  };
}
