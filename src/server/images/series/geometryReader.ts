import { ViewerError } from '../../../shared/contract/errors.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import { isOriginFailure } from '../../machine/workers/passingFailure.ts';
import { type BackgroundQueue, createBackgroundQueue } from '../../machine/workers/backgroundQueue.ts';
import type { TaskRunner } from '../../machine/workers/task.ts';
import { type RankedGeometry, readFrameGeometryTask } from './frameGeometry.ts';

/** Positions of the frames of a file, or why they could not be read. */
export type ReadGeometry = RankedGeometry | { readonly problem: string };

export type GeometryReports = {
  readonly onRead: (file: DicomFile, geometry: ReadGeometry) => void;
  /** The machine that has the file failed, which says nothing about the file: another try may succeed. */
  readonly onOriginFailure: (file: DicomFile, problem: string) => void;
};

/** Reads the frame positions of files, each once, a few files at a time. */
export function createGeometryReader(
  tasks: TaskRunner,
  { onRead, onOriginFailure }: GeometryReports,
): BackgroundQueue<DicomFile> {
  return createBackgroundQueue<DicomFile>({
    async run(file, signal) {
      const { index, source, frameCount } = file;
      const options = {
        priority: 'prefetch',
        isAwaited: true,
        of: file,
        key: `geometry ${index}`,
        signal,
      } as const;
      onRead(file, await tasks.run(readFrameGeometryTask, { source, frameCount }, options));
    },
    onFailure(file, error) {
      const problem = error instanceof ViewerError ? error.message : 'the file could not be read';
      if (isOriginFailure(error)) onOriginFailure(file, problem);
      else onRead(file, { problem });
    },
  });
}
