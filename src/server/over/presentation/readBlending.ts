import { type BlendStep, createBlendWeights } from '../../../shared/blendSteps.ts';
import { ViewerError } from '../../../shared/contract/errors.ts';
import { findStatedVoi, grainOf } from '../../../shared/chooseVoi.ts';
import type { Voi } from '../../../shared/grayTable.ts';
import { lookUp } from '../../../shared/lookupTable.ts';
import { applyModality, type ModalityTransform } from '../../../shared/modality.ts';
import { applyVoiWindow, toGrayLevel } from '../../../shared/voiWindow.ts';
import type { DataSet } from '../../standard/dicom/dataSet.ts';
import * as Tag from '../../standard/dicom/tag.ts';
import { findPaletteOf, readModalityOf } from '../../images/pixels/presentation/readStateLook.ts';
import { parseVoi, parseChannels } from '../../images/pixels/presentation/readLookupTables.ts';
import type { ImageReader } from './namedImages.ts';
import type { BlendingInput, ColorScale, ShownRange, StateRecord } from './presentationTasks.ts';
import { describeModality, readWindows } from './readTransforms.ts';

const MOST_INPUTS = 64;
/** Colors of a curve that is neither linear nor a table. */
const CURVE_COLORS = 4096;
/** A sigmoid is within 1e-7 of its ends at this many widths from its center. */
const CURVE_WIDTHS = 4;

/** The images that a blending state lays over each other. PS3.3 C.11.14, and C.11.33 for the advanced ones. */
export function readBlending(dataSet: DataSet, images: ImageReader): NonNullable<StateRecord['blending']> {
  const advanced = dataSet.items(Tag.AdvancedBlendingSequence);
  if (advanced.length > 0) return readAdvanced(dataSet, advanced.slice(0, MOST_INPUTS), images);
  const items = dataSet.items(Tag.BlendingSequence).slice(0, MOST_INPUTS);
  const opacity = dataSet.number(Tag.RelativeOpacity);
  const inputs = items.map((item): BlendingInput => {
    const position = item.string(Tag.BlendingPosition);
    return {
      ...readInput(item, images),
      number: undefined,
      position,
      isWholeSeries: false,
      opacity,
      // Each may be long, so only where it can be applied.
      scale: items.length === 2 && position === 'SUPERIMPOSED' ? readScale(dataSet, item) : undefined,
      ranges: undefined,
    };
  });
  return { mode: undefined, steps: [], inputs, registration: readRegistration(dataSet), reason: refuse(inputs) };
}

function readAdvanced(
  dataSet: DataSet,
  items: readonly DataSet[],
  images: ImageReader,
): NonNullable<StateRecord['blending']> {
  const steps = readSteps(dataSet);
  const displayed = items.findIndex((item) => item.string(Tag.GeometryForDisplay) === 'TRUE');
  // Without one, the application chooses. PS3.3 C.11.33.1.1.
  const under = Math.max(0, displayed);
  const last = steps.find(({ result }) => result === null);
  const inputs = items.map((item, at): BlendingInput => {
    const read = readInput(item, images);
    const isUnder = at === under;
    const canShow = !isUnder && items.length <= MOST_BLENDED;
    return {
      ...read,
      number: item.number(Tag.BlendingInputNumber),
      position: isUnder ? 'UNDERLYING' : 'SUPERIMPOSED',
      isWholeSeries: read.images.from === read.images.to && read.seriesInstanceUid !== undefined,
      opacity: undefined,
      scale: canShow ? readScale(findPaletteOf(item), item, GRAYS) : undefined,
      ranges: readRanges(item),
    };
  });
  return {
    mode: last?.mode ?? undefined,
    steps,
    inputs,
    registration: items.map(readRegistration).find((uid) => uid !== undefined),
    reason: refuseAdvanced(inputs, steps),
  };
}

/** More sets of images are not blended: what is mixed at a pixel depends on which of them have a value there. */
const MOST_BLENDED = 8;
/** Without a palette, an input is gray. PS3.4 N.2.6. */
const GRAYS = Uint8Array.from({ length: 3 * 256 }, (_, at) => Math.floor(at / 3));

function readInput(item: DataSet, images: ImageReader) {
  const [voi] = item.items(Tag.SoftcopyVOILUTSequence);
  const series = images.list(item, Tag.ReferencedSeriesSequence);
  return {
    images: images.readSeries([item, ...series]),
    seriesInstanceUid: (series[0] ?? item).string(Tag.SeriesInstanceUID),
    modality: describeModality(item),
    windows: voi === undefined ? [] : readWindows(voi),
    hasPalette: findPaletteOf(item).has(Tag.RedPaletteColorLookupTableDescriptor),
  };
}

