import { traitsOf } from '../../../../shared/markTraits.ts';
import { coverMask, coverOutline, type PaintRow } from '../../../../shared/coverage.ts';
import { coverBox } from '../../../../shared/coverBox.ts';
import type { TaskContext } from '../../../machine/workers/serveTasks.ts';
import { scaleOfMark } from '../formats/formatShapes.ts';
import { listFrameOutlines } from '../formats/frameOutlines.ts';
import type {
  CutSegments,
  CutSegmentsInput,
  DrawnFrames,
  MarkToDraw,
  PaintedLabels,
  PaintLabelsInput,
} from './markVolumeTasks.ts';

/** What a mark covers of one frame. */
export type CoveredFrame = { readonly file: number; readonly frame: number; readonly cover: (paint: PaintRow) => void };

/** The frames on which a mark is an area, with what it covers there. */
export function* listCovered(mark: MarkToDraw, size: Pick<DrawnFrames, 'rows' | 'columns'>): Generator<CoveredFrame> {
  const { kind, place } = mark.content;
  if (place.type === 'volume') {
    for (let at = 0; at < mark.frames.length / 2; at += 1) {
      const { plane } = scaleOfMark(mark, at, []);
      if (plane === undefined) continue;
      const cover = (paint: PaintRow) => coverBox(place, plane, size, paint);
      yield { file: mark.frames[2 * at]!, frame: mark.frames[2 * at + 1]!, cover };
    }
    return;
  }
  for (const { file, frame, points, mask } of listFrameOutlines(mark)) {
    if (traitsOf(kind).shape === 'point') {
      yield { file, frame, cover: (paint) => coverPixel(points, size, paint) };
      continue;
    }
    const cover = (paint: PaintRow) =>
      mask === undefined ? coverOutline(kind, points, size, paint) : coverMask(mask.rectangle, mask.runs, paint);
    yield { file, frame, cover };
  }
}

/** The pixel that a point is in; none beyond the edges. */
function coverPixel(
  [x = -1, y = -1]: Float64Array,
  { rows, columns }: Pick<DrawnFrames, 'rows' | 'columns'>,
  paint: PaintRow,
) {
  const [column, row] = [Math.floor(x), Math.floor(y)];
  if (column >= 0 && row >= 0 && column < columns && row < rows) paint(row, column, column + 1);
}

/** The place of each frame in a list. */
function createPlaces(frames: Uint32Array): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (let n = 0; n < frames.length; n += 2) places.set(`${frames[n]} ${frames[n + 1]}`, n / 2);
  return places;
}

/** Implements `paintLabelsTask`. A later mark is over an earlier one. */
export function paintLabels(input: PaintLabelsInput, { throwIfCancelled }: TaskContext): PaintedLabels {
  const { marks, labels, rows, columns } = input;
  const places = createPlaces(input.frames);
  let overlaps = 0;
  for (const mark of marks) {
    throwIfCancelled();
    for (const { file, frame, cover } of listCovered(mark, { rows, columns })) {
      const place = places.get(`${file} ${frame}`);
      if (place === undefined) continue;
      cover((row, first, end) => {
        const start = (place * rows + rows - 1 - row) * columns;
        for (let at = start + first; at < start + end; at += 1) {
          if (labels[at] !== 0 && labels[at] !== mark.label) overlaps += 1;
          labels[at] = mark.label;
        }
      });
    }
  }
  return { overlaps };
}

/** Implements `cutSegmentsTask`. */
export function cutSegments(input: CutSegmentsInput, { throwIfCancelled, transfer }: TaskContext): CutSegments {
  const { marks, rows, columns } = input;
  const places = createPlaces(input.frames);
  const bytesOfFrame = Math.ceil((rows * columns) / 8);
  const cut: number[] = [];
  const parts: Uint8Array[] = [];
  for (const mark of marks) {
    throwIfCancelled();
    for (const { file, frame, cover } of listCovered(mark, { rows, columns })) {
      const place = places.get(`${file} ${frame}`);
      if (place === undefined) continue;
      const bits = new Uint8Array(bytesOfFrame);
      let inside = 0;
      cover((row, first, end) => {
        inside += end - first;
        for (let at = row * columns + first; at < row * columns + end; at += 1) bits[at >> 3]! |= 1 << (at & 7);
      });
      if (inside === 0) continue;
      cut.push(mark.segment, place);
      parts.push(bits);
    }
  }
  const bits = new Uint8Array(parts.length * bytesOfFrame);
  for (const [n, part] of parts.entries()) bits.set(part, n * bytesOfFrame);
  return { cut: transfer(Uint32Array.from(cut)), bits: transfer(bits) };
}
