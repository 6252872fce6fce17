import { ViewerError } from '../../../shared/contract/errors.ts';
import type { Rgb } from '../../../shared/cielab.ts';

/** The number types that arrays are stored in. */
export const ELEMENT_BYTES = {
  uint8: 1,
  int8: 1,
  uint16: 2,
  int16: 2,
  uint32: 4,
  int32: 4,
  uint64: 8,
  int64: 8,
  float16: 2,
  float32: 4,
  float64: 8,
} as const;
export type ElementType = keyof typeof ELEMENT_BYTES;

/** Where the elements are in a file, and how they are packed. */
export type DataPlace = {
  /** Name of a file beside the one with the header; undefined for the same file. */
  readonly besideName: string | undefined;
  /** The packed bytes, `length` of them from `start`. */
  readonly start: number;
  /** Undefined if they go to the end of the file. */
  readonly length: number | undefined;
  readonly packing: 'raw' | 'gzip' | 'deflate' | 'ascii' | 'hex';
  /** Unpacked bytes before the first element; `to_end` if the elements are the last bytes. */
  readonly skip: number | 'to_end';
  /** Lines before the packed bytes. */
  readonly skipLines: number;
};

/** Three columns and an origin, each x, y and z: from indices along the axes of space to millimetres in the patient (LPS). */
export type Affine = readonly [
  ...first: readonly [number, number, number],
  ...second: readonly [number, number, number],
  ...third: readonly [number, number, number],
  ...origin: readonly [number, number, number],
];

export type AffineSource = 'sform' | 'qform' | 'space_directions';

/** A label with a name, such as a segment of a `.seg.nrrd`. */
export type NamedLabel = {
  /** Index along the axis that is not in space. */
  readonly channel: number;
  readonly value: number;
  readonly name: string | undefined;
  readonly color: Rgb | undefined;
  /** What writers add, such as `Segmentation.Status:inprogress|`. */
  readonly tags?: string | undefined;
};

export type ArrayWarning = { readonly code: string; readonly message: string };

/** What the header of an array declares. It is checked against the bytes that are there before anything is read. */
export type ArrayHeader = {
  /** As the file declares it. */
  readonly shape: readonly number[];
  /** Sizes in memory order: the first one is that of neighbouring elements. Sizes of 1 beyond the third are left out. */
  readonly sizes: readonly number[];
  /** Whether `shape` begins with the slowest axis, as in C; otherwise with that of neighbouring elements. */
  readonly isSlowestFirst?: boolean;
  /** Of the axes in `sizes`: the three of space, in the order in which the affine has them. */
  readonly spatialAxes: readonly [number, number, number] | undefined;
  readonly element: ElementType;
  readonly isLittleEndian: boolean;
  readonly scale: { readonly slope: number; readonly intercept: number } | undefined;
  readonly affine: Affine | undefined;
  readonly affineSource: AffineSource | undefined;
  readonly data: DataPlace;
  readonly labels: readonly NamedLabel[];
  readonly warnings: readonly ArrayWarning[];
  /** What the axis that is not in space is, if the file says so. */
  readonly otherAxis?: OtherAxis | undefined;
};

/** Times, with the seconds between them where these are known, or the components of a vector. */
export type OtherAxis =
  | { readonly kind: 'time'; readonly stepSeconds: number | undefined }
  | { readonly kind: 'vector' };

export function unreadable(reason: string): ViewerError {
  return new ViewerError('attachment_unreadable', reason);
}

const LARGEST_SIZE = 2 ** 31;
const MOST_AXES = 16;

/** Throws unless these are sizes of an array. */
export function checkShape(shape: readonly number[]): void {
  if (shape.length === 0 || shape.length > MOST_AXES) throw unreadable(`the array has ${shape.length} axes`);
  for (const size of shape) {
    if (!Number.isInteger(size) || size < 1 || size > LARGEST_SIZE) throw unreadable(`${size} is no size of an axis`);
  }
}

export function countElements(sizes: readonly number[]): number {
  return sizes.reduce((product, size) => product * size, 1);
}

/** The highest ratio of deflate: 258 bytes from two bits. */
const HIGHEST_RATIO = 1032;

/** Throws if the bytes that are there cannot hold the elements that the header declares. */
export function checkLength({ sizes, element, data }: ArrayHeader, fileBytes: number): void {
  const { start, length = fileBytes - start, packing, skip } = data;
  const there = Math.min(length, fileBytes - start);
  const elements = countElements(sizes);
  const declared = elements * ELEMENT_BYTES[element] + (skip === 'to_end' ? 0 : skip);
  const [needed, most] =
    packing === 'ascii'
      ? [elements, (there + 1) / 2]
      : [declared, packing === 'raw' ? there : packing === 'hex' ? there / 2 : there * HIGHEST_RATIO];
  if (!(needed <= most)) {
    const unit = packing === 'ascii' ? 'numbers' : 'bytes';
    throw unreadable(
      `the header declares ${needed} ${unit}, but the file holds ${Math.max(0, Math.floor(most))} at most`,
    );
  }
}

/** Sizes of 1 that are not needed for a volume are left out, from the slowest axis on. */
export function dropSingles(sizes: readonly number[]): readonly number[] {
  let end = sizes.length;
  while (end > 3 && sizes[end - 1] === 1) end -= 1;
  return sizes.slice(0, end);
}

/** The same for a file whose first three axes are those of space: no axis of size 1 behind them is needed. */
export function dropSinglesBehind(sizes: readonly number[]): readonly number[] {
  return sizes.filter((size, axis) => axis < 3 || size !== 1);
}

/** Undefined, and a warning, if the affine has no volume. Throws if it is no affine at all. */
export function checkAffine(affine: Affine): Affine | undefined {
  if (!affine.every((part) => Number.isFinite(part) && Math.abs(part) < 1e9)) {
    throw unreadable('the affine of the array has values that are not finite numbers');
  }
  const [ax, ay, az, bx, by, bz, cx, cy, cz] = affine;
  const volume = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx);
  return Math.abs(volume) > 1e-12 ? affine : undefined;
}

export const NO_VOLUME: ArrayWarning = {
  code: 'affine_without_volume',
  message: 'the affine of the file has no volume, so the file is placed by its sizes only',
};
