import { isMask } from '../../../../shared/markTraits.ts';
import type { LabelClass } from '../../../../shared/contract/marks.ts';
import { toShortText } from '../derivedObject.ts';
import type { MarkContent } from '../markContent.ts';

/**
 * What a DICOM report (`sr`) or segmentation (`seg`) cannot say of a mark that it has; undefined if it holds the mark
 * whole. CSV, COCO and GeoJSON hold every mark whole that they have.
 */
export function lossOf(
  format: 'sr' | 'seg',
  content: MarkContent,
  labelClass: Pick<LabelClass, 'type'> | undefined,
): string | undefined {
  const { kind, place, label, comment, text, author } = content;
  // Pixels do not tell where the corners were.
  if (format === 'seg' && !isMask(kind)) return 'outline';
  // An outline on every image does not tell which of them were drawn.
  if (format === 'sr' && place.type === 'stack') return 'drawn outlines';
  if (place.type === 'slide' && place.focal_plane_um !== null) return 'focal plane';
  if (place.type === 'plane' && (place.slab_mm > 0 || place.time > 0)) return 'slab and time';
  if (author !== '') return 'author';
  if (text !== '') return 'text';
  if (comment !== '' && format === 'seg') return 'comment';
  if (toShortText(label) !== label) return 'whole label';
  // The class is told by its code, or in place of the label.
  const isClassTold = content.class === null || label === '' || (labelClass?.type ?? null) !== null;
  return isClassTold ? undefined : 'class';
}
