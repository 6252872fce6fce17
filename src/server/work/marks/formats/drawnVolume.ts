import { boxVolumeMl } from '../../../../shared/coverBox.ts';
import { type SliceOfMark, toArea, volumeOfSlicesMl } from '../../../../shared/markMeasures.ts';
import type { MarkKind } from '../../../../shared/markTraits.ts';
import { countMaskPixels } from '../../../../shared/maskRuns.ts';
import { areaOfOutline, cornersOfMask, scaleOfMark } from './formatShapes.ts';
import type { MarkToWrite } from './formatTasks.ts';
import { listFrameOutlines } from './frameOutlines.ts';
import type { MarkFrames } from './markPlaces.ts';

/**
 * The sum of the areas of a mark on all frames of its range, each times its share of the distance between frames; of a box
 * in a volume, that of the box. Undefined where sizes or places are not known in millimetres, and for a mark on one frame.
 */
export function drawnVolumeMl(mark: MarkFrames & Pick<MarkToWrite, 'content'>): number | undefined {
  const { kind, place } = mark.content;
  if (place.type === 'volume') return boxVolumeMl(place.size);
  if (place.type !== 'stack' || !mark.isOrdered) return undefined;
  return volumeOfSlicesMl(listSliceAreas(mark, kind));
}

function* listSliceAreas(mark: MarkFrames & Pick<MarkToWrite, 'content'>, kind: MarkKind): Generator<SliceOfMark> {
  for (const { at, points, mask } of listFrameOutlines(mark)) {
    const { scale, depthMm } = scaleOfMark(mark, at, mask === undefined ? points : cornersOfMask(mask));
    const pixels = mask === undefined ? areaOfOutline(kind, points) : countMaskPixels(mask.runs);
    yield { area: pixels === undefined ? undefined : toArea(pixels, scale), depthMm };
  }
}
