import type { SegmentationResponse } from '../../../shared/contract/segmentations.ts';
import { paletteColor } from '../../../shared/segmentColor.ts';
import type { Page } from '../../state/page.ts';
import type { SegmentLook } from './paintMasks.ts';
import { FIRST_STYLE, styleOf, stylesOf } from './segmentStyles.ts';

/** Returns the appearance of the segments of a segmentation; the same object until one of them is changed. */
export function createSegmentLooks(page: Page): (summary: SegmentationResponse) => SegmentLook {
  const store = stylesOf(page);
  let { styles } = store.getState();
  let looks = new Map<SegmentationResponse, SegmentLook>();
  return (summary) => {
    const current = store.getState().styles;
    if (current !== styles) [styles, looks] = [current, new Map()];
    const known = looks.get(summary);
    if (known !== undefined) return known;
    const colors = new Map(summary.segments.map(({ number, display_color }) => [number, display_color] as const));
    const look: SegmentLook = {
      colorOf: (segment) => colors.get(segment) ?? paletteColor(Math.max(1, segment)),
      styleOf: (segment) => (styles.size === 0 ? FIRST_STYLE : styleOf(page, summary.file_index, segment)),
    };
    looks.set(summary, look);
    return look;
  };
}
