import { findStatedVoi, grainOf } from '../../shared/chooseVoi.ts';
import type { Voi } from '../../shared/grayTable.ts';
import { lookUp } from '../../shared/lookupTable.ts';
import { applyModality, type ModalityTransform } from '../../shared/modality.ts';
import { applyVoiWindow, toGrayLevel } from '../../shared/voiWindow.ts';
import type { DataSet } from '../dicom/dataSet.ts';
import * as Tag from '../dicom/tag.ts';
import { readModalityOf } from '../pixels/presentation/readStateLook.ts';
import { parseVoi } from '../pixels/presentation/readLookupTables.ts';
import { parseChannels } from '../pixels/presentation/readPalette.ts';
import type { ImageReader } from './namedImages.ts';
import type { BlendingInput, ColorScale, StateRecord } from './presentationTasks.ts';
import { describeModality, readWindows } from './readTransforms.ts';

const MOST_INPUTS = 64;
/** Colors of a curve that is neither linear nor a table. */
const CURVE_COLORS = 4096;
/** A sigmoid is within 1e-7 of its ends at this many widths from its center. */
const CURVE_WIDTHS = 4;

/** The images that a blending state lays over each other. PS3.3 C.11.14, and C.11.33 for the advanced ones. */
export function readBlending(dataSet: DataSet, images: ImageReader): NonNullable<StateRecord['blending']> {
  const [display] = dataSet.items(Tag.BlendingDisplaySequence);
  const advanced = dataSet.items(Tag.AdvancedBlendingSequence);
  const items = [...dataSet.items(Tag.BlendingSequence), ...advanced].slice(0, MOST_INPUTS);
  const opacity = dataSet.number(Tag.RelativeOpacity);
  const inputs = items.map((item): BlendingInput => {
    const [voi] = item.items(Tag.SoftcopyVOILUTSequence);
    const series = images.list(item, Tag.ReferencedSeriesSequence);
    const position = item.string(Tag.BlendingPosition);
    return {
      number: item.number(Tag.BlendingInputNumber),
      position,
      images: images.readSeries([item, ...series]),
      seriesInstanceUid: (series[0] ?? item).string(Tag.SeriesInstanceUID),
      opacity: item.number(Tag.RelativeOpacity) ?? opacity,
      modality: describeModality(item),
      windows: voi === undefined ? [] : readWindows(voi),
      hasPalette: [item, ...item.items(Tag.PaletteColorLookupTableSequence)].some((one) =>
        one.has(Tag.RedPaletteColorLookupTableDescriptor),
      ),
      // Each may be long, so only where it can be applied.
      scale: items.length === 2 && position === 'SUPERIMPOSED' ? readScale(dataSet, item) : undefined,
    };
  });
  const [registration] = dataSet.items(Tag.ReferencedSpatialRegistrationSequence);
  return {
    mode: display?.string(Tag.BlendingMode),
    inputs,
    registration: registration?.string(Tag.ReferencedSOPInstanceUID),
    reason: refuse(inputs, advanced.length > 0),
  };
}

function refuse(inputs: readonly BlendingInput[], isAdvanced: boolean): string | undefined {
  if (isAdvanced)
    return 'it is an advanced blending state, which may blend any number of images; only plain ones can be applied';
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

/**
 * The colors of the superimposed images: modality and VOI transformation and palette in one, for stored values. Undefined
 * without a palette. PS3.4 N.2.4.2.
 */
export function readScale(state: DataSet, input: DataSet): ColorScale | undefined {
  const palette = parseChannels(state, { pixelRepresentation: 0 })?.colors;
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
