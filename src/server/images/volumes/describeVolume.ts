import type { ModalityTransform } from '../../../shared/modality.ts';
import type { DeclaredVoi } from '../../../shared/chooseVoi.ts';
import type { PositionTable } from '../../../shared/positionTable.ts';
import type { CutStack } from './cutMosaics.ts';
import { listFiles, type PlacedFrames } from './placeFrames.ts';
import { splitByNumber, splitTimes, type TimeKeys } from './splitTimes.ts';
import {
  type DescribedVolume,
  refuse,
  type Rescale,
  type Volume,
  type VolumeSample,
  type VolumeWarning,
} from './volume.ts';

/** What the header of a file says about the samples of one frame, and what tells it apart from others. */
export type FrameFacts = Pick<
  VolumeSample,
  'storage' | 'bitsStored' | 'photometricInterpretation' | 'unit' | 'padding'
> & {
  readonly keys: TimeKeys;
  readonly stackId: string | undefined;
  readonly modality: ModalityTransform;
  /** Spacing Between Slices as written. */
  readonly sliceSpacingMm: number | undefined;
  readonly suvFactor: number | undefined;
  /** Of an enhanced MR: such as MAGNITUDE or PHASE. */
  readonly complexComponent: string | undefined;
};

export type FrameReader = {
  /** By entry of the stack. */
  readonly factsOf: (entry: number) => FrameFacts;
  readonly voiOf: (entry: number) => DeclaredVoi;
  /** Whether two frames have the same pixel data, byte by byte. */
  readonly areEqual: (a: number, b: number) => boolean;
};

/** Copies that are compared; with more, it is no longer a matter of a few. */
const MOST_COMPARED = 64;
const CONTRADICTION = 0.01;

/** Turns placed frames into a volume: tells times apart, and finds one description of all samples. */
export function describeVolume(stack: CutStack, placed: PlacedFrames, reader: FrameReader): DescribedVolume {
  const { factsOf } = reader;
  const keysOf = (entry: number) => factsOf(entry).keys;
  const told = splitTimes(placed.places, keysOf);
  const warnings = [...placed.warnings];
  const inDoubt = findDifferent(told.duplicates, reader);
  const isDoubtful = told.isDoubtful && inDoubt.length > 0;
  const byNumber = isDoubtful ? splitByNumber(placed.places, keysOf) : undefined;
  if (isDoubtful && byNumber === undefined) {
    const message = 'most places hold several frames, and nothing tells their times apart';
    return { volume: undefined, ...refuse('incomplete_time', message) };
  }
  if (byNumber !== undefined) {
    const message =
      `nothing but Instance Number (0020,0013) tells the ${byNumber.times.length} images of each place apart: ` +
      'times are in its order';
    warnings.push({ code: 'times_by_number', message, fileIndices: listFiles(stack, byNumber.frames.flat()) });
  }
  const split = byNumber === undefined ? told : { ...told, ...byNumber };
  const different = byNumber === undefined ? inDoubt : [];
  if (different.length > 0) {
    const count = different.length === 1 ? 'one place' : `${different.length} places`;
    const message = `${count} hold several different frames; of each, the one with the lowest instance number is shown`;
    warnings.push({ code: 'duplicate_positions', message, fileIndices: listFiles(stack, different.flat()) });
  }
  const { incomplete } = split;
  if (incomplete.count > 0) {
    const times = incomplete.count === 1 ? 'one time does' : `${incomplete.count} times do`;
    const message = `${times} not have a frame in every place, and cannot be shown as a volume`;
    warnings.push({ code: 'incomplete_time', message, fileIndices: listFiles(stack, incomplete.frames) });
  }
  const entries = split.frames.flat();
  warnings.push(...tellSliceSpacing(stack, placed, entries, reader));
  const sample = describeSample(entries, reader, Math.floor(placed.places.length / 2));
  if ('refusal' in sample) return { volume: undefined, ...sample };
  const volume: Volume = {
    space: stack.space,
    frameOfReferenceUid: stack.frameOfReferenceUid,
    table: toTable(placed),
    tiltDegrees: placed.tiltDegrees,
    times: split.times,
    fileIndices: Uint32Array.from(entries, (entry) => stack.fileIndices[entry]!),
    frameIndices: Uint32Array.from(entries, (entry) => stack.frameIndices[entry]!),
    crops: stack.crops && {
      tops: Uint32Array.from(entries, (entry) => stack.crops!.tops[entry]!),
      lefts: Uint32Array.from(entries, (entry) => stack.crops!.lefts[entry]!),
    },
    sample,
    warnings,
  };
  return { volume, refusal: undefined };
}

