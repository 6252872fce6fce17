import type { Attributes } from './dataSet.ts';
import * as Tag from './tag.ts';

/**
 * Referenced Frame Number (0008,1160) of an item that names an image, as declared, up to `most`; empty if the item has none,
 * which means all frames. Values that are no whole numbers, such as 1.5, are left out. If no other is declared, a 0 stands
 * for them, which is no frame: an empty list would mean all frames.
 */
export function readFrameNumbers(item: Attributes, most: number): readonly number[] {
  const declared = item.numbers(Tag.ReferencedFrameNumber, most);
  const whole = declared.filter((number) => number === (number | 0));
  return whole.length === 0 && declared.length > 0 ? [0] : whole;
}
