import { ViewerError } from '../../shared/contract/errors.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import { readMemoryOf } from '../pixels/decodeCost.ts';
import { type BackgroundQueue, createBackgroundQueue } from '../workers/backgroundQueue.ts';
import type { TaskRunner } from '../workers/task.ts';
import { type RankedGeometry, readFrameGeometryTask } from './frameGeometry.ts';

/** Positions of the frames of a file, or why they could not be read. */
export type ReadGeometry = RankedGeometry | { readonly problem: string };

const TIMEOUT_MS = 30_000;

/** Reads the frame positions of files, once per file, a few files at a time. */
export function createGeometryReader(
  tasks: TaskRunner,
  onRead: (file: DicomFile, geometry: ReadGeometry) => void,
): BackgroundQueue<DicomFile> {
  return createBackgroundQueue<DicomFile>({
    async run(file, signal) {
      const { index, source, frameCount } = file;
      const options = {
        priority: 'prefetch',
        timeoutMs: TIMEOUT_MS,
        memory: readMemoryOf(file),
        key: `geometry ${index}`,
        signal,
      } as const;
      onRead(file, await tasks.run(readFrameGeometryTask, { source, frameCount }, options));
    },
    onFailure(file, error) {
      onRead(file, { problem: error instanceof ViewerError ? error.message : 'the file could not be read' });
    },
  });
}
