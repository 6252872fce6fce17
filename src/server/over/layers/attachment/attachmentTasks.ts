import { MIB } from '../../../machine/system/mib.ts';
import type { Rgb } from '../../../../shared/cielab.ts';
import type { ArrayHeader, ArrayWarning } from '../../../images/attachments/arrayHeader.ts';
import type { KnownSource } from '../../../bytes/origins/origins.ts';
import type { SampleStorage } from '../../../images/volumes/volume.ts';
import { defineTask } from '../../../machine/workers/task.ts';
import type { CroppedMasks } from '../segmentation/croppedMasks.ts';
import type { PackedMaskLayers } from '../segmentation/segmentationTasks.ts';
import type { ArrayOrder } from './arrayOrder.ts';

export type ReadMasksInput = {
  readonly content:
    | { readonly kind: 'array'; readonly data: KnownSource; readonly header: ArrayHeader; readonly order: ArrayOrder }
    | {
        readonly kind: 'pictures';
        readonly rows: number;
        readonly columns: number;
        readonly pictures: readonly { readonly source: KnownSource; readonly place: number }[];
      };
  /** Bytes that the masks may take; more is refused. */
  readonly mostBytes: number;
};

export type AttachmentContent = 'labels' | 'probabilities' | 'values';

export type AttachmentPart = {
  readonly number: number;
  readonly name: string | undefined;
  readonly color: Rgb | undefined;
  readonly voxels: number;
};

/** The masks of an array, as those of a segmentation with a frame for each part in each slice; none of other content. */
export type AttachmentMasks = {
  readonly content: AttachmentContent;
  readonly valueRange: readonly [number, number];
  readonly parts: readonly AttachmentPart[];
  readonly cropped: CroppedMasks;
  /** The slice and the part of each frame. */
  readonly places: Uint32Array<ArrayBuffer>;
  readonly segments: Int32Array<ArrayBuffer>;
  /** Number of voxels of each frame. */
  readonly amounts: Uint32Array<ArrayBuffer>;
  readonly warnings: readonly ArrayWarning[];
};

export type PackSlicesInput = {
  readonly rows: number;
  readonly columns: number;
  /** Only the frames of one slice. */
  readonly cropped: CroppedMasks;
  /** The part of each frame. */
  readonly segments: Int32Array;
};

/** One volume of an array, to be written in the order slice, row, column. */
export type ReadValuesInput = {
  readonly data: KnownSource;
  readonly header: ArrayHeader;
  readonly order: ArrayOrder;
  /** Index along the axis that is not in space. */
  readonly channel: number;
  readonly storage: SampleStorage;
  readonly buffer: SharedArrayBuffer;
};

export const readValuesTask = defineTask<ReadValuesInput, void>('attachment.readValues', {
  timeoutMs: 180_000,
  mostBytes: 8 * MIB,
});
export const readMasksTask = defineTask<ReadMasksInput, AttachmentMasks, { readonly sampleBytes: number }>(
  'attachment.readMasks',
  { timeoutMs: 180_000, bytes: (_, { sampleBytes }) => sampleBytes + 4 * MIB },
);
export const packSliceTask = defineTask<PackSlicesInput, PackedMaskLayers>('attachment.packSlice', {
  timeoutMs: 20_000,
  mostBytes: ({ rows, columns, cropped }) => MIB + 3 * rows * columns * Math.max(1, cropped.frames.length),
});
