import type { MarkMask } from '../../../../shared/contract/marks.ts';
import { createMaskBits, decodeMask, encodeMask, type MaskBits } from '../../../../shared/maskRuns.ts';
import type { FrameAddress } from '../../../kit/api/frames.ts';
import { imagePlaneOf } from '../../../show/pictures/findPositionAt.ts';
import type { PictureSource } from '../../../show/pictures/pictureSource.ts';
import { findShownCut, findShownFrame, type ShownFrame } from '../../../show/pictures/shownFrame.ts';
import { findMeasuredFrame } from '../shapes/measuredFrame.ts';
import { reportOf } from '../../../show/pictures/viewports.ts';
import { definePart, type Page } from '../../../kit/state/page.ts';
import type { StackVolume } from '../../../kit/state/volumes.ts';
import { frameKey } from '../sync/markForm.ts';
import type { BrushMark } from './brushes.ts';
import { locateVoxels, type Voxels } from './locateVoxels.ts';

/** Where a brush paints: the pixels of a picture, and the stored samples that they stand for. */
export interface PaintGround {
  /** The same for the same pixels. */
  readonly key: string;
  /** A frame of the stack that is painted on. */
  readonly frame: FrameAddress;
  /** Not a stored frame, so that no single frame shows what was painted. */
  readonly isCut: boolean;
  readonly size: Size;
  /** The volume that a plane cuts. */
  readonly cutOf?: VolumeAtTime;
  /** The mask on the pixels of the picture. */
  read(mark: BrushMark): MaskBits;
  /** The same of anything that is on stored frames. */
  cover(findOn: (frame: FrameAddress, size: Size) => SampleTest | undefined): MaskBits;
  /** The same as runs; undefined without a pixel. */
  maskOf(mark: BrushMark): MarkMask | undefined;
  /** The masks of all frames that change if the picture is to look like `after`. */
  write(mark: BrushMark, before: MaskBits, after: MaskBits): ReadonlyMap<string, MarkMask | null>;
  /** The same, for a mask on the picture. */
  replace(mark: BrushMark, mask: MarkMask | null): ReadonlyMap<string, MarkMask | null>;
  /** The stored sample that a pixel of the picture stands for; undefined beyond the volume. */
  sampleAt(column: number, row: number): StoredSample | undefined;
}

/** Whether a sample of a frame, by its place in it, is inside. */
export type SampleTest = (offset: number) => boolean;

export type StoredSample = { readonly frame: FrameAddress; readonly column: number; readonly row: number };

/** What a cell shows, if a brush can paint on it: not a slab or a rotating MIP. */
export function findPaintedFrame(page: Page, cell: number): ShownFrame | undefined {
  if (reportOf(page, cell).tiles !== undefined) return findMeasuredFrame(page, cell);
  const stored = findShownFrame(page, cell);
  if (stored !== undefined) return stored;
  return reportOf(page, cell).shown?.source.cutOf === undefined ? undefined : findShownCut(page, cell);
}

/** The grounds that cells have shown last, because finding the samples under a plane takes some milliseconds. */
const groundsOf = definePart(() => new Map<number, { readonly volume: StackVolume; readonly ground: PaintGround }>());

export function findGround(page: Page, cell: number, shown: ShownFrame): PaintGround | undefined {
  const { file, frame, cut, screen } = shown;
  const size = { columns: screen.image.width, rows: screen.image.height };
  if (cut === undefined) return groundOfFrame({ fileIndex: file.index, frame }, size);
  const picture = reportOf(page, cell).shown;
  const found = picture?.source.cutOf;
  const plane = picture && imagePlaneOf(picture.source, picture.position);
  if (found === undefined || plane === undefined) return undefined;
  const known = groundsOf(page).get(cell);
  if (known?.volume === found.volume && known.ground.key === cut.key) return known.ground;
  const voxels = locateVoxels(found.volume.table, plane, size);
  const ground = groundOfPlane(cut.key, found, { voxels, size });
  groundsOf(page).set(cell, { volume: found.volume, ground });
  return ground;
}

type Size = { readonly columns: number; readonly rows: number };

