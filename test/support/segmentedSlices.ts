import { type DataSetInput, writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { AXIAL, placedImage, type SegmentationFrame, segmentationElements } from './placedElements.ts';

export const SLICE_SIZE = 32;

export function sliceUid(slice: number): string {
  return `2.25.7${slice}`;
}

function planeOf(slice: number) {
  return { position: [0, 0, slice * 3], orientation: AXIAL.orientation, spacing: [1, 1] as const };
}

/** Slices of 32 x 32 pixels, 3 mm apart, in spatial order. */
export function writeSlices(count: number, different: DataSetInput = {}): Uint8Array[] {
  const size = { rows: SLICE_SIZE, columns: SLICE_SIZE };
  return Array.from({ length: count }, (_, slice) =>
    writeDicom(
      placedImage(
        { uid: sliceUid(slice), ...size, plane: planeOf(slice) },
        { InstanceNumber: String(slice + 1), SeriesDescription: 'Slices', SeriesNumber: '1', ...different },
      ),
    ),
  );
}

/** A filled rectangle of one segment on one slice. */
export type Patch = {
  readonly slice: number;
  readonly segment: number;
  readonly top: number;
  readonly left: number;
  readonly rows: number;
  readonly columns: number;
};

export type PatchedSegmentation = {
  readonly patches: readonly Patch[];
  readonly uid: string;
  readonly name: string;
  /** Returns the UID of the slice that a frame declares as its source. */
  readonly sourceOf?: (slice: number) => string;
  readonly different?: DataSetInput;
};

export function writeSegmentation(written: PatchedSegmentation): Uint8Array {
  const { patches, uid, name, sourceOf = sliceUid, different = {} } = written;
  const frames = patches.map(({ slice, segment, ...patch }): SegmentationFrame => ({
    samples: toSamples(patch),
    segmentNumber: segment,
    plane: planeOf(slice),
    source: { uid: sourceOf(slice) },
  }));
  const segmentNumbers = [...new Set(patches.map(({ segment }) => segment))];
  return writeDicom(
    segmentationElements(
      { rows: SLICE_SIZE, columns: SLICE_SIZE, type: 'BINARY', frames, segmentNumbers },
      { SOPInstanceUID: uid, SeriesInstanceUID: `${uid}.1`, SeriesDescription: name, SeriesNumber: '2', ...different },
    ),
  );
}

function toSamples({ top, left, rows, columns }: Omit<Patch, 'slice' | 'segment'>): number[] {
  return Array.from({ length: SLICE_SIZE * SLICE_SIZE }, (_, i) => {
    const [row, column] = [Math.floor(i / SLICE_SIZE), i % SLICE_SIZE];
    return row >= top && row < top + rows && column >= left && column < left + columns ? 1 : 0;
  });
}
