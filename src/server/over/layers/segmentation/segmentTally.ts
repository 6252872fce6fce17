import { dot, type ImagePlane, normalOf, type Vector3 } from '../../../../shared/geometry.ts';
import { pickFullest } from '../../../../shared/pickFullest.ts';
import type { DicomFile } from '../../../images/catalog/dicomFile.ts';
import { planeAt } from '../../../standard/geometry/frameGeometry.ts';
import { MAPPING_STATUSES, sourceOf } from './frameMappings.ts';
import { segmentOf } from './segmentationContext.ts';
import type { MappedSegmentation } from './segmentations.ts';
import type { SampleCounts } from './segmentationTasks.ts';

export type SegmentAmount = {
  readonly number: number;
  /** Number of samples, or the sum of their fractions. */
  readonly voxelCount: number;
  /** Undefined if the object does not declare the size of a voxel. */
  readonly volumeMm3: number | undefined;
  /** Number of frames that contain the segment. */
  readonly frameCount: number;
  /** In spatial order, if the frames declare their positions. */
  readonly firstFrame: number | undefined;
  readonly lastFrame: number | undefined;
  readonly firstSource: SourceFrameOf | undefined;
  readonly lastSource: SourceFrameOf | undefined;
  /**
   * Number of its frames that are truncated or damaged; for a label map all such frames, because any may have contained
   * it.
   */
  readonly damagedFrames: number;
};

export type SourceFrameOf = { readonly file: DicomFile; readonly frame: number };

/** Sums up the counts of the frames. */
export interface SegmentTally {
  readonly damagedFrames: number;
  /** The source frame with the most samples of all segments together. */
  findFullest(): SourceFrameOf | undefined;
  add(counts: SampleCounts): void;
  /** Ascending by number; a described segment that does not occur is included with 0. */
  build(): SegmentAmount[];
}

type Entry = { readonly frame: number; readonly order: number };
type Sum = { voxels: number; volumeMm3: number; frames: number; all: Ends; mapped: Ends };
type Ends = { first: Entry | undefined; last: Entry | undefined };

export function createSegmentTally({ record, mappings, sources }: Omit<MappedSegmentation, 'isMask'>): SegmentTally {
  const { geometry, sliceSpacing } = record.frames;
  const sums = new Map<number, Sum>(record.segments.map(({ number }) => [number, nothing()]));
  const first = planeAt(geometry, 0);
  const normal = first && normalOf(first);
  const damagedOf = new Map<number, number>();
  /** Frames that name no segment, such as those of a label map. */
  let damagedOfAny = 0;
  let damaged = 0;
  /** By source frame: its samples, and where it is among the others. */
  const bySource = new Map<string, { readonly entry: Entry; samples: number }>();
  const depthMm = 'spacingMm' in sliceSpacing ? sliceSpacing.spacingMm : undefined;

  const findSource = (entry: Entry | undefined): SourceFrameOf | undefined => {
    if (entry === undefined) return undefined;
    const [source, frame] = sourceOf(mappings, entry.frame);
    const file = sources[source];
    return file && { file, frame };
  };

  return {
    get damagedFrames() {
      return damaged;
    },
    add({ frames, labels, amounts, damagedFrames }) {
      for (const frame of damagedFrames) {
        const number = segmentOf(record, frame);
        if (number === undefined) damagedOfAny++;
        else damagedOf.set(number, (damagedOf.get(number) ?? 0) + 1);
      }
      damaged += damagedFrames.length;
      for (const [i, frame] of frames.entries()) {
        const number = labels[i] || (segmentOf(record, frame) ?? 0);
        const sum = sums.get(number) ?? nothing();
        sums.set(number, sum);
        const amount = amounts[i] ?? 0;
        const plane = planeAt(geometry, frame);
        const entry = { frame, order: orderOf(plane, normal) ?? sourceOf(mappings, frame)[1] };
        sum.voxels += amount;
        sum.volumeMm3 += amount * (plane?.rowSpacingMm ?? NaN) * (plane?.columnSpacingMm ?? NaN) * (depthMm ?? NaN);
        sum.frames += 1;
        widen(sum.all, entry);
        if (MAPPING_STATUSES[mappings.statuses[frame] ?? 0] !== 'resolved') continue;
        widen(sum.mapped, entry);
        const key = sourceOf(mappings, frame).join('/');
        const ofSource = bySource.get(key) ?? { entry, samples: 0 };
        ofSource.samples += amount;
        bySource.set(key, ofSource);
      }
    },
    findFullest() {
      const inOrder = [...bySource.values()].toSorted((a, b) => a.entry.order - b.entry.order);
      return findSource(inOrder[pickFullest(inOrder.map(({ samples }) => samples)) ?? -1]?.entry);
    },
    build() {
      return [...sums]
        .toSorted(([a], [b]) => a - b)
        .map(([number, { voxels, volumeMm3, frames, all, mapped }]) => ({
          number,
          voxelCount: voxels,
          volumeMm3: depthMm === undefined ? undefined : volumeMm3,
          frameCount: frames,
          firstFrame: all.first?.frame,
          lastFrame: all.last?.frame,
          firstSource: findSource(mapped.first),
          lastSource: findSource(mapped.last),
          damagedFrames: damagedOfAny + (damagedOf.get(number) ?? 0),
        }));
    },
  };
}

const NO_ENDS = { first: undefined, last: undefined };

function nothing(): Sum {
  return { voxels: 0, volumeMm3: 0, frames: 0, all: { ...NO_ENDS }, mapped: { ...NO_ENDS } };
}

function orderOf(plane: ImagePlane | undefined, normal: Vector3 | undefined): number | undefined {
  return plane && normal && dot(normal, plane.position);
}

function widen(ends: Ends, entry: Entry): void {
  if (ends.first === undefined || entry.order < ends.first.order) ends.first = entry;
  if (ends.last === undefined || entry.order >= ends.last.order) ends.last = entry;
}
