import { ViewerError } from '../../../../shared/contract/errors.ts';
import type { MarkMask } from '../../../../shared/contract/marks.ts';
import type { SliceView } from '../markContent.ts';

/** Pixels that are unpacked at once; images that are no slides have fewer. */
export const MOST_MASK_PIXELS = 2 ** 26;
/** More are no mask that somebody has drawn. */
const MOST_RUNS = 2 ** 20;

/** The rectangle of a mask with a byte for each of its pixels, 1 in the mask. */
export function unpackMask({ rectangle, runs }: Pick<SliceView, 'rectangle' | 'runs'>): Uint8Array {
  const [, , width = 0, height = 0] = rectangle;
  refuseLargeMask(width * height);
  const pixels = new Uint8Array(width * height);
  let at = 0;
  for (let n = 0; n < runs.length; n += 1) {
    if (n % 2 === 1) pixels.fill(1, at, at + runs[n]!);
    at += runs[n]!;
  }
  return pixels;
}

function refuseLargeMask(pixels: number): void {
  if (pixels > MOST_MASK_PIXELS) {
    throw new ViewerError(
      'document_too_large',
      `a mask has ${pixels} pixels; at most ${MOST_MASK_PIXELS} are converted`,
    );
  }
}

/** Lengths of runs, first outside the mask, then inside, and so on. Only the first may be 0. Throws `invalid_mark`. */
export function listRuns(pixels: Uint8Array): number[] {
  const runs: number[] = [];
  let value = 0;
  let length = 0;
  for (let at = 0; at < pixels.length; at += 1) {
    if (pixels[at] === value) {
      length += 1;
      continue;
    }
    runs.push(length);
    if (runs.length > MOST_RUNS) throw new ViewerError('invalid_mark', `a mask has at most ${MOST_RUNS} runs`);
    value = 1 - value;
    length = 1;
  }
  runs.push(length);
  return runs;
}

type Size = { readonly rows: number; readonly columns: number };

/**
 * The run lengths of COCO: of the whole image, column after column, first outside the mask. The columns before and after
 * the rectangle are not unpacked.
 */
export function toColumnRuns(slice: Pick<SliceView, 'rectangle' | 'runs'>, { rows, columns }: Size): number[] {
  const [left = 0, top = 0, width = 0, height = 0] = slice.rectangle;
  const pixels = unpackMask(slice);
  const counts: number[] = [];
  let value = 0;
  let length = left * rows;
  const add = (pixel: number, count: number) => {
    if (count === 0) return;
    if (pixel === value) {
      length += count;
      return;
    }
    counts.push(length);
    if (counts.length > MOST_RUNS)
      throw new ViewerError('document_too_large', `a mask has more than ${MOST_RUNS} runs`);
    value = pixel;
    length = count;
  };
  for (let column = 0; column < width; column += 1) {
    add(0, top);
    for (let row = 0; row < height; row += 1) add(pixels[row * width + column]!, 1);
    add(0, rows - top - height);
  }
  add(0, (columns - left - width) * rows);
  counts.push(length);
  return counts;
}

type Rectangle = Pick<MarkMask, 'left' | 'top' | 'width' | 'height'>;

/**
 * The mask of column runs, in a rectangle that contains it if one is given. Undefined without a pixel. Throws
 * `invalid_mark` if they do not add up.
 */
export function fromColumnRuns(
  counts: readonly number[],
  { rows, columns }: Size,
  rectangle?: Rectangle,
): MarkMask | undefined {
  if (counts.reduce((sum, count) => sum + count, 0) !== rows * columns) {
    throw new ViewerError('invalid_mark', `the run lengths do not add up to ${rows} × ${columns}`);
  }
  const inside = listInside(counts);
  const tight = boundsOfRuns(inside, rows);
  const image = { left: 0, top: 0, width: columns, height: rows };
  const given = rectangle !== undefined && contains(image, rectangle) ? rectangle : undefined;
  if (tight === undefined) return given && { ...given, runs: [given.width * given.height] };
  const { left, top, width, height } = given !== undefined && contains(given, tight) ? given : tight;
  refuseLargeMask(width * height);
  const pixels = new Uint8Array(width * height);
  for (const { start, end } of inside) {
    for (let at = start; at < end; at += 1) pixels[((at % rows) - top) * width + Math.floor(at / rows) - left] = 1;
  }
  return { left, top, width, height, runs: listRuns(pixels) };
}

type Run = { readonly start: number; readonly end: number };

function boundsOfRuns(inside: readonly Run[], rows: number): Rectangle | undefined {
  let [left, right, top, bottom] = [Infinity, -1, Infinity, -1];
  for (const { start, end } of inside) {
    const [first, last] = [Math.floor(start / rows), Math.floor((end - 1) / rows)];
    left = Math.min(left, first);
    right = Math.max(right, last);
    top = first === last ? Math.min(top, start % rows) : 0;
    bottom = first === last ? Math.max(bottom, (end - 1) % rows) : rows - 1;
  }
  return right < 0 ? undefined : { left, top, width: right - left + 1, height: bottom - top + 1 };
}

function contains(outer: Rectangle, inner: Rectangle): boolean {
  return (
    outer.left <= inner.left &&
    outer.top <= inner.top &&
    outer.left + outer.width >= inner.left + inner.width &&
    outer.top + outer.height >= inner.top + inner.height
  );
}

function listInside(counts: readonly number[]): Run[] {
  const inside: Run[] = [];
  let at = 0;
  for (const [n, count] of counts.entries()) {
    if (n % 2 === 1 && count > 0) inside.push({ start: at, end: at + count });
    at += count;
  }
  return inside;
}

/**
 * The run lengths that COCO packs into a text: six bits in each character, the lowest five of them a part of the number,
 * the lowest part first, and the sixth says that more follow. From the fourth on, they are differences to the number two
 * before. Throws `invalid_mark`.
 */
export function unpackCounts(text: string): number[] {
  const counts: number[] = [];
  for (let at = 0; at < text.length;) {
    let value = 0;
    let shift = 0;
    let part = 0;
    do {
      part = text.charCodeAt(at) - 48;
      if (Number.isNaN(part) || part < 0 || part > 63 || shift > 30) {
        throw new ViewerError('invalid_mark', 'the run lengths are not those of COCO');
      }
      value += (part & 31) * 2 ** shift;
      shift += 5;
      at += 1;
    } while ((part & 32) !== 0);
    // The highest of the five bits is the sign.
    if ((part & 16) !== 0) value -= 2 ** shift;
    const count = counts.length > 2 ? value + counts.at(-2)! : value;
    if (count < 0) throw new ViewerError('invalid_mark', 'the run lengths are not those of COCO');
    counts.push(count);
  }
  return counts;
}
