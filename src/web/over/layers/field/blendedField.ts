import type { InfoResponse } from '../../../../shared/contract/info.ts';
import { createBlendWeights } from '../../../../shared/blendSteps.ts';
import type { PresentationResponse, WireBlendingInput } from '../../../../shared/contract/presentation.ts';
import type { Line } from '../../../../shared/valueMapping.ts';
import { loadInfo } from '../../../kit/state/fileInfo.ts';
import { isField, setLayerShown, shownLayersOf } from '../../../kit/state/layers.ts';
import { findFile, stackOf } from '../../../kit/state/library.ts';
import type { Page } from '../../../kit/state/page.ts';
import { isVolume, loadVolume } from '../../../kit/state/volumes.ts';
import { descriptionsOf } from '../layerDescriptions.ts';
import { type FieldDescription, isFieldDescription } from './describeField.ts';
import {
  findFieldLook,
  type FieldLook,
  type MixGroup,
  restoreFieldLook,
  setFieldLook,
  type ShownValues,
} from './fieldLook.ts';

/** A volume that a blending presentation state superimposes on others, and how it looks. */
export type BlendedField = {
  readonly description: FieldDescription;
  readonly look: Pick<FieldLook, 'palette' | 'opacity' | 'mix' | 'low' | 'high' | 'threshold' | 'isWash' | 'areLines'>;
};

/** The registrations by which it lies over images of a frame of reference. */
export function listBridges({ description }: BlendedField, frameOfReferenceUid: string | null): readonly number[] {
  const { spaces } = description.response;
  return spaces.find((space) => space.frame_of_reference_uid === frameOfReferenceUid)?.placement.via_file_indices ?? [];
}

/** Two sets of images of a blending state. */
export type BlendedInputs = {
  readonly under: WireBlendingInput;
  readonly over: WireBlendingInput;
  /** In an advanced state, and the place of `over` among those that are mixed. */
  readonly mixed?: { readonly group: MixGroup; readonly place: number } | undefined;
};

/** The volume of a layer as a blending state shows it, or why it cannot be shown so. PS3.4 N.2.4.2. */
export async function planField(
  page: Page,
  layer: number,
  { under, over, mixed }: BlendedInputs,
): Promise<BlendedField | string> {
  const file = findFile(page, layer);
  if (file === undefined || !isField(file)) return 'its superimposed images are no gray volume';
  const descriptions = descriptionsOf(page);
  const description = descriptions.find(layer) ?? (await descriptions.load(layer));
  if (description === undefined) return descriptions.findError(layer)?.message ?? 'its superimposed images are unknown';
  if (!isFieldDescription(description) || description.sort === 'dose') {
    return 'its superimposed images have no stored values that its palette could color';
  }
  const isOver = under.images.some(({ file_index }) => description.targets.has(file_index));
  if (!isOver) return `its superimposed images do not lie over the underlying ones: ${description.reason}`;
  const [first] = stackOf(page, file).frames;
  const [volume, info] = await Promise.all([
    first && loadVolume(page, { fileIndex: first.fileIndex, frame: first.frame }),
    loadInfo(page, layer, new AbortController().signal),
  ]);
  if (info === undefined || !isVolume(volume)) return 'its superimposed images are no volume';
  // Such states are not defined for images with several. PS3.3 A.33.4.1.
  if (!volume.hasOneRescale) return 'its superimposed images have different rescales, and it has one palette for all';
  if (volume.isRealWorld)
    return 'its superimposed images have mappings of their own, and its palette is of modality values';
  const scale = toFieldScale(over, info, description.line);
  if (scale === undefined) return 'it has no palette';
  const mix = mixed && { ...mixed, ranges: toRanges(over, info, description.line) };
  const look = { ...scale, opacity: over.opacity ?? 1, mix, threshold: undefined, isWash: true, areLines: false };
  return { description, look };
}

/** Shows it over the images of a cell. Returns what takes it off again, unless it is kept because it was shown before. */
export function layOver(
  page: Page,
  cell: number,
  { description, look }: BlendedField,
  { isKept }: { readonly isKept: boolean },
): () => void {
  const layer = description.fileIndex;
  const before = findFieldLook(page, layer);
  const wasShown = isKept && shownLayersOf(page, cell).shown.includes(layer);
  setFieldLook(page, description, look);
  setLayerShown(page, cell, layer, true);
  return () => {
    if (!wasShown) setLayerShown(page, cell, layer, false);
    restoreFieldLook(page, layer, before);
  };
}

/** How an advanced state mixes its superimposed images, whose places are bits; undefined for a plain one. */
export function createMixGroup(
  blending: NonNullable<PresentationResponse['state']>['blending'] | undefined,
): MixGroup | undefined {
  const { steps = [], inputs = [] } = blending ?? {};
  if (steps.length === 0) return undefined;
  const weightsOf = createBlendWeights(
    steps,
    inputs.map(({ number }) => number ?? -1),
  );
  const overs = inputs.flatMap(({ position }, at) => (position === 'SUPERIMPOSED' ? [at] : []));
  const weights = Array.from({ length: 2 ** overs.length }, (_, present) => {
    const shares = weightsOf((input) => !overs.includes(input) || ((present >> overs.indexOf(input)) & 1) === 1);
    return overs.map((input) => shares?.[input] ?? 0);
  });
  return { weights };
}

type StoredInfo = Pick<InfoResponse, 'rescale' | 'bits_stored' | 'pixel_representation'>;

/** Stored values as values that the field shows. */
function createToShown({ rescale }: Pick<StoredInfo, 'rescale'>, line: Line): (stored: number) => number {
  return (stored) => (stored * rescale.slope + rescale.intercept) * line.slope + line.intercept;
}

function toRanges({ ranges }: WireBlendingInput, info: StoredInfo, line: Line): readonly ShownValues[] | undefined {
  const toShown = createToShown(info, line);
  const isFalling = toShown(1) < toShown(0);
  return ranges?.map(({ low, high, includes_ends: hasEnds }) => {
    const [first, last] = [low === null ? -Infinity : toShown(low), high === null ? Infinity : toShown(high)];
    if (!isFalling) return { low: first, high: last, hasEnds };
    return { low: high === null ? -Infinity : last, high: low === null ? Infinity : first, hasEnds };
  });
}

/** The colors of stored values as colors of the values that the field shows. */
export function toFieldScale(
  { scale }: Pick<WireBlendingInput, 'scale'>,
  info: StoredInfo,
  line: Line,
): Pick<FieldLook, 'palette' | 'low' | 'high'> | undefined {
  if (scale === null) return undefined;
  const { bits_stored, pixel_representation } = info;
  const lowest = pixel_representation === 1 ? -(2 ** (bits_stored - 1)) : 0;
  const toShown = createToShown(info, line);
  const ends = [scale.low ?? lowest, scale.high ?? lowest + 2 ** bits_stored - 1].map(toShown);
  const [low = 0, high = 1] = ends;
  const colors = parseColors(scale.colors);
  const isFalling = low > high;
  return {
    palette: { title: 'Presentation state', colors: isFalling ? colors.toReversed() : colors },
    low: Math.min(low, high),
    high: Math.max(low, high),
  };
}

const OPAQUE = 0xff000000;

function parseColors(text: string): Uint32Array {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return Uint32Array.from(
    { length: Math.floor(bytes.length / 3) },
    (_, at) => OPAQUE + bytes[3 * at + 2]! * 0x10000 + bytes[3 * at + 1]! * 0x100 + bytes[3 * at]!,
  );
}
