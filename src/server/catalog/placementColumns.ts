import type { ConcatenationPart, Placement, SlidePlacement } from './placement.ts';

/** Where values are put, in an order that the reader knows. */
export type ColumnWriter = {
  /** NaN for absent. */
  number(value: number | undefined): void;
  text(value: string | undefined): void;
};
export type ColumnReader = {
  number(): number;
  text(): string | undefined;
};

// Bits of the first number: which of the rare parts follow.
const PRESENT = 1;
const POSITION = 2;
const ORIENTATION = 4;
const SAME_ORIENTATION = 8;
const FRAME_GEOMETRY = 16;
const CONCATENATION = 32;
const SLIDE = 64;

/** Writes the placements of one batch, one file after another. An orientation is written once for files in a row. */
export function createPlacementPacker(writer: ColumnWriter): (placement: Placement | undefined) => void {
  let last: readonly number[] | undefined;
  return (placement) => {
    if (placement === undefined) return writer.number(0);
    const { position, orientation, concatenation, slide } = placement;
    const isSame = orientation !== undefined && last !== undefined && isEqual(orientation, last);
    let parts = PRESENT;
    if (position !== undefined) parts += POSITION;
    if (orientation !== undefined) parts += isSame ? SAME_ORIENTATION : ORIENTATION;
    if (placement.hasFrameGeometry) parts += FRAME_GEOMETRY;
    if (concatenation !== undefined) parts += CONCATENATION;
    if (slide !== undefined) parts += SLIDE;
    writer.number(parts);
    writer.text(placement.imageType);
    writer.number(placement.echoNumber);
    writer.number(placement.time);
    for (const coordinate of position ?? []) writer.number(coordinate);
    if (orientation !== undefined && !isSame) {
      for (const component of orientation) writer.number(component);
      last = orientation;
    }
    if (concatenation !== undefined) writeConcatenation(writer, concatenation);
    if (slide !== undefined) writeSlide(writer, slide);
  };
}

/** Reads what the packer wrote. The lists of orientation are shared over batches, which files in a row mostly are. */
export function createPlacementUnpacker(): (reader: ColumnReader) => Placement | undefined {
  let last: readonly number[] | undefined;

  const readOrientation = (reader: ColumnReader): readonly number[] => {
    const numbers = Array.from({ length: 6 }, () => reader.number());
    if (last === undefined || !isEqual(numbers, last)) last = numbers;
    return last;
  };

  return (reader) => {
    const parts = reader.number();
    if ((parts & PRESENT) === 0) return undefined;
    return {
      imageType: reader.text() ?? '',
      echoNumber: definite(reader.number()),
      time: definite(reader.number()),
      position: parts & POSITION ? [reader.number(), reader.number(), reader.number()] : undefined,
      orientation: parts & ORIENTATION ? readOrientation(reader) : parts & SAME_ORIENTATION ? last : undefined,
      hasFrameGeometry: (parts & FRAME_GEOMETRY) > 0,
      concatenation: parts & CONCATENATION ? readConcatenation(reader) : undefined,
      slide: parts & SLIDE ? readSlide(reader) : undefined,
    };
  };
}

function writeConcatenation(writer: ColumnWriter, { uid, number, total, frameOffset }: ConcatenationPart): void {
  writer.text(uid);
  for (const value of [number, total, frameOffset]) writer.number(value);
}

function readConcatenation(reader: ColumnReader): ConcatenationPart {
  return {
    uid: reader.text() ?? '',
    number: definite(reader.number()),
    total: definite(reader.number()),
    frameOffset: definite(reader.number()),
  };
}

function writeSlide(writer: ColumnWriter, slide: SlidePlacement): void {
  writer.text(slide.pyramidUid);
  writer.text(slide.containerIdentifier);
  for (const value of [slide.totalRows, slide.totalColumns, slide.imagedVolumeWidthMm]) writer.number(value);
  for (const at of [0, 1]) writer.number(slide.originMm?.[at]);
  for (const at of [0, 1, 2, 3]) writer.number(slide.orientation?.[at]);
}

function readSlide(reader: ColumnReader): SlidePlacement {
  return {
    pyramidUid: reader.text(),
    containerIdentifier: reader.text() ?? '',
    totalRows: definite(reader.number()),
    totalColumns: definite(reader.number()),
    imagedVolumeWidthMm: definite(reader.number()),
    originMm: ifDefinite([reader.number(), reader.number()]),
    orientation: ifDefinite([reader.number(), reader.number(), reader.number(), reader.number()]),
  };
}

function ifDefinite<Numbers extends readonly number[]>(numbers: Numbers): Numbers | undefined {
  return numbers.some(Number.isNaN) ? undefined : numbers;
}

function isEqual(a: readonly number[], b: readonly number[]): boolean {
  return a === b || a.every((number, index) => number === b[index]);
}

function definite(number: number): number | undefined {
  return Number.isNaN(number) ? undefined : number;
}