export function toTable(placed: PlacedFrames): PositionTable {
  return {
    ...placed.orientation,
    rows: placed.rows,
    columns: placed.columns,
    rowSpacingMm: placed.spacingMm[0],
    columnSpacingMm: placed.spacingMm[1],
    positionsMm: placed.positionsMm,
    points: placed.points,
    isHole: placed.isHole,
    spacingMm: placed.placeSpacingMm,
  };
}

/** The places whose frames are not copies of each other. */
function findDifferent(duplicates: readonly (readonly number[])[], { areEqual }: FrameReader) {
  let compared = 0;
  return duplicates.filter(([first = 0, ...others]) =>
    others.some((other) => {
      compared += 1;
      return compared > MOST_COMPARED || !areEqual(first, other);
    }),
  );
}

/** Positions count; a declared distance that contradicts them is only reported. */
function tellSliceSpacing(
  stack: CutStack,
  { placeSpacingMm }: PlacedFrames,
  entries: readonly number[],
  { factsOf }: FrameReader,
): VolumeWarning[] {
  const declaredMm = Math.abs(factsOf(entries[0]!).sliceSpacingMm ?? NaN);
  if (!(Math.abs(declaredMm - placeSpacingMm) > CONTRADICTION * placeSpacingMm) || declaredMm === 0) return [];
  const message =
    `Spacing Between Slices (0018,0088) is ${round(declaredMm)} mm, but the slices are ${round(placeSpacingMm)} mm ` +
    'apart by their positions, which are used';
  return [{ code: 'slice_spacing', message, fileIndices: listFiles(stack, entries.slice(0, 1)) }];
}

function describeSample(
  entries: readonly number[],
  { factsOf, voiOf }: FrameReader,
  middle: number,
): VolumeSample | ReturnType<typeof refuse> {
  const first = factsOf(entries[0]!);
  let isOneType = true;
  let isOneRescale = true;
  let isOnePadding = true;
  let hasTable = false;
  for (const entry of entries) {
    const { storage, photometricInterpretation, modality, padding, bitsStored } = factsOf(entry);
    if (photometricInterpretation !== first.photometricInterpretation) {
      return refuse('not_a_volume', 'some images are inverted, that is MONOCHROME1, and others are not');
    }
    isOneType &&= storage === first.storage && bitsStored === first.bitsStored;
    isOnePadding &&= padding?.low === first.padding?.low && padding?.high === first.padding?.high;
    hasTable ||= modality.kind === 'lut';
    isOneRescale &&= isSameRescale(modality, first.modality);
  }
  const { photometricInterpretation, unit, suvFactor } = first;
  const common = { photometricInterpretation, unit, suvFactor, voi: voiOf(entries[middle]!) };
  // Lookup tables and samples of several types have nothing in common but their modality values.
  if (hasTable || !isOneType) {
    return {
      ...common,
      storage: 'float32',
      isModality: true,
      bitsStored: 32,
      rescale: { slope: 1, intercept: 0 },
      rescales: undefined,
      padding: undefined,
      paddings: undefined,
    };
  }
  const rescaleOf = (entry: number) => toRescale(factsOf(entry).modality);
  return {
    ...common,
    storage: first.storage,
    isModality: false,
    bitsStored: first.bitsStored,
    rescale: isOneRescale ? toRescale(first.modality) : undefined,
    rescales: isOneRescale
      ? undefined
      : {
          slopes: Float64Array.from(entries, (entry) => rescaleOf(entry).slope),
          intercepts: Float64Array.from(entries, (entry) => rescaleOf(entry).intercept),
        },
    padding: isOnePadding ? first.padding : undefined,
    paddings: isOnePadding
      ? undefined
      : {
          lows: Float64Array.from(entries, (entry) => factsOf(entry).padding?.low ?? NaN),
          highs: Float64Array.from(entries, (entry) => factsOf(entry).padding?.high ?? NaN),
        },
  };
}

function isSameRescale(a: ModalityTransform, b: ModalityTransform): boolean {
  return a.kind === 'rescale' && b.kind === 'rescale' && a.slope === b.slope && a.intercept === b.intercept;
}

function toRescale(modality: ModalityTransform): Rescale {
  return modality.kind === 'rescale' ? modality : { slope: 1, intercept: 0 };
}

function round(value: number): string {
  return String(Number(value.toFixed(3)));
}