function groundOfFrame(frame: FrameAddress, { columns, rows }: Size): PaintGround {
  const key = frameKey(frame);
  return {
    key,
    frame,
    isCut: false,
    size: { columns, rows },
    read({ slices }) {
      const bits = createMaskBits(columns, rows);
      const mask = slices.get(key);
      if (mask !== undefined) decodeMask(mask, bits);
      return bits;
    },
    cover(findOn) {
      const bits = createMaskBits(columns, rows);
      const isInside = findOn(frame, { columns, rows });
      for (let at = 0; at < bits.bits.length; at += 1) if (isInside?.(at) === true) bits.bits[at] = 1;
      return bits;
    },
    maskOf: ({ slices }) => slices.get(key),
    write: (_, __, after) => new Map([[key, encodeMask(after) ?? null]]),
    replace: (_, mask) => new Map([[key, mask]]),
    sampleAt: (column, row) => ({ frame, column, row }),
  };
}

type VolumeAtTime = NonNullable<PictureSource['cutOf']>;

function groundOfPlane(
  key: string,
  cutOf: VolumeAtTime,
  { voxels: { places, offsets }, size }: { readonly voxels: Voxels; readonly size: Size },
): PaintGround {
  const {
    volume: { table, frames },
    time,
  } = cutOf;
  const frameOf = (place: number): FrameAddress => {
    const at = time * table.positionsMm.length + place;
    return { fileIndex: frames.fileIndices[at] ?? 0, frame: frames.frameIndices[at] ?? 0 };
  };
  const ground: PaintGround = {
    key,
    frame: frameOf(0),
    isCut: true,
    size,
    cutOf,
    read: ({ slices }) =>
      ground.cover((frame) => {
        const mask = slices.get(frameKey(frame));
        return mask && finderOf(mask, table.columns);
      }),
    cover(findOn) {
      const bits = createMaskBits(size.columns, size.rows);
      const stored = { columns: table.columns, rows: table.rows };
      /** Of the slices under the plane; null where nothing is inside. */
      const tests: (SampleTest | null | undefined)[] = [];
      for (let at = 0; at < places.length; at += 1) {
        const place = places[at]!;
        if (place < 0) continue;
        const isInside = (tests[place] ??= findOn(frameOf(place), stored) ?? null);
        if (isInside?.(offsets[at]!) === true) bits.bits[at] = 1;
      }
      return bits;
    },
    write({ slices }, before, after) {
      const changed = new Map<number, MaskBits>();
      for (let at = 0; at < places.length; at += 1) {
        const place = places[at]!;
        if (place < 0 || before.bits[at] === after.bits[at]) continue;
        let bits = changed.get(place);
        if (bits === undefined) {
          bits = createMaskBits(table.columns, table.rows);
          const mask = slices.get(frameKey(frameOf(place)));
          if (mask !== undefined) decodeMask(mask, bits);
          changed.set(place, bits);
        }
        bits.bits[offsets[at]!] = after.bits[at]!;
      }
      return new Map(
        [...changed].map(([place, bits]) => [frameKey(frameOf(place)), encodeMask(bits) ?? null] as const),
      );
    },
    maskOf: (mark) => encodeMask(ground.read(mark)),
    replace(mark, mask) {
      const after = createMaskBits(size.columns, size.rows);
      if (mask !== null) decodeMask(mask, after);
      return ground.write(mark, ground.read(mark), after);
    },
    sampleAt(column, row) {
      const at = row * size.columns + column;
      const [place, offset] = [places[at] ?? -1, offsets[at] ?? 0];
      if (place < 0) return undefined;
      return { frame: frameOf(place), column: offset % table.columns, row: Math.floor(offset / table.columns) };
    },
  };
  return ground;
}

/** Masks never change, so each is unpacked once: one bit for each pixel of its rectangle. */
const packedMasks = new WeakMap<MarkMask, Uint8Array>();

/** Tells whether a sample, by its place in a frame with so many columns, is in the mask. */
function finderOf(mask: MarkMask, columns: number): SampleTest {
  const { left, top, width, height } = mask;
  const packed = packedMasks.get(mask) ?? packMask(mask);
  packedMasks.set(mask, packed);
  return (offset) => {
    const [x, y] = [(offset % columns) - left, Math.floor(offset / columns) - top];
    if (x < 0 || y < 0 || x >= width || y >= height) return false;
    const at = y * width + x;
    return (packed[at >> 3]! & (1 << (at & 7))) !== 0;
  };
}

function packMask({ width, height, runs }: MarkMask): Uint8Array {
  const packed = new Uint8Array(Math.ceil((width * height) / 8));
  let at = 0;
  for (const [n, run] of runs.entries()) {
    for (const end = at + run; at < end; at += 1) if (n % 2 === 1) packed[at >> 3]! |= 1 << (at & 7);
  }
  return packed;
}
