import { type DeclaredVoi, isValidWindow } from '../../../shared/chooseVoi.ts';
import { createGrayTables } from '../../../shared/grayTable.ts';
import type { PixelPadding } from '../../../shared/padding.ts';
import { findTablePicture, type FrameToPresent, presentFrame } from '../../../shared/presentation.ts';
import { isFloatSamples, mapSamples, type NumberSamples } from '../../../shared/sampleArray.ts';
import type { StoredFrame } from '../pixels/frameTasks.ts';
import { packFrame, toRawFrame } from '../pixels/packFrame.ts';
import { samplesIn } from '../pixels/png/deflateRows.ts';
import { encodePng } from '../pixels/png/encodePng.ts';
import { shrinkPicture } from '../pixels/shrinkPicture.ts';
import type { TaskContext } from '../../machine/workers/serveTasks.ts';
import { finishPlane, type MovePoints, samplePart, samplePlane } from './samplePlane.ts';
import { isFloatStorage, isSignedStorage, viewSamples } from './sampleView.ts';
import type { Rescale, VolumeSample } from './volume.ts';
import type {
  PlaneFacts,
  PlaneInput,
  PlanePartInput,
  PlanePicture,
  PlanePictureInput,
  LoadedSamples,
  RawPlane,
  RawPlaneInput,
} from './volumeTasks.ts';
import type { VolumeSamples } from './weighSamples.ts';

/** The samples of a plane as a raw frame, perhaps of one that is bent on its way into the volume. Runs in a worker. */
export function renderRawPlane(input: RawPlaneInput, context: TaskContext, move?: MovePoints): RawPlane {
  const { frame, facts } = sampleFrame(input, input.wantsFloat, context, move);
  const raw = input.isPacked ? packFrame(frame) : { ...toRawFrame(frame), isPredicted: undefined };
  return { ...raw, bytes: context.transfer(raw.bytes), ...facts };
}

/** A plane as a picture. Runs in a worker. */
export function renderPlanePicture(input: PlanePictureInput, context: TaskContext): PlanePicture {
  const { frame, facts } = sampleFrame(input, false, context);
  const { decoded, rescaleSlope, rescaleIntercept, padding } = frame;
  const toPresent: FrameToPresent = {
    rows: decoded.rows,
    columns: decoded.columns,
    samples: decoded.samples,
    photometricInterpretation: decoded.photometricInterpretation,
    bitsStored: decoded.bitsAllocated,
    modality: { kind: 'rescale', slope: rescaleSlope, intercept: rescaleIntercept },
    voi: input.sample.voi,
    padding,
  };
  const tables = createGrayTables();
  const inTable = findTablePicture(toPresent, input.choice, tables);
  const picture = inTable
    ? { ...inTable, samples: samplesIn(inTable.pixels) }
    : presentFrame(toPresent, input.choice, tables);
  context.throwIfCancelled();
  const pixelAspectRatio = input.grid.rowSpacingMm / input.grid.columnSpacingMm;
  const bytes =
    input.size === undefined
      ? encodePng({ ...picture, iccProfile: undefined, pixelAspectRatio })
      : encodePng({ ...shrinkPicture(picture, input.size, pixelAspectRatio), iccProfile: undefined });
  const { window } = picture;
  return { bytes: context.transfer(bytes), mediaType: 'image/png', window, damage: input.damage, ...facts };
}

/** Samples a part of a plane. Runs in a worker. */
export function renderPlanePart(input: PlanePartInput, { throwIfCancelled }: Pick<TaskContext, 'throwIfCancelled'>) {
  const { grid, sampling, sample, ofPlane } = input;
  samplePart(viewVolume(input), grid, directed(sampling, sample), ofPlane, throwIfCancelled);
}

function viewVolume({ table, sample, buffer, slots, box, rescales, paddings }: LoadedSamples): VolumeSamples {
  return { table, samples: viewSamples(sample.storage, buffer), slots, box, rescales, paddings };
}

function sampleFrame(
  input: PlaneInput,
  wantsFloat: boolean,
  { throwIfCancelled }: Pick<TaskContext, 'throwIfCancelled'>,
  move?: MovePoints,
): { readonly frame: StoredFrame; readonly facts: PlaneFacts } {
  const { sample, grid, damage, sums } = input;
  const sampling = directed(input.sampling, sample);
  const {
    values,
    sampling: how,
    slab,
  } = sums === undefined
    ? samplePlane(viewVolume(input), grid, sampling, throwIfCancelled, move)
    : finishPlane(input.table, grid, sampling, sums);
  const plane = toPlaneSamples(values, { sample, wantsFloat, hasRescales: input.rescales !== undefined });
  const { samples, rescale, padding } = plane;
  const isFloat = isFloatSamples(samples);
  return {
    frame: {
      decoded: {
        rows: grid.rows,
        columns: grid.columns,
        samplesPerPixel: 1,
        bitsAllocated: samples.BYTES_PER_ELEMENT * 8,
        pixelRepresentation: samples instanceof Int16Array || samples instanceof Int8Array ? 1 : 0,
        photometricInterpretation: sample.photometricInterpretation,
        samples,
        changes: [],
        damage,
        planes: [],
      },
      rescaleSlope: rescale.slope,
      rescaleIntercept: rescale.intercept,
      defaultWindow: sample.voi.windows.find(isValidWindow),
      padding,
      sampleKind: isFloat ? 'float' : 'integer',
      voiLutFunction: sample.voi.shape,
      presentation: needsServer(sample.voi) ? 'server_default' : 'raw',
    },
    facts: { how, sheets: slab.count },
  };
}

