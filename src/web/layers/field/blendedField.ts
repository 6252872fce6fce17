import type { InfoResponse } from '../../../shared/contract/info.ts';
import type { WireBlendingInput } from '../../../shared/contract/presentation.ts';
import type { Line } from '../../../shared/valueMapping.ts';
import { loadInfo } from '../../state/fileInfo.ts';
import { isField, setLayerShown, shownLayersOf } from '../../state/layers.ts';
import { findFile, stackOf } from '../../state/library.ts';
import type { Page } from '../../state/page.ts';
import { isVolume, loadVolume } from '../../state/volumes.ts';
import { descriptionsOf } from '../layerDescriptions.ts';
import { type FieldDescription, isFieldDescription } from './describeField.ts';
import { findFieldLook, type FieldLook, restoreFieldLook, setFieldLook } from './fieldLook.ts';

/** A volume that a blending presentation state superimposes on others, and how it looks. */
export type BlendedField = {
  readonly description: FieldDescription;
  readonly look: Pick<FieldLook, 'palette' | 'opacity' | 'low' | 'high' | 'threshold' | 'isWash' | 'areLines'>;
};

/** The registrations by which it lies over images of a frame of reference. */
export function listBridges({ description }: BlendedField, frameOfReferenceUid: string | null): readonly number[] {
  const { spaces } = description.response;
  return spaces.find((space) => space.frame_of_reference_uid === frameOfReferenceUid)?.placement.via_file_indices ?? [];
}

/** The two sets of images of a blending state. */
export type BlendedInputs = { readonly under: WireBlendingInput; readonly over: WireBlendingInput };

/** The volume of a layer as a blending state shows it, or why it cannot be shown so. PS3.4 N.2.4.2. */
export async function planField(
  page: Page,
  layer: number,
  { under, over }: BlendedInputs,
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
  const scale = toFieldScale(over, info, description.line);
  if (scale === undefined) return 'it has no palette';
  const look = { ...scale, opacity: over.opacity ?? 1, threshold: undefined, isWash: true, areLines: false };
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

/** The colors of stored values as colors of the values that the field shows. */
export function toFieldScale(
  { scale }: Pick<WireBlendingInput, 'scale'>,
  {
    rescale,
    bits_stored,
    pixel_representation,
  }: Pick<InfoResponse, 'rescale' | 'bits_stored' | 'pixel_representation'>,
  line: Line,
): Pick<FieldLook, 'palette' | 'low' | 'high'> | undefined {
  if (scale === null) return undefined;
  const lowest = pixel_representation === 1 ? -(2 ** (bits_stored - 1)) : 0;
  const toShown = (stored: number) => (stored * rescale.slope + rescale.intercept) * line.slope + line.intercept;
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
