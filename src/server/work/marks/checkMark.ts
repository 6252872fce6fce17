import type { ImageBounds } from '../../../shared/annotations.ts';
import { MASK_TILE, MASK_TILES_ACROSS, MOST_MARK_SLICES } from '../../../shared/contract/marks.ts';
import { ViewerError } from '../../../shared/contract/errors.ts';
import { isMask, type MarkTraits, traitsOf } from '../../../shared/markTraits.ts';
import { countSlices, listSlices, type MarkContent, type PackedSlices, type SliceView } from './markContent.ts';

/** The images that marks are on. Both throw `not_found` for a file that is not open. */
export interface MarkedImages {
  boundsOf(file: number): ImageBounds;
  /** Of the level that the file belongs to; undefined if it is no slide. */
  slideOf(file: number): Pick<ImageBounds, 'rows' | 'columns'> | undefined;
}

/**
 * The rules that depend on the kind, on the place and on the images. Throws `invalid_mark`, which names the point or the
 * slice.
 */
export function checkMark(content: MarkContent, images: MarkedImages): void {
  const boundsOf = (file: number) => images.boundsOf(file);
  const { kind, place, points, slices, text } = content;
  const rule = traitsOf(kind);
  if (!rule.places.includes(place.type)) {
    throw invalid(`place: a mark of kind ${kind} is on a ${rule.places.join(', ')}, not on a ${place.type}`);
  }
  if (text !== '' && rule.hasText !== true) {
    throw invalid('text: only an arrow has one; others have a label and a comment');
  }
  const hasTiles = place.type === 'slide' && isMask(kind);
  if (place.type !== 'stack' && !hasTiles && countSlices(slices) > 0) {
    throw invalid('slices: only a mark through a stack and a mask on a slide have them');
  }
  switch (place.type) {
    case 'frame':
      checkFrame(place, boundsOf, 'place');
      checkPoints(points, content, rule, 'points');
      return checkInside(points, boundsOf(place.file_index), 'points');
    case 'slide':
      boundsOf(place.file_index);
      checkPoints(points, content, rule, 'points');
      if (hasTiles) checkTiles(slices, place, images);
      else if (place.mask_step !== undefined) throw invalid('place: only a mask has a mask_step');
      return;
    case 'plane':
      checkFrame(place, boundsOf, 'place');
      checkDirections(place.orientation);
      return checkPoints(points, content, rule, 'points');
    case 'volume':
      checkFrame(place, boundsOf, 'place');
      checkDirections(place.orientation);
      if (points.length > 0) throw invalid('points: a box in a volume has its size in its place, and no points');
      return;
    case 'stack':
      checkFrame(place.from, boundsOf, 'place: from');
      checkFrame(place.to, boundsOf, 'place: to');
      if (points.length > 0) throw invalid('points: a mark through a stack has them in its slices');
      if (countSlices(slices) === 0) throw invalid('slices: a mark through a stack needs at least one');
      for (const slice of listSlices(slices)) checkSlice(slice, content, rule, boundsOf);
  }
}

function checkSlice(
  slice: SliceView,
  content: MarkContent,
  rule: MarkTraits,
  boundsOf: (file: number) => ImageBounds,
): void {
  const { fileIndex, frame, points, rectangle } = slice;
  const where = `slices: frame ${frame} of file ${fileIndex}`;
  checkFrame({ file_index: fileIndex, frame_index: frame }, boundsOf, where);
  const bounds = boundsOf(fileIndex);
  const [left = 0, top = 0, width = 0, height = 0] = rectangle;
  if (!isMask(content.kind)) {
    if (width > 0) throw invalid(`${where}: only a brush mark has a mask`);
    checkPoints(points, content, rule, where);
    return checkInside(points, bounds, where);
  }
  if (points.length > 0) throw invalid(`${where}: a brush mark has a mask and no points`);
  if (width === 0) throw invalid(`${where}: the mask is missing`);
  if (left + width > bounds.columns || top + height > bounds.rows) {
    throw invalid(`${where}: the mask reaches beyond the image of ${bounds.rows} rows and ${bounds.columns} columns`);
  }
  return checkRuns(slice, where);
}

function checkRuns({ rectangle, runs }: SliceView, where: string): void {
  const [, , width = 0, height = 0] = rectangle;
  let sum = 0;
  for (const [n, run] of runs.entries()) {
    if (run === 0 && n > 0) throw invalid(`${where}: run ${n} of the mask is 0; only the first may be`);
    sum += run;
  }
  if (sum !== width * height) {
    throw invalid(`${where}: the runs add up to ${sum}, not to ${width} × ${height} = ${width * height}`);
  }
}