function readRegistration(dataSet: DataSet): string | undefined {
  const [registration] = dataSet.items(Tag.ReferencedSpatialRegistrationSequence);
  if (registration === undefined) return undefined;
  return findSop(registration, 4);
}

/** An advanced state names it below its study and series. */
function findSop(item: DataSet, depth: number): string | undefined {
  const own = item.string(Tag.ReferencedSOPInstanceUID);
  if (own !== undefined || depth === 0) return own;
  const [below] = HIERARCHY.flatMap((tag) => item.items(tag).slice(0, 1));
  return below && findSop(below, depth - 1);
}

const HIERARCHY = [Tag.ReferencedSeriesSequence, Tag.ReferencedSOPSequence, Tag.ReferencedInstanceSequence] as const;

function readSteps(dataSet: DataSet): BlendStep[] {
  return dataSet
    .items(Tag.BlendingDisplaySequence)
    .slice(0, MOST_INPUTS)
    .map((step) => ({
      inputs: step
        .items(Tag.BlendingDisplayInputSequence)
        .slice(0, MOST_INPUTS)
        .map((one) => one.number(Tag.BlendingInputNumber) ?? -1),
      mode: step.string(Tag.BlendingMode) ?? null,
      opacity: step.number(Tag.RelativeOpacity) ?? null,
      result: step.number(Tag.BlendingInputNumber) ?? null,
    }));
}

/**
 * The stored values that are shown. The values of thresholds are taken to be those after the modality transformation of
 * the input, which have units. PS3.3 C.11.33.1.2.1.
 */
function readRanges(item: DataSet): readonly ShownRange[] | undefined {
  const thresholds = item.items(Tag.ThresholdSequence).slice(0, MOST_INPUTS);
  const modality = readModalityOf(item, false);
  if (thresholds.length === 0 || modality.kind === 'lut') return undefined;
  const ranges = thresholds.flatMap((threshold): ShownRange[] => {
    const [first, second] = threshold
      .items(Tag.ThresholdValueSequence)
      .slice(0, 2)
      .map((one) => one.number(Tag.ThresholdValue))
      .map((value) => (value === undefined ? NaN : (value - modality.intercept) / modality.slope))
      .map((value) => (Number.isFinite(value) ? value : undefined));
    if (first === undefined) return [];
    const [low, high] = [Math.min(first, second ?? first), Math.max(first, second ?? first)];
    const isFalling = modality.slope < 0;
    const above = (hasEnds: boolean): ShownRange => ({ low: first, high: undefined, hasEnds });
    const below = (hasEnds: boolean): ShownRange => ({ low: undefined, high: first, hasEnds });
    switch (threshold.string(Tag.ThresholdType) ?? '') {
      case 'RANGE_INCL':
        return second === undefined ? [] : [{ low, high, hasEnds: true }];
      case 'RANGE_EXCL':
        return second === undefined
          ? []
          : [
              { low: undefined, high: low, hasEnds: false },
              { low: high, high: undefined, hasEnds: false },
            ];
      case 'GREATER_OR_EQUAL':
        return [isFalling ? below(true) : above(true)];
      case 'LESS_OR_EQUAL':
        return [isFalling ? above(true) : below(true)];
      case 'GREATER_THAN':
        return [isFalling ? below(false) : above(false)];
      case 'LESS_THAN':
        return [isFalling ? above(false) : below(false)];
      default:
        return [];
    }
  });
  // Thresholds that say nothing hide nothing.
  return ranges.length === 0 ? undefined : ranges;
}

function refuse(inputs: readonly BlendingInput[]): string | undefined {
  const [under] = inputs.filter(({ position }) => position === 'UNDERLYING');
  const [over] = inputs.filter(({ position }) => position === 'SUPERIMPOSED');
  if (inputs.length !== 2 || under === undefined || over === undefined) {
    return 'it must name one underlying and one superimposed set of images';
  }
  if (over.scale === undefined) return 'it has no valid palette for the superimposed images';
  const { opacity } = over;
  if (opacity === undefined || !(opacity >= 0 && opacity <= 1)) return 'it has no opacity from 0 to 1';
  return undefined;
}

