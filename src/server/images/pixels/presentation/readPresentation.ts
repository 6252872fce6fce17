import type { DeclaredVoi } from '../../../../shared/chooseVoi.ts';
import { toSignedness } from '../../../../shared/lookupTable.ts';
import type { ModalityTransform } from '../../../../shared/modality.ts';
import type { OverlayPlane } from '../../../../shared/overlayPlane.ts';
import { type PixelPadding, toPixelPadding } from '../../../../shared/padding.ts';
import type { Palette } from '../../../../shared/palette.ts';
import type { FrameToPresent } from '../../../../shared/presentation.ts';
import type { DisplayShutters } from '../../../../shared/shutter.ts';
import type { DataSet } from '../../../standard/dicom/dataSet.ts';
import { findFunctionalGroup } from '../../../standard/dicom/eachFrame.ts';
import { MOST_BYTES } from '../../../standard/dicom/mostValues.ts';
import * as Tag from '../../../standard/dicom/tag.ts';
import type { DecodedFrame } from '../codecs/codec.ts';
import type { ImagePixel } from '../imagePixel.ts';
import { redactionsOfFrame } from '../redactFrame.ts';
import { readModality, readVoi, readPalette, readSupplementalPalette } from './readLookupTables.ts';
import { readOverlays } from './readOverlays.ts';
import { findShutterGroup, readShutters } from './readShutters.ts';

/** The attributes of a file that determine how one of its frames is shown. Holds no reference to the file. */
export type FramePresentation = {
  readonly modality: ModalityTransform;
  readonly voi: DeclaredVoi;
  readonly padding: PixelPadding | undefined;
  readonly palette: Palette | undefined;
  readonly supplementalPalette: Palette | undefined;
  readonly shutters: DisplayShutters | undefined;
  readonly overlays: readonly OverlayPlane[];
  /** Bits of the stored words that hold further overlays, to be decoded together with the samples. */
  readonly embeddedOverlayBits: readonly number[];
  /** The groups that these overlays belong to. */
  readonly embeddedOverlayGroups: readonly number[];
  readonly iccProfile: Uint8Array | undefined;
};

/**
 * `frame` is counted from 0. Attributes of the frame take precedence over shared ones, and those over the top level.
 */
export function readPresentation(dataSet: DataSet, pixel: ImagePixel, frame: number): FramePresentation {
  const modality = readModality(dataSet, pixel, frame);
  const isRedacted = redactionsOfFrame(pixel, frame).length > 0;
  const { packed, embedded: inSamples } = readOverlays(dataSet, pixel, frame);
  // An overlay may say what a redaction hides. A shutter made of one stays.
  const embedded = isRedacted ? [] : inSamples;
  const shutterGroup = findShutterGroup(dataSet);
  return {
    modality,
    voi: readVoi(dataSet, pixel, frame, modality),
    padding: readPadding(dataSet, pixel),
    palette: readPalette(dataSet, pixel),
    supplementalPalette: readSupplementalPalette(dataSet, pixel),
    shutters: readShutters(dataSet, frame, packed),
    overlays: packed.filter(({ group }) => group !== shutterGroup && !isRedacted).map(({ plane }) => plane),
    embeddedOverlayBits: embedded.map(({ bit }) => bit),
    embeddedOverlayGroups: embedded.map(({ group }) => group),
    iccProfile: readIccProfile(dataSet, frame),
  };
}

/**
 * Combines a decoded frame with the presentation from its file. Overlays and shutters do not fit a reduced frame and
 * are left out.
 */
export function toFrameToPresent(
  decoded: DecodedFrame,
  pixel: ImagePixel,
  presentation: FramePresentation,
): FrameToPresent {
  const { rows, columns, samples, photometricInterpretation } = decoded;
  const { modality, voi, padding, palette, supplementalPalette } = presentation;
  const isReduced = rows !== pixel.rows || columns !== pixel.columns;
  const embedded = decoded.planes.map((mask, i): OverlayPlane => ({
    group: presentation.embeddedOverlayGroups[i],
    rows,
    columns,
    origin: [1, 1],
    mask,
  }));
  return {
    rows,
    columns,
    samples,
    photometricInterpretation,
    bitsStored: pixel.bitsStored,
    modality,
    voi,
    padding,
    palette,
    supplementalPalette,
    shutters: isReduced ? undefined : presentation.shutters,
    overlays: isReduced ? [] : [...presentation.overlays, ...embedded],
  };
}

const PADDING_TAGS = {
  integer: [Tag.PixelPaddingValue, Tag.PixelPaddingRangeLimit],
  float32: [Tag.FloatPixelPaddingValue, Tag.FloatPixelPaddingRangeLimit],
  float64: [Tag.DoubleFloatPixelPaddingValue, Tag.DoubleFloatPixelPaddingRangeLimit],
} as const;

/** Padding of all frames of a file. */
export function readPadding(
  dataSet: DataSet,
  { sampleKind, pixelRepresentation }: ImagePixel,
): PixelPadding | undefined {
  const [value, limit] = PADDING_TAGS[sampleKind].map((tag) => dataSet.number(tag));
  if (sampleKind !== 'integer') return toPixelPadding(value, limit);
  // Many files use the VR US for padding values of signed samples.
  const toStored = (number: number | undefined) =>
    number === undefined ? undefined : toSignedness(number, pixelRepresentation === 1);
  return toPixelPadding(toStored(value), toStored(limit));
}

/** The profile of the image, or of the optical path of a slide's frame. */
function readIccProfile(dataSet: DataSet, frame: number): Uint8Array | undefined {
  const paths = dataSet.items(Tag.OpticalPathSequence);
  const identifier = findFunctionalGroup(dataSet, frame, Tag.OpticalPathIdentificationSequence)?.string(
    Tag.OpticalPathIdentifier,
  );
  const path = paths.find((item) => item.string(Tag.OpticalPathIdentifier) === identifier) ?? paths[0];
  // One extra byte shows whether the profile is longer than the limit; a truncated profile is useless.
  const most = MOST_BYTES.iccProfile + 1;
  const profile = dataSet.bytes(Tag.ICCProfile, most) ?? path?.bytes(Tag.ICCProfile, most);
  return profile === undefined || profile.length === most ? undefined : profile;
}