type SlidePlace = Extract<MarkContent['place'], { type: 'slide' }>;

function checkTiles(slices: PackedSlices, place: SlidePlace, images: MarkedImages): void {
  const { mask_step: step = 0, file_index } = place;
  if (step < 1 || Math.log2(step) % 1 !== 0) throw invalid('place: the mask_step of a mask is a power of two');
  const slide = images.slideOf(file_index);
  if (slide === undefined) throw invalid(`place: file ${file_index} is no slide`);
  const count = countSlices(slices);
  if (count === 0) throw invalid('slices: a mask needs at least one tile');
  if (count > MOST_MARK_SLICES) throw invalid(`slices: a mask has at most ${MOST_MARK_SLICES} tiles, not ${count}`);
  const [columns, rows] = [Math.ceil(slide.columns / step), Math.ceil(slide.rows / step)];
  for (const tile of listSlices(slices)) {
    const where = `slices: tile ${tile.frame}`;
    const [left = 0, top = 0, width = 0, height = 0] = tile.rectangle;
    if (tile.fileIndex !== file_index) throw invalid(`${where}: it is of another file than the mark`);
    if (tile.points.length > 0) throw invalid(`${where}: a brush mark has a mask and no points`);
    if (width === 0) throw invalid(`${where}: the mask is missing`);
    const [column, row] = [tile.frame % MASK_TILES_ACROSS, Math.floor(tile.frame / MASK_TILES_ACROSS)];
    const [x, y] = [left - column * MASK_TILE, top - row * MASK_TILE];
    if (x < 0 || y < 0 || x + width > MASK_TILE || y + height > MASK_TILE) {
      throw invalid(`${where}: the mask is not inside of this tile of ${MASK_TILE} × ${MASK_TILE} pixels`);
    }
    if (left + width > columns || top + height > rows) {
      throw invalid(`${where}: the mask reaches beyond the slide of ${rows} rows and ${columns} columns of its pixels`);
    }
    checkRuns(tile, where);
  }
}

function checkFrame(
  { file_index, frame_index }: { readonly file_index: number; readonly frame_index: number },
  boundsOf: (file: number) => ImageBounds,
  where: string,
): void {
  const { frameCount } = boundsOf(file_index);
  if (frame_index >= frameCount) {
    throw invalid(
      frameCount === 0
        ? `${where}: file ${file_index} has no image`
        : `${where}: frame ${frame_index} of file ${file_index} is outside 0 to ${frameCount - 1}`,
    );
  }
}

function checkPoints(
  points: Float64Array,
  { kind }: MarkContent,
  { points: [fewest, most], shape }: MarkTraits,
  where: string,
): void {
  const count = points.length / 2;
  if (count < fewest || count > most) {
    const wanted = most === Infinity ? `at least ${fewest}` : String(fewest);
    throw invalid(`${where}: a mark of kind ${kind} has ${wanted} points, not ${count}`);
  }
  const [ax = 0, ay = 0, bx = 0, by = 0] = points;
  if ((shape === 'box' || shape === 'ellipse') && (ax === bx || ay === by)) {
    throw invalid(`${where}: the two corners must differ in x and in y`);
  }
}

function checkInside(points: Float64Array, { rows, columns }: ImageBounds, where: string): void {
  for (let n = 0; n < points.length; n += 2) {
    const [x = 0, y = 0] = points.subarray(n, n + 2);
    if (x < 0 || y < 0 || x > columns || y > rows) {
      throw invalid(
        `${where}: point ${n / 2} at ${x}, ${y} is outside the image of ${rows} rows and ${columns} columns`,
      );
    }
  }
}

/** Of unit length, and perpendicular within 1e-4. */
function checkDirections([a = 0, b = 0, c = 0, d = 0, e = 0, f = 0]: readonly number[]): void {
  const isRight = [Math.hypot(a, b, c) - 1, Math.hypot(d, e, f) - 1, a * d + b * e + c * f].every(
    (off) => Math.abs(off) <= 1e-3,
  );
  if (!isRight) throw invalid('place: orientation must be two perpendicular unit vectors');
}

function invalid(message: string): ViewerError {
  return new ViewerError('invalid_mark', message);
}
