import type { Shutter } from '../../shared/shutter.ts';
import { parseVoiShape } from '../../shared/voiWindow.ts';
import type { DataSet } from '../dicom/dataSet.ts';
import { isPrivate } from '../dicom/dictionary.ts';
import { MOST_VALUES } from '../dicom/mostValues.ts';
import { readDicom } from '../dicom/readDataSet.ts';
import * as Tag from '../dicom/tag.ts';
import { type KnownSource, withSame } from '../origins/origins.ts';
import { listActivations, readCielab, readLayers } from '../pixels/presentation/readStateLook.ts';
import { findShutterGroup, readShutters } from '../pixels/presentation/readShutters.ts';
import { stateKindOf } from '../pixels/presentation/stateTargets.ts';
import { createGraphicReader } from './readGraphics.ts';
import { createImageReader, type ImageReader, MOST_NAMED } from './namedImages.ts';
import type {
  BlendingInput,
  NamedImage,
  OwnImages,
  PresentationWarning,
  StateArea,
  StateRecord,
  StateShutter,
  StateVoi,
} from './presentationTasks.ts';

/** Windows, areas and lists of graphics, each for some of the images. */
const MOST_PARTS = 4096;
const MOST_INPUTS = 64;
const MASK_SUBTRACTION_SEQUENCE = 0x00286100;

/** Implements `readStateTask`. */
export function readState(file: KnownSource): StateRecord {
  return withSame(file, (source) => {
    const { dataSet, flags } = readDicom(source, {
      until: Tag.FloatPixelData,
      filter: {
        element: (_depth, tag) => !isPrivate(tag) && !isBulk(tag),
        item: (_depth, index) => index < MOST_NAMED.images,
      },
      measure: false,
    });
    const kind = stateKindOf(dataSet.string(Tag.SOPClassUID));
    const images = createImageReader();
    const named = dataSet.items(Tag.ReferencedSeriesSequence).flatMap((series) => readSeries(series, images));
    const layers = readLayers(dataSet);
    const graphics = createGraphicReader(layers.map(({ name }) => name));
    const annotations = dataSet.items(Tag.GraphicAnnotationSequence);
    const parts = annotations.slice(0, MOST_PARTS).map((item) => {
      return { images: readOwn(item, images), items: graphics.read(item) };
    });
    const areas = dataSet.items(Tag.DisplayedAreaSelectionSequence).slice(0, MOST_PARTS);
    const isCut = flags.some(({ code }) => CUT_SHORT.has(code)) || annotations.length > MOST_PARTS;
    return {
      type: 'state',
      kind,
      label: dataSet.string(Tag.ContentLabel),
      description: dataSet.string(Tag.ContentDescription),
      creator: dataSet.string(Tag.ContentCreatorName),
      date: dataSet.string(Tag.PresentationCreationDate),
      time: dataSet.string(Tag.PresentationCreationTime),
      images: named,
      modality: readModality(dataSet),
      vois: dataSet
        .items(Tag.SoftcopyVOILUTSequence)
        .slice(0, MOST_PARTS)
        .map((item) => readVoi(item, images)),
      presentationLut: readLutShape(dataSet),
      hasPalette: dataSet.has(Tag.RedPaletteColorLookupTableDescriptor),
      areas: areas.flatMap((item) => readArea(item, images) ?? []),
      rotation: toRotation(dataSet.number(Tag.ImageRotation)),
      isFlipped: dataSet.string(Tag.ImageHorizontalFlip) === 'Y',
      shutters: listShutters(dataSet),
      shutterColor: readCielab(dataSet, Tag.ShutterPresentationColorCIELabValue),
      layers,
      overlays: listActivations(dataSet).map(({ group, layer }) => ({
        group,
        layer,
        isInState: dataSet.has((group * 0x10000 + (Tag.OverlayRows & 0xffff)) >>> 0),
      })),
      graphics: parts.filter(({ items }) => items.length > 0),
      blending: kind === 'blending' ? readBlending(dataSet, images) : undefined,
      leftOut: graphics.leftOut,
      warnings: [...images.warnings, ...graphics.warnings, ...listWarnings(dataSet, isCut)],
    };
  });
}

