import type { Vector3 } from '../../../shared/geometry.ts';
import { createDistinct } from '../../standard/geometry/geometryColumns.ts';
import { isMosaicType } from '../../standard/geometry/mosaicType.ts';
import type { Mosaic } from '../../standard/geometry/readMosaic.ts';
import type { PlaneOrientation } from '../../../shared/geometry.ts';
import type { LargeStack, StackRecord } from '../series/stackRecord.ts';
import type { StackFile } from './placeFrames.ts';
import { refuse, type SliceCrops, type VolumeRefusal } from './volume.ts';

/** The frames of a stack, or the slices that each of them shows side by side. */
export type CutStack = StackRecord & { readonly crops?: SliceCrops };

/** More slices than any real series of mosaics has: 1,200 times of 72 slices are 86,400. */
const MOST_SLICES = 262_144;

/** What is known of a mosaic; undefined if the file is none. */
export type MosaicReader = (fileIndex: number) => Mosaic | { readonly problem: string } | undefined;

/** Whether files of a stack may be mosaics, of which only their headers say where their slices are. */
export function mayBeMosaics(
  stack: StackRecord | LargeStack | undefined,
  fileOf: (index: number) => StackFile | undefined,
): stack is StackRecord {
  if (stack === undefined || stack.kind !== 'ordinary') return false;
  const file = fileOf(stack.fileIndices[0] ?? -1);
  if (file?.frameCount !== 1 || file.samplesPerPixel !== 1) return false;
  return file.modality === 'MR' || isMosaicType(file.imageType.split('\\'));
}

/**
 * Cuts mosaics into their slices. Every slice is then an entry of the stack, with its place in the image. The stack itself
 * if its images are no mosaics.
 */
export function cutMosaics(stack: StackRecord, mosaicOf: MosaicReader): CutStack | { readonly refusal: VolumeRefusal } {
  // Where the images have positions and the first one is no mosaic, the others need not be read.
  const isFirst = mosaicOf(stack.fileIndices[0]!) !== undefined;
  const isPlaced = stack.points.every((coordinate) => !Number.isNaN(coordinate));
  if (!isFirst && isPlaced) return stack;
  const mosaics: Mosaic[] = [];
  let slices = 0;
  for (const index of stack.fileIndices) {
    const mosaic = mosaicOf(index);
    if (mosaic === undefined) continue;
    if ('problem' in mosaic) {
      return refuse('mosaic', `the image is a mosaic of slices, and ${mosaic.problem}`);
    }
    mosaics.push(mosaic);
    slices += mosaic.points.length;
  }
  if (mosaics.length === 0) return stack;
  if (mosaics.length < stack.length) {
    return refuse('mosaic', 'some images are mosaics of slices, and others of the same stack are not');
  }
  if (slices > MOST_SLICES) {
    const message = `the mosaics have ${slices} slices, and a volume can have ${MOST_SLICES} of all times`;
    return refuse('too_many_frames', message);
  }
  return cut(stack, mosaics, slices);
}

function cut(stack: StackRecord, mosaics: readonly Mosaic[], length: number): CutStack {
  const orientations = createDistinct<PlaneOrientation>({
    keyOf: ({ rowDirection, columnDirection }) => [...rowDirection, ...columnDirection].join(),
  });
  const points = new Float64Array(3 * length);
  const orientationOf = new Int32Array(length);
  const crops = { tops: new Uint32Array(length), lefts: new Uint32Array(length) };
  const entries = new Uint32Array(length);
  let at = 0;
  for (const [entry, { points: firsts, orientation, rows, columns, across }] of mosaics.entries()) {
    const number = orientations.placeOf(orientation);
    for (const [slice, point] of firsts.entries()) {
      entries[at] = entry;
      points.set(point satisfies Vector3, 3 * at);
      orientationOf[at] = number;
      crops.tops[at] = Math.floor(slice / across) * rows;
      crops.lefts[at] = (slice % across) * columns;
      at += 1;
    }
  }
  const spread = <Column extends Uint32Array | Int32Array | Float64Array>(column: Column, into: Column): Column => {
    for (const [n, entry] of entries.entries()) into[n] = column[entry]!;
    return into;
  };
  return {
    ...stack,
    length,
    fileIndices: spread(stack.fileIndices, new Uint32Array(length)),
    frameIndices: new Uint32Array(length),
    points,
    positionsMm: new Float64Array(length).fill(NaN),
    orientations: orientations.values,
    orientationOf,
    spacingOf: spread(stack.spacingOf, new Int32Array(length)),
    thicknessesMm: spread(stack.thicknessesMm, new Float64Array(length)),
    sliceSpacingsMm: spread(stack.sliceSpacingsMm, new Float64Array(length)),
    // All slices of an image share its number, which says nothing about their order.
    instanceNumbers: new Float64Array(length).fill(NaN),
    crops,
  };
}
