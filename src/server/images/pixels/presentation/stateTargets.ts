import type { DataSet } from '../../../standard/dicom/dataSet.ts';
import { MOST_VALUES } from '../../../standard/dicom/mostValues.ts';
import { readFrameNumbers } from '../../../standard/dicom/eachFrame.ts';
import * as Tag from '../../../standard/dicom/tag.ts';

/** A frame that a presentation state may name. */
export type StateTarget = {
  readonly sopInstanceUid: string;
  readonly seriesInstanceUid: string;
  /** Counted from 0. */
  readonly frame: number;
};

/** What a presentation state can do to a single image. */
export type StateKind = 'grayscale' | 'color' | 'pseudo_color' | 'blending' | 'other';

const ROOT = '1.2.840.10008.5.1.4.1.1.11.';
const KINDS: ReadonlyMap<string, StateKind> = new Map<string, StateKind>([
  [`${ROOT}1`, 'grayscale'],
  [`${ROOT}2`, 'color'],
  [`${ROOT}3`, 'pseudo_color'],
  [`${ROOT}4`, 'blending'],
  // XA/XRF grayscale.
  [`${ROOT}5`, 'grayscale'],
  [`${ROOT}8`, 'blending'],
  // Grayscale with a modality LUT for each image.
  [`${ROOT}12`, 'grayscale'],
]);

export function stateKindOf(sopClassUid: string | undefined): StateKind {
  return KINDS.get(sopClassUid ?? '') ?? 'other';
}

/** Where a series of a presentation state lists its images. */
export const IMAGE_LISTS = [Tag.ReferencedImageSequence, Tag.ReferencedInstanceSequence] as const;

/** Whether a presentation state, or an input of a blending state, names a frame at all. */
export function namesTarget(dataSet: DataSet, target: StateTarget): boolean {
  const series = dataSet.items(Tag.ReferencedSeriesSequence);
  return series.some((one) => IMAGE_LISTS.some((tag) => one.items(tag).some((image) => isTarget(image, target))));
}

/**
 * The part of a blending state that says how the pixels of a frame look under those of others. PS3.3 C.11.14. Any input of
 * an advanced one may be under others.
 */
export function findUnderlying(dataSet: DataSet, target: StateTarget): DataSet | undefined {
  const advanced = dataSet.items(Tag.AdvancedBlendingSequence);
  if (advanced.length > 0) return advanced.find((input) => isInput(input, target));
  return dataSet
    .items(Tag.BlendingSequence)
    .find((input) => input.string(Tag.BlendingPosition) === 'UNDERLYING' && namesTarget(input, target));
}

/** Without a list of images, an input is all of its series. PS3.3 C.11.33. */
function isInput(input: DataSet, target: StateTarget): boolean {
  const own = IMAGE_LISTS.flatMap((tag) => input.items(tag));
  const series = input.items(Tag.ReferencedSeriesSequence);
  if (own.length === 0 && series.length === 0) return input.string(Tag.SeriesInstanceUID) === target.seriesInstanceUid;
  return own.some((image) => isTarget(image, target)) || namesTarget(input, target);
}

/** Whether an item of a presentation state applies to a frame that it names: without a list, to all of them. */
export function appliesTo(item: DataSet, target: StateTarget): boolean {
  const images = item.items(Tag.ReferencedImageSequence);
  return images.length === 0 || images.some((image) => isTarget(image, target));
}

function isTarget(image: DataSet, { sopInstanceUid, frame }: StateTarget): boolean {
  if (image.string(Tag.ReferencedSOPInstanceUID) !== sopInstanceUid) return false;
  const numbers = readFrameNumbers(image, MOST_VALUES.frames);
  return numbers.length === 0 || numbers.includes(frame + 1);
}
