import { dicomCielabToRgb, type Rgb } from '../../../../shared/cielab.ts';
import { mappingUnavailable } from '../../../../shared/contract/errors.ts';
import { type ModalityTransform, toRescale } from '../../../../shared/modality.ts';
import type { ActivatedOverlay, PresentationLut, StateGray, StateLook } from '../../../../shared/presentState.ts';
import type { DisplayShutters } from '../../../../shared/shutter.ts';
import type { DataSet } from '../../../standard/dicom/dataSet.ts';
import { MOST_BYTES } from '../../../standard/dicom/mostValues.ts';
import { readDicom } from '../../../standard/dicom/readDataSet.ts';
import * as Tag from '../../../standard/dicom/tag.ts';
import { type KnownSource, withSame } from '../../../bytes/origins/origins.ts';
import type { ImagePixel } from '../imagePixel.ts';
import { parseVoi, readLookupTable, parseChannels } from './readLookupTables.ts';
import { type FrameOverlay, readOverlays } from './readOverlays.ts';
import { findShutterGroup, readShutters, SHUTTER_OVERLAY_GROUP } from './readShutters.ts';
import {
  appliesTo,
  findUnderlying,
  namesTarget,
  type StateKind,
  stateKindOf,
  type StateTarget,
} from './stateTargets.ts';

/** A presentation state, and the image that it is applied to. */
export type AppliedState = {
  readonly source: KnownSource;
  readonly sopInstanceUid: string;
  readonly seriesInstanceUid: string;
};

/** The layers of a state; more are ignored. */
export const MOST_LAYERS = 1024;
/** Lists of images in a state, each of which may name thousands. */
const MOST_ITEMS = 65_536;

/** How a presentation state shows the pixels of a frame. Throws if it does not name the frame. */
export function readStateLook(state: AppliedState, frame: number, pixel: ImagePixel): StateLook {
  const { source, sopInstanceUid, seriesInstanceUid } = state;
  const target: StateTarget = { sopInstanceUid, seriesInstanceUid, frame };
  return withSame(source, (file) => {
    const { dataSet } = readDicom(file, {
      until: Tag.FloatPixelData,
      filter: { element: (_depth, tag) => isWanted(tag), item: (_depth, index) => index < MOST_ITEMS },
      measure: false,
    });
    const kind = stateKindOf(dataSet.string(Tag.SOPClassUID));
    const part = findPart(dataSet, kind, target);
    const { packed } = readOverlays(dataSet, pixel, 0);
    return {
      gray: kind === 'color' ? undefined : readGray(part, target, pixel, kind),
      shutters: readStateShutters(dataSet, packed),
      overlays: readActivated(dataSet, packed),
      iccProfile: kind === 'color' || kind === 'pseudo_color' ? readProfile(dataSet) : undefined,
    };
  });
}

/** The part of a state that says how the pixels of a frame look. Throws if there is none. */
function findPart(dataSet: DataSet, kind: StateKind, target: StateTarget): DataSet {
  if (kind === 'other') throw mappingUnavailable('this presentation state is not for single images');
  if (kind !== 'blending') {
    if (namesTarget(dataSet, target)) return dataSet;
    throw mappingUnavailable('the presentation state does not name this frame');
  }
  const underlying = findUnderlying(dataSet, target);
  if (underlying === undefined)
    throw mappingUnavailable('the presentation state does not name this frame as an underlying one');
  return underlying;
}

function readGray(dataSet: DataSet, target: StateTarget, pixel: ImagePixel, kind: StateKind): StateGray {
  const modality = readStateModality(dataSet, target, pixel);
  const voi = dataSet.items(Tag.SoftcopyVOILUTSequence).find((item) => appliesTo(item, target));
  return {
    modality,
    voi: voi && parseVoi(voi, pixel, modality),
    // The underlying images of a blending state have no Presentation LUT. PS3.4 N.2.4.1.
    presentation: kind === 'blending' ? { kind: 'identity' } : readPresentationLut(dataSet),
    // An input of an advanced blending state has a palette of its own.
    palette:
      kind === 'pseudo_color' || kind === 'blending'
        ? parseChannels(findPaletteOf(dataSet), { pixelRepresentation: 0 })
        : undefined,
  };
}