function refuseAdvanced(inputs: readonly BlendingInput[], steps: readonly BlendStep[]): string | undefined {
  if (inputs.length > MOST_BLENDED) return `it blends more than ${MOST_BLENDED} sets of images`;
  const numbers = inputs.flatMap(({ number }) => number ?? []);
  if (numbers.length < inputs.length) return 'one of its inputs has no number';
  try {
    createBlendWeights(steps, numbers);
  } catch (error) {
    if (error instanceof ViewerError) return error.message;
    throw error;
  }
  return undefined;
}

/**
 * The colors of the superimposed images: modality and VOI transformation and palette in one, for stored values. Undefined
 * without a palette, unless there are colors to use otherwise. PS3.4 N.2.4.2.
 */
export function readScale(state: DataSet, input: DataSet, otherwise?: Uint8Array): ColorScale | undefined {
  const palette = parseChannels(state, { pixelRepresentation: 0 })?.colors ?? otherwise;
  if (palette === undefined) return undefined;
  const modality = readModalityOf(input, isSignedLut(input.items(Tag.ModalityLUTSequence)[0]));
  const voi = findVoi(input, modality);
  const last = palette.length / 3 - 1;
  const colorsOf = (count: number, partOf: (at: number) => number): Uint8Array => {
    const colors = new Uint8Array(count * 3);
    for (let at = 0; at < count; at += 1) {
      const from = toGrayLevel(partOf(at) * last) * 3;
      colors.set(palette.subarray(from, from + 3), at * 3);
    }
    return colors;
  };
  if (modality.kind === 'lut') {
    const { table } = modality;
    const partOf =
      voi === undefined ? (value: number) => value / (2 ** table.bits - 1) : (value: number) => applyVoi(voi, value);
    const { firstValue, entries } = table;
    const colors = colorsOf(entries.length, (at) => Math.min(1, partOf(applyModality(modality, firstValue + at))));
    return toScale(firstValue, firstValue + entries.length - 1, colors);
  }
  const toStored = (value: number) => (value - modality.intercept) / modality.slope;
  if (voi === undefined) return toScale(undefined, undefined, modality.slope > 0 ? palette : reverse(palette));
  if (voi.kind === 'lut') {
    const { firstValue, entries } = voi.table;
    const colors = colorsOf(entries.length, (at) => applyVoi(voi, firstValue + at));
    return toScale(toStored(firstValue), toStored(firstValue + entries.length - 1), colors);
  }
  const { center, width, shape } = voi.window;
  if (shape === 'SIGMOID') {
    const [low, high] = [center - CURVE_WIDTHS * width, center + CURVE_WIDTHS * width];
    const colors = colorsOf(CURVE_COLORS, (at) => applyVoi(voi, low + (at / (CURVE_COLORS - 1)) * (high - low)));
    return toScale(toStored(low), toStored(high), colors);
  }
  const [middle, span] = shape === 'LINEAR' ? [center - 0.5, width - 1] : [center, width];
  return toScale(toStored(middle - span / 2), toStored(middle + span / 2), palette);
}

/** The first one: a field has one window for all of its slices. */
function findVoi(input: DataSet, modality: ModalityTransform): Voi | undefined {
  const [item] = input.items(Tag.SoftcopyVOILUTSequence);
  if (item === undefined) return undefined;
  // The image is not known here. A table that begins below 0 says so by its VR.
  const isSigned = isSignedLut(item.items(Tag.VOILUTSequence)[0]);
  const pixel = { pixelRepresentation: isSigned ? 1 : 0, bitsStored: 16 } as const;
  return findStatedVoi({ kind: 'default' }, parseVoi(item, pixel, modality), grainOf(modality, false));
}

function isSignedLut(item: DataSet | undefined): boolean {
  return item?.element(Tag.LUTDescriptor)?.vr === 'SS';
}

/** From 0 to 1. */
function applyVoi(voi: Voi, value: number): number {
  if (voi.kind === 'window') return applyVoiWindow(value, voi.window) / 255;
  return Math.min(1, lookUp(voi.table, value) / (2 ** voi.table.bits - 1));
}

/** With the lower value first. */
function toScale(low: number | undefined, high: number | undefined, colors: Uint8Array): ColorScale {
  const isFalling = low !== undefined && high !== undefined && low > high;
  return {
    low: isFalling ? high : low,
    high: isFalling ? low : high,
    colors: Buffer.from(isFalling ? reverse(colors) : colors).toString('base64'),
  };
}

function reverse(colors: Uint8Array): Uint8Array {
  const reversed = new Uint8Array(colors.length);
  for (let at = 0; at < colors.length; at += 3) reversed.set(colors.subarray(at, at + 3), colors.length - 3 - at);
  return reversed;
}
