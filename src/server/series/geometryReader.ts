import { ViewerError } from '../../shared/contract/errors.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import { type BackgroundQueue, createBackgroundQueue } from '../workers/backgroundQueue.ts';
import type { TaskRunner } from '../workers/task.ts';
import { type FrameGeometry, readFrameGeometryTask } from './frameGeometry.ts';

/** Where the frames of a file lie, or why that could not be read. */
export type ReadGeometry = FrameGeometry | { readonly problem: string };

/** Reads where the frames of files lie, once each, a few files at a time. */
export interface GeometryReader extends BackgroundQueue<DicomFile> {
  /** Undefined while it is not read yet. */
  readonly of: (file: DicomFile) => ReadGeometry | undefined;
}

const TIMEOUT_MS = 30_000;

export function createGeometryReader(tasks: TaskRunner, onRead: (file: DicomFile) => void): GeometryReader {
  const known = new Map<number, ReadGeometry>();
  const keep = (file: DicomFile, geometry: ReadGeometry) => {
    known.set(file.index, geometry);
    onRead(file);
  };
  const queue = createBackgroundQueue<DicomFile>({
    async run(file, signal) {
      const { index, realPath: path, identity, frameCount } = file;
      const options = { priority: 'prefetch', timeoutMs: TIMEOUT_MS, key: `geometry ${index}`, signal } as const;
      keep(file, await tasks.run(readFrameGeometryTask, { path, identity, frameCount }, options));
    },
    onFailure(file, error) {
      keep(file, { problem: error instanceof ViewerError ? error.message : 'the file could not be read' });
    },
  });
  return { ...queue, of: ({ index }) => known.get(index) };
}