/** One for all images, except in a state with a modality LUT for each of them. */
function readStateModality(dataSet: DataSet, target: StateTarget, pixel: ImagePixel): ModalityTransform {
  const own = dataSet.items(Tag.VariableModalityLUTSequence).find((item) => appliesTo(item, target)) ?? dataSet;
  return readModalityOf(own, pixel.pixelRepresentation === 1);
}

/** What a part of a state declares; the identity if it declares nothing. */
export function readModalityOf(part: DataSet, signedInput: boolean): ModalityTransform {
  const [item] = part.items(Tag.ModalityLUTSequence);
  const table = item && readLookupTable(item, signedInput);
  if (table !== undefined) return { kind: 'lut', table };
  return toRescale(part.number(Tag.RescaleSlope), part.number(Tag.RescaleIntercept));
}

/** Where a part of a state has its palette. */
export function findPaletteOf(part: DataSet): DataSet {
  return part.items(Tag.PaletteColorLookupTableSequence)[0] ?? part;
}

export function readPresentationLut(dataSet: DataSet): PresentationLut | undefined {
  const [item] = dataSet.items(Tag.PresentationLUTSequence);
  const table = item && readLookupTable(item, false);
  if (table !== undefined) return { kind: 'table', table };
  const shape = dataSet.string(Tag.PresentationLUTShape);
  return shape === 'IDENTITY' ? { kind: 'identity' } : shape === 'INVERSE' ? { kind: 'inverse' } : undefined;
}

export function readStateShutters(dataSet: DataSet, overlays: readonly FrameOverlay[]): DisplayShutters | undefined {
  const shutters = readShutters(dataSet, 0, overlays);
  return shutters && { ...shutters, color: readCielab(dataSet, Tag.ShutterPresentationColorCIELabValue) };
}

/** The overlays that the state shows: its own, and those of the image. PS3.3 C.11.7. */
function readActivated(dataSet: DataSet, own: readonly FrameOverlay[]): ActivatedOverlay[] {
  const layers = readLayers(dataSet);
  const shutterGroup = findShutterGroup(dataSet);
  return listActivations(dataSet)
    .filter(({ group }) => group !== shutterGroup)
    .map(({ group, layer }) => ({ group, layer: layers.findIndex(({ name }) => name === layer) }))
    .toSorted((a, b) => a.layer - b.layer)
    .map(({ group, layer }) => {
      const plane = own.find((one) => one.group === group)?.plane;
      return { group, plane, color: layers[layer]?.color ?? WHITE };
    });
}

const WHITE: Rgb = [255, 255, 255];

/** The groups of overlays that are shown, and their layers. */
export function listActivations(dataSet: DataSet): { readonly group: number; readonly layer: string }[] {
  return Array.from({ length: 16 }, (_, i) => 0x6000 + 2 * i).flatMap((group) => {
    const layer = dataSet.string((group * 0x10000 + (Tag.OverlayActivationLayer & 0xffff)) >>> 0);
    return layer === undefined ? [] : [{ group, layer }];
  });
}

export type GraphicLayer = {
  readonly name: string;
  readonly description: string | undefined;
  /** Undefined if the state recommends none. */
  readonly color: Rgb | undefined;
};

/** The graphic layers, from the lowest to the highest. PS3.3 C.10.7. */
export function readLayers(dataSet: DataSet): readonly GraphicLayer[] {
  const layers = dataSet
    .items(Tag.GraphicLayerSequence)
    .slice(0, MOST_LAYERS)
    .map((item) => {
      const gray = item.number(Tag.GraphicLayerRecommendedDisplayGrayscaleValue);
      const level = gray === undefined ? undefined : Math.min(255, Math.max(0, gray >> 8));
      return {
        order: item.number(Tag.GraphicLayerOrder) ?? 0,
        name: item.string(Tag.GraphicLayer) ?? '',
        description: item.string(Tag.GraphicLayerDescription),
        color:
          readCielab(item, Tag.GraphicLayerRecommendedDisplayCIELabValue) ??
          (level === undefined ? undefined : ([level, level, level] as const)),
      };
    });
  return layers.toSorted((a, b) => a.order - b.order).map(({ order: _order, ...layer }) => layer);
}

