import type { SegmentationResponse } from '../../shared/contract/segmentations.ts';
import { paletteColor } from '../../shared/segmentColor.ts';
import type { SegmentLook } from './paintMasks.ts';
import { FIRST_STYLE, styleOf, stylesStore } from './segmentStyles.ts';

/** How the segments of each segmentation look: the same object until one of them is changed. */
export function createSegmentLooks(): (summary: SegmentationResponse) => SegmentLook {
  let styles = stylesStore.getState().styles;
  let looks = new Map<SegmentationResponse, SegmentLook>();
  return (summary) => {
    const current = stylesStore.getState().styles;
    if (current !== styles) [styles, looks] = [current, new Map()];
    const known = looks.get(summary);
    if (known !== undefined) return known;
    const colors = new Map(summary.segments.map(({ number, display_color }) => [number, display_color] as const));
    const look: SegmentLook = {
      colorOf: (segment) => colors.get(segment) ?? paletteColor(Math.max(1, segment)),
      styleOf: (segment) => (styles.size === 0 ? FIRST_STYLE : styleOf(summary.file_index, segment)),
    };
    looks.set(summary, look);
    return look;
  };
}
