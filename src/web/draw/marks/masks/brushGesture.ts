import { applyModality } from '../../../../shared/modality.ts';
import { findShownSamples } from '../../../show/pictures/viewport/shownSamples.ts';
import { say } from '../../../kit/state/messages.ts';
import type { Page } from '../../../kit/state/page.ts';
import { toolsOf } from '../../../kit/state/tools.ts';
import type { Point, ViewedImage } from '../../../kit/state/viewState.ts';
import { type MarkGesture, type MarkPress, toImagePoint } from '../../../show/tools/followMarks.ts';
import { frameKey } from '../sync/markForm.ts';
import { brushesOf, changeMasks, markForStroke } from './brushes.ts';
import { findGround } from './paintGround.ts';
import { type Dab, paintStroke, type PixelBox } from './paintStroke.ts';

/** A stroke of the brush or the eraser, which is one step that can be undone. */
export function beginStroke(page: Page, cell: number, { shown, at, isOwnTool }: MarkPress): MarkGesture | undefined {
  if (!isOwnTool) return undefined;
  const ground = findGround(page, cell, shown);
  if (ground === undefined) return undefined;
  const dab = chooseDab(page, cell, shown.screen.image);
  const mark = dab && markForStroke(page, frameKey(ground.frame));
  if (dab === undefined || mark === undefined) return undefined;
  const before = ground.read(mark);
  const mask = { ...before, bits: before.bits.slice() };
  const painted: PixelBox[] = [];
  let last = toImagePoint(shown, at);

  const paintTo = (point: Point) => {
    const box = paintStroke(mask, last, point, dab);
    last = point;
    if (box !== undefined) painted.push(box);
    brushesOf(page).setState({
      live: { uid: mark.uid, words: mark.words, key: ground.key, mask, painted: [...painted] },
    });
  };
  const end = () => {
    brushesOf(page).setState({ live: undefined });
    const isChanged = mask.bits.some((bit, n) => bit !== before.bits[n]);
    if (isChanged) changeMasks(page, mark, ground.write(mark, before, mask), { isElsewhere: ground.isCut });
  };

  paintTo(last);
  return {
    move: paintTo,
    commit(point) {
      paintTo(point);
      end();
    },
    click: end,
    cancel: () => brushesOf(page).setState({ live: undefined }),
  };
}

/** Undefined if the values that the brush depends on are not known. */
function chooseDab(page: Page, cell: number, { width, height, aspect }: ViewedImage): Dab | undefined {
  const { radius, range } = brushesOf(page).getState();
  const isErasing = toolsOf(page).getState().tool === 'eraser';
  if (isErasing || range === undefined) return { radius, aspect, value: isErasing ? 0 : 1 };
  const frame = findShownSamples(page, cell);
  if (frame === undefined || frame.columns !== width || frame.rows !== height) {
    say(page, 'The values of this picture are not known yet, so the brush cannot follow a range', 'failed');
    return undefined;
  }
  const { samples, modality } = frame;
  const { low, high } = range;
  const accepts = (at: number) => {
    const value = applyModality(modality, samples[at]!);
    return value >= low && value <= high;
  };
  return { radius, aspect, value: 1, accepts };
}
