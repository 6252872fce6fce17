import type { ByteSource } from '../../bytes/origins/byteSource.ts';
import type { DataSet } from './dataSet.ts';
import { readDicom } from './readDataSet.ts';
import * as Tag from './tag.ts';

/** The functional groups of a range of consecutive frames. */
export type FrameGroups = {
  /** Counts from 0. */
  readonly firstFrame: number;
  /** One for each frame that the object describes, starting at `firstFrame`. */
  readonly frames: readonly DataSet[];
  /** The functional groups that all frames share. */
  readonly shared: DataSet | undefined;
  readonly dataSet: DataSet;
};

export type FrameGroupsOptions = {
  readonly frameCount: number;
  /** Top-level elements of the data set, in addition to the functional groups. */
  readonly wanted: readonly number[];
  /** Macro sequences, and the elements in their items. */
  readonly wantedInGroups: readonly number[];
};

/** Number of frames held at the same time: some tens of megabytes, while an object may have a million frames. */
const FRAMES_AT_ONCE = 8192;

/** Reads the functional groups of all frames in batches; each batch reads the header again from its beginning. */
export function* readFrameGroups(
  source: ByteSource,
  { frameCount, wanted, wantedInGroups }: FrameGroupsOptions,
): Generator<FrameGroups, void> {
  const atTop = new Set([...wanted, Tag.SharedFunctionalGroupsSequence, Tag.PerFrameFunctionalGroupsSequence]);
  const inGroups = new Set(wantedInGroups);
  for (let firstFrame = 0; firstFrame < frameCount; firstFrame += FRAMES_AT_ONCE) {
    const end = Math.min(firstFrame + FRAMES_AT_ONCE, frameCount);
    const { dataSet } = readDicom(source, {
      until: Tag.FloatPixelData,
      filter: {
        element: (depth, tag) => (depth === 0 ? atTop : inGroups).has(tag),
        // The first item is also that of the shared functional groups.
        item: (depth, index) => depth > 0 || index === 0 || (index >= firstFrame && index < end),
      },
    });
    const items = dataSet.items(Tag.PerFrameFunctionalGroupsSequence);
    const frames = firstFrame === 0 ? items : items.slice(1);
    yield { firstFrame, frames, shared: dataSet.items(Tag.SharedFunctionalGroupsSequence)[0], dataSet };
    if (frames.length < end - firstFrame) return;
  }
}
