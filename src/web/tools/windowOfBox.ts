import { chooseVoi } from '../../shared/chooseVoi.ts';
import { describeVoi } from '../../shared/presentation.ts';
import type { GrayFrame } from '../viewport/loadedFrame.ts';
import type { Rectangle } from '../state/viewState.ts';

/**
 * The window in which the values of a part of a frame are spread from black to white: from their 1st to their 99th
 * percentile, so that a few bright pixels do not darken the rest. Undefined where the box holds no pixel.
 */
export function windowOfBox(frame: GrayFrame, box: Rectangle): { center: number; width: number } | undefined {
  const [left, top] = [Math.max(0, Math.floor(box.x)), Math.max(0, Math.floor(box.y))];
  const right = Math.min(frame.columns, Math.ceil(box.x + box.width));
  const bottom = Math.min(frame.rows, Math.ceil(box.y + box.height));
  const [width, height] = [right - left, bottom - top];
  if (width <= 0 || height <= 0) return undefined;
  const samples = frame.samples.slice(0, width * height);
  for (let row = 0; row < height; row++) {
    const from = (top + row) * frame.columns + left;
    samples.set(frame.samples.subarray(from, from + width), row * width);
  }
  const { modality, padding } = frame;
  const voi = chooseVoi(
    { kind: 'default' },
    { windows: [], shape: frame.voi.shape, tables: [] },
    { samples, modality, padding },
  );
  const { center, width: windowWidth } = describeVoi(voi);
  return { center, width: windowWidth };
}