const CUT_SHORT: ReadonlySet<string> = new Set(['depth_limited', 'element_limit', 'byte_limit']);

/** Tables and bitmaps, of which only the existence matters here: those that look at pixels read them again. */
function isBulk(tag: number): boolean {
  return BULK.has(tag) || (tag & 0xffe0ffff) >>> 0 === Tag.OverlayData;
}

const BULK: ReadonlySet<number> = new Set([
  Tag.LUTData,
  Tag.ICCProfile,
  Tag.RedPaletteColorLookupTableData,
  Tag.GreenPaletteColorLookupTableData,
  Tag.BluePaletteColorLookupTableData,
  Tag.SegmentedRedPaletteColorLookupTableData,
  Tag.SegmentedGreenPaletteColorLookupTableData,
  Tag.SegmentedBluePaletteColorLookupTableData,
]);

/** Blending states list instances under another name. */
function readSeries(series: DataSet, images: ImageReader): NamedImage[] {
  const uid = series.string(Tag.SeriesInstanceUID);
  return [Tag.ReferencedImageSequence, Tag.ReferencedInstanceSequence].flatMap((tag) =>
    images.read(series.items(tag), uid),
  );
}

function readOwn(item: DataSet, images: ImageReader): OwnImages {
  const own = item.items(Tag.ReferencedImageSequence);
  return own.length === 0 ? undefined : images.read(own, undefined);
}

function readModality(dataSet: DataSet): StateRecord['modality'] {
  const [item] = dataSet.items(Tag.ModalityLUTSequence);
  if (item !== undefined) return { kind: 'lut', explanation: item.string(Tag.LUTExplanation) };
  const [slope, intercept] = [dataSet.number(Tag.RescaleSlope), dataSet.number(Tag.RescaleIntercept)];
  if (slope === undefined || !Number.isFinite(slope) || slope === 0) return undefined;
  return { kind: 'rescale', slope, intercept: Number.isFinite(intercept ?? 0) ? (intercept ?? 0) : 0 };
}

function readVoi(item: DataSet, images: ImageReader): StateVoi {
  return {
    images: readOwn(item, images),
    windows: readWindows(item),
    shape: parseVoiShape(item.string(Tag.VOILUTFunction)),
    tables: item
      .items(Tag.VOILUTSequence)
      .slice(0, MOST_VALUES.windows)
      .map((table) => table.string(Tag.LUTExplanation)),
  };
}

function readWindows(item: DataSet): StateVoi['windows'] {
  const widths = item.numbers(Tag.WindowWidth, MOST_VALUES.windows);
  const explanations = item.strings(Tag.WindowCenterWidthExplanation, MOST_VALUES.windows);
  return item.numbers(Tag.WindowCenter, MOST_VALUES.windows).flatMap((center, i) => {
    const width = widths[i] ?? Number.NaN;
    if (!Number.isFinite(center) || !Number.isFinite(width)) return [];
    return [{ center, width, explanation: explanations[i] }];
  });
}

function readLutShape(dataSet: DataSet): StateRecord['presentationLut'] {
  if (dataSet.items(Tag.PresentationLUTSequence).length > 0) return 'table';
  const shape = dataSet.string(Tag.PresentationLUTShape);
  return shape === 'IDENTITY' ? 'identity' : shape === 'INVERSE' ? 'inverse' : undefined;
}

const MODES: ReadonlyMap<string, StateArea['mode']> = new Map([
  ['SCALE TO FIT', 'scale_to_fit'],
  ['TRUE SIZE', 'true_size'],
  ['MAGNIFY', 'magnify'],
]);

/**
 * The corners are whole pixels, counted from 1, of which either may be the left or the upper one: they are named as they
 * appear after rotation. PS3.3 C.10.4.
 */
