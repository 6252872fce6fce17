import type { Shutter } from '../../../shared/shutter.ts';
import { parseVoiShape } from '../../../shared/voiWindow.ts';
import type { DataSet } from '../../standard/dicom/dataSet.ts';
import { isPrivate } from '../../standard/dicom/dictionary.ts';
import { MOST_VALUES } from '../../standard/dicom/mostValues.ts';
import { readDicom } from '../../standard/dicom/readDataSet.ts';
import * as Tag from '../../standard/dicom/tag.ts';
import { type KnownSource, withSame } from '../../bytes/origins/origins.ts';
import { listActivations, readCielab, readLayers } from '../../images/pixels/presentation/readStateLook.ts';
import { findShutterGroup, readShutters } from '../../images/pixels/presentation/readShutters.ts';
import { stateKindOf } from '../../images/pixels/presentation/stateTargets.ts';
import { packAtOnce } from '../../machine/workers/packedList.ts';
import { readBlending } from './readBlending.ts';
import { createGraphicReader } from './readGraphics.ts';
import { describeModality, readWindows } from './readTransforms.ts';
import { createImageReader, type ImageReader, MOST_NAMED } from './namedImages.ts';
import type {
  OwnImages,
  PresentationWarning,
  StateArea,
  StateRecord,
  StateShutter,
  StateVoi,
} from './presentationTasks.ts';

/** Windows, areas and lists of graphics, each for some of the images. */
const MOST_PARTS = 4096;
const MASK_SUBTRACTION_SEQUENCE = 0x00286100;

/** Implements `readStateTask`. */
export function readState(file: KnownSource): StateRecord {
  return withSame(file, (source) => {
    const { dataSet, flags } = readDicom(source, {
      until: Tag.FloatPixelData,
      filter: {
        element: (_depth, tag) => !isPrivate(tag) && !isBulk(tag),
        item: (_depth, index) => index < MOST_NAMED.listed,
      },
      measure: false,
    });
    const kind = stateKindOf(dataSet.string(Tag.SOPClassUID));
    const images = createImageReader();
    const named = images.readSeries(images.list(dataSet, Tag.ReferencedSeriesSequence));
    const blending = kind === 'blending' ? readBlending(dataSet, images) : undefined;
    const layers = readLayers(dataSet);
    const graphics = createGraphicReader(layers.map(({ name }) => name));
    const annotations = dataSet.items(Tag.GraphicAnnotationSequence);
    const parts = annotations.slice(0, MOST_PARTS).map((item) => {
      return { images: readOwn(item, images), items: graphics.read(item) };
    });
    const vois = dataSet.items(Tag.SoftcopyVOILUTSequence).slice(0, MOST_PARTS);
    const areaItems = dataSet.items(Tag.DisplayedAreaSelectionSequence).slice(0, MOST_PARTS);
    const areas = areaItems.flatMap((item) => readArea(item, images) ?? []);
    const isCut = flags.some(({ code }) => CUT_SHORT.has(code)) || PART_LISTS.some((tag) => isTooLong(dataSet, tag));
    return {
      type: 'state',
      kind,
      label: dataSet.string(Tag.ContentLabel),
      description: dataSet.string(Tag.ContentDescription),
      creator: dataSet.string(Tag.ContentCreatorName),
      date: dataSet.string(Tag.PresentationCreationDate),
      time: dataSet.string(Tag.PresentationCreationTime),
      // Those of a blending state are only in its inputs.
      images: { from: named.from, to: blending?.inputs.at(-1)?.images.to ?? named.to },
      modality: describeModality(dataSet),
      vois: packAtOnce(vois.map((item) => readVoi(item, images))),
      presentationLut: readLutShape(dataSet),
      hasPalette: dataSet.has(Tag.RedPaletteColorLookupTableDescriptor),
      areas: packAtOnce(areas),
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
      graphics: packAtOnce(parts.filter(({ items }) => items.length > 0)),
      blending,
      leftOut: graphics.leftOut,
      // After everything that names images.
      named: packAtOnce(images.all),
      warnings: [
        ...images.warnings,
        ...graphics.warnings,
        ...listWarnings(dataSet, { isCut, invalidAreas: areaItems.length - areas.length }),
      ],
    };
  });
}

const PART_LISTS = [
  Tag.SoftcopyVOILUTSequence,
  Tag.DisplayedAreaSelectionSequence,
  Tag.GraphicAnnotationSequence,
] as const;