export function readCielab(dataSet: DataSet, tag: number): Rgb | undefined {
  const [l, a, b] = dataSet.numbers(tag, 3);
  if (l === undefined || a === undefined || b === undefined) return undefined;
  return Number.isFinite(l + a + b) ? dicomCielabToRgb([l, a, b]) : undefined;
}

function readProfile(dataSet: DataSet): Uint8Array | undefined {
  // One extra byte shows whether the profile is longer than the limit; a truncated profile is useless.
  const profile = dataSet.bytes(Tag.ICCProfile, MOST_BYTES.iccProfile + 1);
  return profile === undefined || profile.length > MOST_BYTES.iccProfile ? undefined : profile;
}

/** Everything but graphics and texts, which may be many. */
const WANTED: ReadonlySet<number> = new Set([
  Tag.SOPClassUID,
  Tag.ReferencedSeriesSequence,
  Tag.ReferencedImageSequence,
  Tag.ReferencedInstanceSequence,
  Tag.BlendingSequence,
  Tag.AdvancedBlendingSequence,
  Tag.PaletteColorLookupTableSequence,
  Tag.SeriesInstanceUID,
  Tag.BlendingPosition,
  Tag.ReferencedSOPInstanceUID,
  Tag.ReferencedFrameNumber,
  Tag.ShutterShape,
  Tag.ShutterLeftVerticalEdge,
  Tag.ShutterRightVerticalEdge,
  Tag.ShutterUpperHorizontalEdge,
  Tag.ShutterLowerHorizontalEdge,
  Tag.CenterOfCircularShutter,
  Tag.RadiusOfCircularShutter,
  Tag.VerticesOfThePolygonalShutter,
  Tag.ShutterPresentationValue,
  SHUTTER_OVERLAY_GROUP,
  Tag.ShutterPresentationColorCIELabValue,
  Tag.WindowCenter,
  Tag.WindowWidth,
  Tag.RescaleIntercept,
  Tag.RescaleSlope,
  Tag.VOILUTFunction,
  Tag.RedPaletteColorLookupTableDescriptor,
  Tag.GreenPaletteColorLookupTableDescriptor,
  Tag.BluePaletteColorLookupTableDescriptor,
  Tag.RedPaletteColorLookupTableData,
  Tag.GreenPaletteColorLookupTableData,
  Tag.BluePaletteColorLookupTableData,
  Tag.SegmentedRedPaletteColorLookupTableData,
  Tag.SegmentedGreenPaletteColorLookupTableData,
  Tag.SegmentedBluePaletteColorLookupTableData,
  Tag.ICCProfile,
  Tag.ModalityLUTSequence,
  Tag.VariableModalityLUTSequence,
  Tag.LUTDescriptor,
  Tag.LUTData,
  Tag.VOILUTSequence,
  Tag.SoftcopyVOILUTSequence,
  Tag.GraphicLayerSequence,
  Tag.GraphicLayer,
  Tag.GraphicLayerOrder,
  Tag.GraphicLayerRecommendedDisplayGrayscaleValue,
  Tag.GraphicLayerRecommendedDisplayCIELabValue,
  Tag.PresentationLUTSequence,
  Tag.PresentationLUTShape,
]);

function isWanted(tag: number): boolean {
  return WANTED.has(tag) || (tag >= FIRST_OVERLAY_TAG && tag <= LAST_OVERLAY_TAG);
}

const FIRST_OVERLAY_TAG = 0x60000000;
const LAST_OVERLAY_TAG = 0x601effff;