/** The picture of a file without a window, but with a VOI LUT, is not made by a window. */
function needsServer({ tables, windows }: DeclaredVoi): boolean {
  return tables.length > 0 && !windows.some(isValidWindow);
}

/** A slope below 0 turns the largest stored sample into the smallest value. */
function directed(sampling: PlaneInput['sampling'], { rescale }: PlaneInput['sample']): PlaneInput['sampling'] {
  const { projection } = sampling;
  if (rescale === undefined || rescale.slope > 0 || projection === 'mean') return sampling;
  return { ...sampling, projection: projection === 'max' ? 'min' : 'max' };
}

type PlaneSamples = {
  readonly samples: Exclude<NumberSamples, Uint32Array | Int32Array | Float64Array>;
  readonly rescale: Rescale;
  readonly padding: PixelPadding | undefined;
};

const NO_RESCALE: Rescale = { slope: 1, intercept: 0 };

/**
 * Samples of up to 16 bits travel in their stored type, rounded half up, with one sample that means outside. All others
 * travel as modality values in 32-bit floats, where NaN means outside.
 */
export function toPlaneSamples(
  values: Float64Array,
  {
    sample,
    wantsFloat,
    hasRescales,
  }: {
    readonly sample: PlaneInput['sample'];
    readonly wantsFloat: boolean;
    readonly hasRescales: boolean;
  },
): PlaneSamples {
  const { storage, rescale = NO_RESCALE } = sample;
  const is32 = storage === 'uint32' || storage === 'int32' || isFloatStorage(storage);
  const toFloats = (): PlaneSamples => {
    const { slope, intercept } = hasRescales ? NO_RESCALE : rescale;
    const isPadded = createPaddingTest(hasRescales ? undefined : sample.padding);
    const toValue = (value: number) => (isPadded(value) ? NaN : value * slope + intercept);
    const samples = mapSamples(values, new Float32Array(values.length), toValue);
    return { samples, rescale: NO_RESCALE, padding: undefined };
  };
  if (wantsFloat || hasRescales || is32) return toFloats();
  const outside = findOutside(sample);
  const isWhole = outside.value === undefined && !values.some(Number.isNaN);
  if (outside.value === undefined && !isWhole) return toFloats();
  const samples = new outside.Type(values.length);
  for (let at = 0; at < values.length; at++) {
    const value = values[at]!;
    samples[at] = Number.isNaN(value) ? outside.value! : Math.floor(value + 0.5);
  }
  const { padding = outside.value === undefined ? undefined : { low: outside.value, high: outside.value } } = sample;
  return { samples, rescale, padding };
}

function createPaddingTest(padding: PixelPadding | undefined): (value: number) => boolean {
  return padding === undefined ? () => false : (value) => value >= padding.low && value <= padding.high;
}

type OutsideSample = {
  readonly Type: typeof Uint8Array | typeof Int8Array | typeof Uint16Array | typeof Int16Array;
  /** Undefined if every sample of the type can be a value. */
  readonly value: number | undefined;
};

/** The declared padding, else a sample that Bits Stored leaves free, if need be in the next larger type. */
function findOutside({
  storage,
  bitsStored,
  padding,
}: Pick<VolumeSample, 'storage' | 'bitsStored' | 'padding'>): OutsideSample {
  const isSigned = isSignedStorage(storage);
  const isByte = storage === 'uint8' || storage === 'int8';
  const Stored = isByte ? (isSigned ? Int8Array : Uint8Array) : isSigned ? Int16Array : Uint16Array;
  const Wide = isSigned ? Int16Array : Uint16Array;
  if (padding !== undefined) return { Type: Stored, value: padding.low };
  const freeIn = (bits: number) => (isSigned ? -(2 ** (bits - 1)) : 2 ** bits - 1);
  if (isByte && bitsStored < 8) return { Type: Stored, value: freeIn(8) };
  return { Type: isByte ? Wide : Stored, value: bitsStored < 16 ? freeIn(16) : undefined };
}