function isTooLong(dataSet: DataSet, tag: number): boolean {
  return (dataSet.element(tag)?.itemCount ?? 0) > MOST_PARTS;
}

const CUT_SHORT: ReadonlySet<string> = new Set(['depth_limited', 'element_limit', 'byte_limit']);

/** What is not needed here. The values of tables are read only when they are asked for. */
function isBulk(tag: number): boolean {
  return tag === Tag.ICCProfile || (tag & 0xffe0ffff) >>> 0 === Tag.OverlayData;
}

function readOwn(item: DataSet, images: ImageReader): OwnImages {
  const own = images.list(item, Tag.ReferencedImageSequence);
  return own.length === 0 ? undefined : images.read(own, undefined);
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
  if (![x1, y1, x2, y2].every((corner) => Math.abs(corner) <= FARTHEST)) return undefined;
  const [row = NaN, column = NaN] = item.numbers(Tag.PresentationPixelSpacing, 2);
  const [high = NaN, wide = NaN] = item.numbers(Tag.PresentationPixelAspectRatio, 2);
  const spacingMm = isScale(row) && isScale(column) && isScale(row / column) ? ([row, column] as const) : undefined;
  const declared = high > 0 && wide > 0 && isScale(high / wide) ? high / wide : undefined;
  const magnification = item.number(Tag.PresentationPixelMagnificationRatio) ?? NaN;
  return {
    images: readOwn(item, images),
    mode: MODES.get(item.string(Tag.PresentationSizeMode) ?? '') ?? 'scale_to_fit',
    corners: [Math.min(x1, x2) - 1.5, Math.min(y1, y2) - 1.5, Math.max(x1, x2) - 0.5, Math.max(y1, y2) - 0.5],
    spacingMm,
    pixelAspectRatio: spacingMm === undefined ? declared : spacingMm[0] / spacingMm[1],
    magnification: isScale(magnification) ? magnification : undefined,
  };
}

/** An image is never farther away from the area, and never so much enlarged or distorted: nothing would be seen. */
const FARTHEST = 1e7;
const LARGEST_SCALE = 1e4;

function isScale(number: number): boolean {
  return number >= 1 / LARGEST_SCALE && number <= LARGEST_SCALE;
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

type Omissions = { readonly isCut: boolean; readonly invalidAreas: number };

function listWarnings(dataSet: DataSet, { isCut, invalidAreas }: Omissions): PresentationWarning[] {
  const warnings: PresentationWarning[] = [];
  if (invalidAreas > 0) {
    const message = `${invalidAreas} of its displayed areas are left out: their corners are not valid.`;
    warnings.push({ code: 'invalid_areas', message });
  }
  if (dataSet.count(Tag.VerticesOfThePolygonalShutter) > MOST_VALUES.corners) {
    warnings.push({
      code: 'shutter_too_large',
      message: 'Its polygonal shutter has too many corners and is left out.',
    });
  }
  warnings.push(...warnOfBlending(dataSet));
  if (isCut) warnings.push({ code: 'cut_short', message: 'The state is too large; its last parts are left out.' });
  if (dataSet.items(MASK_SUBTRACTION_SEQUENCE).length > 0) {
    warnings.push({ code: 'mask_not_applied', message: 'The mask that the state subtracts is not subtracted.' });
  }
  return warnings;
}

/** What of an advanced blending state is shown otherwise than it says, or may be. */
function warnOfBlending(dataSet: DataSet): PresentationWarning[] {
  const inputs = dataSet.items(Tag.AdvancedBlendingSequence).slice(0, MOST_PARTS);
  const warnings: PresentationWarning[] = [];
  const hasThreshold = inputs.filter((input) => input.items(Tag.ThresholdSequence).length > 0);
  if (hasThreshold.length > 0) {
    warnings.push({
      code: 'thresholds',
      message:
        'Its thresholds are taken as values after the modality transformation, and not applied to the images underneath' +
        (hasThreshold.some((input) => input.items(Tag.ModalityLUTSequence).length > 0)
          ? ' and to those with a modality LUT.'
          : '.'),
    });
  }
  if (inputs.some((input) => input.string(Tag.TimeSeriesBlending) === 'TRUE')) {
    warnings.push({ code: 'time_series', message: 'It blends series of times; one time of each is shown.' });
  }
  return warnings;
}
