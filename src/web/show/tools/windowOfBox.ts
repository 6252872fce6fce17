import { chooseVoi } from '../../../shared/chooseVoi.ts';
import { describeVoi } from '../../../shared/presentation.ts';
import type { NumberSamples } from '../../../shared/sampleArray.ts';
import type { GrayFrame } from '../pictures/loadedFrame.ts';
import type { Rectangle } from '../../kit/state/viewState.ts';

/** The part of a box that lies on one frame. On a slide, a box has several parts, each on a tile. */
export type BoxPart = { readonly frame: GrayFrame; readonly box: Rectangle };

/**
 * The window that spreads the values of these parts from black to white: from their 1st to their 99th percentile, so
 * that a few bright pixels do not darken the rest. Undefined if they contain no pixel.
 */
export function windowOfBox(parts: readonly BoxPart[]): { center: number; width: number } | undefined {
  const frame = parts[0]?.frame;
  const samples = joinSamples(parts.flatMap((part) => cutSamples(part) ?? []));
  if (frame === undefined || samples === undefined) return undefined;
  const { modality, padding } = frame;
  const voi = chooseVoi(
    { kind: 'default' },
    { windows: [], shape: frame.voi.shape, tables: [] },
    { samples, modality, padding },
  );
  const { center, width } = describeVoi(voi);
  return { center, width };
}

function cutSamples({ frame, box }: BoxPart): NumberSamples | undefined {
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
  return samples;
}

/** All lists have the same type, as the tiles of a slide do. */
function joinSamples(lists: readonly NumberSamples[]): NumberSamples | undefined {
  const [first] = lists;
  if (first === undefined || lists.length === 1) return first;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the constructor of any typed array
  const Samples = first.constructor as new (length: number) => NumberSamples;
  const joined = new Samples(lists.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const list of lists) {
    joined.set(list, end);
    end += list.length;
  }
  return joined;
}
