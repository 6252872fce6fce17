import { ViewerError } from '../../../shared/contract/errors.ts';
import type { Catalog } from '../../images/catalog/catalog.ts';
import type { DicomFile } from '../../images/catalog/dicomFile.ts';
import { stateOf } from '../../bytes/origins/origins.ts';
import type { InstanceIndex } from '../../images/references/instanceIndex.ts';
import type { TaskRunner } from '../../machine/workers/task.ts';
import {
  type KeyObjectRecord,
  type NamedImage,
  readKeyObjectsTask,
  readStateTask,
  type StateRecord,
} from './presentationTasks.ts';

/** An open image that is named. */
export type FoundImage = {
  readonly file: DicomFile;
  /** Counted from 0, ascending; undefined for all frames. */
  readonly frames: Uint32Array | undefined;
};

export type LostImage = NamedImage & { readonly reason: 'not_open' | 'no_such_frame' | 'no_image' };

/** Presentation states and key object selections: lists of images, and how they are shown. */
export interface Presentations {
  /** Throws `bad_request` if the file is neither. */
  read(file: DicomFile, options: { readonly signal: AbortSignal | undefined }): Promise<StateRecord | KeyObjectRecord>;
  /** Which of the named images are open now, up to `most` copies. References are not followed any further. */
  resolve(image: NamedImage, most: number): readonly FoundImage[] | LostImage;
  /** The index of an open file; undefined if it is not open. */
  findIndex(sopInstanceUid: string): number | undefined;
  /** The indices of the open images of a series. */
  listSeries(seriesInstanceUid: string): readonly number[];
}

export type PresentationsContext = {
  readonly catalog: Pick<Catalog, 'files'>;
  readonly tasks: TaskRunner;
  readonly instances: InstanceIndex;
};

export function createPresentations({ catalog, tasks, instances }: PresentationsContext): Presentations {
  return {
    async read(file, { signal }) {
      const options = {
        of: file,
        shareKey: `presentation ${await stateOf(file.source)}`,
        signal,
      };
      if (file.objectKind === 'presentation_state') return tasks.run(readStateTask, file.source, options);
      if (file.objectKind === 'key_object_selection') return tasks.run(readKeyObjectsTask, file.source, options);
      throw new ViewerError('bad_request', 'the file is no presentation state and no key object selection');
    },
    findIndex: (sopInstanceUid) => instances.find(sopInstanceUid)[0],
    listSeries: (seriesInstanceUid) =>
      instances.findSeries(seriesInstanceUid).filter((index) => catalog.files[index]?.hasPixels === true),
    resolve(image, most) {
      const indices = instances.find(image.sopInstanceUid);
      const files = indices.slice(0, most).flatMap((index) => catalog.files[index] ?? []);
      if (files.length === 0) return { ...image, reason: 'not_open' };
      const framesOf = createFrames(image);
      const found = files.filter(({ hasPixels }) => hasPixels).map((file) => ({ file, frames: framesOf(file) }));
      if (found.length === 0) return { ...image, reason: 'no_image' };
      const existing = found.filter(({ frames }) => frames === undefined || frames.length > 0);
      return existing.length === 0 ? { ...image, reason: 'no_such_frame' } : existing;
    },
  };
}

/** The named frames that a file has. All copies share one list, because thousands of them can be open. */
function createFrames({ frameNumbers }: NamedImage): (file: DicomFile) => Uint32Array | undefined {
  if (frameNumbers.length === 0) return () => undefined;
  const frames = Uint32Array.from(frameNumbers, (number) => number - 1);
  return ({ frameCount }) => frames.subarray(0, countBelow(frames, frameCount));
}

/** How many of the ascending numbers are below a limit. */
function countBelow(numbers: Uint32Array, limit: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numbers[middle]! < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
