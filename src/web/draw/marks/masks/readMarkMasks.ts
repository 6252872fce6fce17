import { coverOutline } from '../../../../shared/coverage.ts';
import { createMaskBits } from '../../../../shared/maskRuns.ts';
import { frameAddressOf } from '../shapes/measureGesture.ts';
import { labelsOf } from '../shapes/labels.ts';
import { listShapes } from '../shapes/measurements.ts';
import { listOnFrame } from '../shapes/throughStack.ts';
import { marksOf } from '../sync/marks.ts';
import type { MarkMasks } from '../../../over/compare/markMasks.ts';
import { findShownCut, findShownFrame } from '../../../show/pictures/shownFrame.ts';
import { listBrushMarks } from './brushes.ts';
import { findGround } from './paintGround.ts';

const NOTHING = new Uint8Array(0);
const IN_STACK: ReadonlySet<string> = new Set(['frame', 'stack', 'volume']);

/** What brush marks and shapes with an area cover of the picture of a cell. */
export const MARK_MASKS: MarkMasks = {
  stores: (page) => [marksOf(page), labelsOf(page)],
  read(page, cell, classKey) {
    const shown = findShownFrame(page, cell) ?? findShownCut(page, cell);
    if (shown === undefined) return undefined;
    const { width: columns, height: rows } = shown.screen.image;
    const mask = createMaskBits(columns, rows);
    const brushes = listBrushMarks(page).filter(({ words, slide }) => words.class === classKey && slide === undefined);
    const ground = brushes.length > 0 ? findGround(page, cell, shown) : undefined;
    for (const brush of brushes) {
      const bits = ground?.read(brush).bits ?? NOTHING;
      for (let at = bits.indexOf(1); at >= 0; at = bits.indexOf(1, at + 1)) mask.bits[at] = 1;
    }
    // On planes drawn there, or on a rotating MIP, shapes are on no image of the stack.
    const shapes = listShapes(page).filter(({ words, place }) => words.class === classKey && IN_STACK.has(place.type));
    for (const { kind, points } of listOnFrame(page, shapes, frameAddressOf(shown))) {
      const corners = points.flatMap(({ x, y }) => [x, y]);
      coverOutline(kind, corners, { rows, columns }, (row, first, end) => {
        mask.bits.fill(1, row * columns + first, row * columns + end);
      });
    }
    return mask;
  },
};