function readArea(item: DataSet, images: ImageReader): StateArea | undefined {
  const [x1, y1] = item.numbers(Tag.DisplayedAreaTopLeftHandCorner, 2);
  const [x2, y2] = item.numbers(Tag.DisplayedAreaBottomRightHandCorner, 2);
  if (x1 === undefined || y1 === undefined || x2 === undefined || y2 === undefined) return undefined;
  const [row, column] = item.numbers(Tag.PresentationPixelSpacing, 2);
  const [high, wide] = item.numbers(Tag.PresentationPixelAspectRatio, 2);
  const spacingMm = isPositive(row) && isPositive(column) ? ([row, column] as const) : undefined;
  const declared = isPositive(high) && isPositive(wide) ? high / wide : undefined;
  const magnification = item.number(Tag.PresentationPixelMagnificationRatio);
  return {
    images: readOwn(item, images),
    mode: MODES.get(item.string(Tag.PresentationSizeMode) ?? '') ?? 'scale_to_fit',
    corners: [Math.min(x1, x2) - 1.5, Math.min(y1, y2) - 1.5, Math.max(x1, x2) - 0.5, Math.max(y1, y2) - 0.5],
    spacingMm,
    pixelAspectRatio: spacingMm === undefined ? declared : spacingMm[0] / spacingMm[1],
    magnification: isPositive(magnification) ? magnification : undefined,
  };
}

function isPositive(number: number | undefined): number is number {
  return number !== undefined && number > 0 && number < Infinity;
}

function toRotation(degrees: number | undefined): StateRecord['rotation'] {
  return degrees === 90 || degrees === 180 || degrees === 270 ? degrees : 0;
}

function listShutters(dataSet: DataSet): StateShutter[] {
  const group = findShutterGroup(dataSet);
  const empty = { rows: 0, columns: 0, origin: [1, 1], mask: new Uint8Array(0) } as const;
  const found = readShutters(dataSet, 0, group === undefined ? [] : [{ group, plane: empty }]);
  return (found?.shutters ?? []).flatMap((shutter): StateShutter[] => {
    if (shutter.shape !== 'bitmap') return listNumbers(shutter).every(Number.isFinite) ? [shutter] : [];
    return group === undefined ? [] : [{ shape: 'bitmap', group }];
  });
}

function listNumbers(shutter: Exclude<Shutter, { readonly shape: 'bitmap' }>): readonly number[] {
  if (shutter.shape === 'polygonal') return shutter.vertices.flat();
  if (shutter.shape === 'circular') return [...shutter.center, shutter.radius];
  return [shutter.left, shutter.right, shutter.upper, shutter.lower];
}

function readBlending(dataSet: DataSet, images: ImageReader): StateRecord['blending'] {
  const [display] = dataSet.items(Tag.BlendingDisplaySequence);
  const items = [...dataSet.items(Tag.BlendingSequence), ...dataSet.items(Tag.AdvancedBlendingSequence)];
  return {
    mode: display?.string(Tag.BlendingMode),
    inputs: items.slice(0, MOST_INPUTS).map((item): BlendingInput => {
      const [voi] = item.items(Tag.SoftcopyVOILUTSequence);
      const series = item.items(Tag.ReferencedSeriesSequence);
      const seriesInstanceUid = (series[0] ?? item).string(Tag.SeriesInstanceUID);
      return {
        number: item.number(Tag.BlendingInputNumber),
        position: item.string(Tag.BlendingPosition),
        images: [item, ...series].flatMap((one) => readSeries(one, images)),
        seriesInstanceUid,
        opacity: item.number(Tag.RelativeOpacity) ?? dataSet.number(Tag.RelativeOpacity),
        windows: voi === undefined ? [] : readWindows(voi),
        hasPalette: [item, ...item.items(Tag.PaletteColorLookupTableSequence)].some((one) =>
          one.has(Tag.RedPaletteColorLookupTableDescriptor),
        ),
      };
    }),
  };
}

function listWarnings(dataSet: DataSet, isCut: boolean): PresentationWarning[] {
  const warnings: PresentationWarning[] = [];
  if (isCut) {
    warnings.push({ code: 'cut_short', message: 'The state is too large; its last parts are left out.' });
  }
  if (dataSet.items(MASK_SUBTRACTION_SEQUENCE).length > 0) {
    warnings.push({ code: 'mask_not_applied', message: 'The mask that the state subtracts is not subtracted.' });
  }
  return warnings;
}
