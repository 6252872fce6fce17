import { coverOutline } from '../../../../shared/coverage.ts';
import { createMaskBits, type MaskBits } from '../../../../shared/maskRuns.ts';
import type { FrameAddress } from '../../../kit/api/frames.ts';
import type { Page } from '../../../kit/state/page.ts';
import { frameAddressOf } from '../shapes/measureGesture.ts';
import { labelsOf } from '../shapes/labels.ts';
import { isOnFrame, type Measurement } from '../shapes/measurement.ts';
import { listShapes } from '../shapes/measurements.ts';
import { formOnFrame, listOnFrame } from '../shapes/throughStack.ts';
import { marksOf } from '../sync/marks.ts';
import type { MarkMasks } from '../../../over/compare/markMasks.ts';
import { findShownCut, findShownFrame } from '../../../show/pictures/shownFrame.ts';
import { listBrushMarks } from './brushes.ts';
import { findGround, type PaintGround, type SampleTest } from './paintGround.ts';

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
    // On planes drawn there, or on a rotating MIP, shapes are on no image of the stack.
    const shapes = listShapes(page).filter(({ words, place }) => words.class === classKey && IN_STACK.has(place.type));
    const ground = brushes.length + shapes.length > 0 ? findGround(page, cell, shown) : undefined;
    for (const brush of brushes) addBits(mask, ground?.read(brush).bits ?? NOTHING);
    for (const shape of ground?.isCut === true ? shapes : []) addBits(mask, coverPlane(page, shape, ground).bits);
    for (const { kind, points } of listOnFrame(page, shapes, frameAddressOf(shown))) {
      coverOutline(kind, cornersOf(points), { rows, columns }, (row, first, end) => {
        mask.bits.fill(1, row * columns + first, row * columns + end);
      });
    }
    return mask;
  },
};

function addBits({ bits }: MaskBits, more: Uint8Array): void {
  for (let at = more.indexOf(1); at >= 0; at = more.indexOf(1, at + 1)) bits[at] = 1;
}

function cornersOf(points: Measurement['points']): number[] {
  return points.flatMap(({ x, y }) => [x, y]);
}

/** The samples of a shape on stored frames that lie under a plane. A box in space has a form of its own there. */
function coverPlane(page: Page, shape: Measurement, ground: PaintGround | undefined): MaskBits {
  const formOn = (frame: FrameAddress) => {
    if (shape.place.type === 'stack') return formOnFrame(page, shape, frame);
    return shape.place.type === 'frame' && isOnFrame(shape, frame) ? shape : undefined;
  };
  const found = ground?.cover((frame, size) => {
    const form = formOn(frame);
    return form && testOf(form, size);
  });
  return found ?? createMaskBits(0, 0);
}

/** Forms never change, and interpolated ones are made once. */
const tests = new WeakMap<Measurement, SampleTest>();

/** Tells whether a sample, by its place in a frame of this size, is inside of an outline. */
function testOf(form: Measurement, size: { readonly columns: number; readonly rows: number }): SampleTest {
  const known = tests.get(form);
  if (known !== undefined) return known;
  const spans = new Map<number, number[]>();
  coverOutline(form.kind, cornersOf(form.points), size, (row, first, end) => {
    const ofRow = spans.get(row);
    if (ofRow === undefined) spans.set(row, [first, end]);
    else ofRow.push(first, end);
  });
  const { columns } = size;
  const test: SampleTest = (offset) => {
    const ofRow = spans.get(Math.floor(offset / columns));
    if (ofRow === undefined) return false;
    const column = offset % columns;
    for (let at = 0; at < ofRow.length; at += 2) if (column >= ofRow[at]! && column < ofRow[at + 1]!) return true;
    return false;
  };
  tests.set(form, test);
  return test;
}
