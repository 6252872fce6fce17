import type { MaskLayer } from '../../../../shared/maskLayers.ts';
import { planeToPlane } from '../../../../shared/geometry.ts';
import { highest } from './paintOverlay.ts';
import type { BitFrame } from '../../../images/pixels/readBits.ts';
import { findBitBox } from './maskBits.ts';
import { findBox, type MaskBox } from './maskBox.ts';
import { createRowSampler, SAME_GRID, type SpatialGrid } from './resample.ts';
import type { SampleMeaning } from './segmentationTasks.ts';

export type LayerInput = {
  /** The source frame. */
  readonly target: SpatialGrid;
  /** The segmentation frame. */
  readonly mask: SpatialGrid;
  /** Samples, or the bits of a mask. */
  readonly samples: Uint8Array | Uint16Array | BitFrame;
  readonly meaning: SampleMeaning;
  /** Called with the number of samples that are drawn, before they are. */
  readonly onSamples: (count: number) => void;
};

type LayerContent = Pick<MaskLayer, 'kind' | 'maximum' | 'top' | 'left' | 'rows' | 'columns' | 'samples'>;

/**
 * The samples of a segmentation frame over its source frame, cropped to the nonzero ones; undefined if there are none.
 */
export function buildLayer({ target, mask, samples, meaning, onSamples }: LayerInput): LayerContent | undefined {
  const { values, maximum } = buildValueTable(meaning, 'bits' in samples ? 1 : mostOf(samples));
  const filled = 'bits' in samples ? findBitBox(samples) : findBox(samples, mask.columns, values);
  if (filled === undefined) return undefined;
  const sampleAt = createSampleReader(samples);
  const { top, left, rows, columns } = findTargetBox(target, mask, filled);
  onSamples(rows * columns);
  const sampleRow = createRowSampler(target, mask);
  const places = new Int32Array(columns);
  const drawn = createLike(values, rows * columns);
  for (let row = 0; row < rows; row += 1) {
    sampleRow(top + row, places, left);
    for (let column = 0; column < columns; column++) {
      const place = places[column]!;
      if (place >= 0) drawn[row * columns + column] = values[sampleAt(place)]!;
    }
  }
  const layer = cropLayer(drawn, columns);
  return layer && { kind: meaning.kind, maximum, ...layer, top: layer.top + top, left: layer.left + left };
}

type CroppedLayer = Pick<MaskLayer, 'top' | 'left' | 'rows' | 'columns' | 'samples'>;

/** The part of a drawn layer that is not empty; undefined if all of it is. */
export function cropLayer(drawn: Uint8Array | Uint16Array, columns: number): CroppedLayer | undefined {
  const box = findBox(drawn, columns);
  if (box === undefined) return undefined;
  const samples = createLike(drawn, box.rows * box.columns);
  for (let row = 0; row < box.rows; row += 1) {
    const at = (box.top + row) * columns + box.left;
    samples.set(drawn.subarray(at, at + box.columns), row * box.columns);
  }
  return { ...box, samples };
}

/** The layer value of each stored value. */
export function buildValueTable(meaning: SampleMeaning, highestValue: number) {
  const isWide = highestValue > 255;
  const values =
    isWide && meaning.kind === 'labels' ? new Uint16Array(highestValue + 1) : new Uint8Array(highestValue + 1);
  switch (meaning.kind) {
    case 'mask':
      values.fill(1, 1);
      return { values, maximum: undefined };
    case 'fractions': {
      // Fractions of more than one byte are not standard, and 256 steps are indistinguishable.
      const scale = isWide || meaning.maximum > 255 ? 255 / meaning.maximum : 1;
      for (let value = 1; value <= highestValue; value++) values[value] = Math.min(255, Math.round(value * scale));
      return { values, maximum: scale === 1 ? meaning.maximum : 255 };
    }
    case 'labels':
      for (let value = 1; value <= highestValue; value++) values[value] = value;
      for (const value of meaning.hidden) if (value <= highestValue) values[value] = 0;
      return { values, maximum: undefined };
  }
}

function createLike(values: Uint8Array | Uint16Array, length: number): Uint8Array | Uint16Array {
  return values instanceof Uint16Array ? new Uint16Array(length) : new Uint8Array(length);
}

function createSampleReader(samples: LayerInput['samples']): (place: number) => number {
  if (!('bits' in samples)) return (place) => samples[place]!;
  const { bits } = samples;
  // Beyond the end of a frame that is cut there is nothing.
  return (place) => ((bits[place >>> 3] ?? 0) >>> (place & 7)) & 1;
}

/** The part of the target that these samples can reach: most segments are small, so the rest can be skipped. */
function findTargetBox(target: SpatialGrid, mask: SpatialGrid, { top, left, rows, columns }: MaskBox): MaskBox {
  const [rr, rc, r0, cr, cc, c0] =
    target.plane === undefined || mask.plane === undefined ? SAME_GRID : planeToPlane(mask.plane, target.plane);
  const corners = [top - 1, top + rows].flatMap((row) => [left - 1, left + columns].map((column) => [row, column]));
  const inRows = rangeWithin(
    target.rows,
    corners.map(([row = 0, column = 0]) => rr * row + rc * column + r0),
  );
  const inColumns = rangeWithin(
    target.columns,
    corners.map(([row = 0, column = 0]) => cr * row + cc * column + c0),
  );
  return { top: inRows.first, left: inColumns.first, rows: inRows.count, columns: inColumns.count };
}

function rangeWithin(size: number, places: readonly number[]): { readonly first: number; readonly count: number } {
  const first = Math.min(size, Math.max(0, Math.floor(Math.min(...places))));
  return { first, count: Math.max(0, Math.min(size, Math.ceil(Math.max(...places)) + 1) - first) };
}

/** An upper bound of the samples. Bytes are not worth scanning. */
export function mostOf(samples: Uint8Array | Uint16Array): number {
  return samples instanceof Uint8Array ? 255 : highest(samples);
}
