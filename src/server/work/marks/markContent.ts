import type { MarkBody, MarkKind, MarkPlace, MarkSlice } from '../../../shared/contract/marks.ts';
import { writeArray, writeIntegers } from '../../machine/workers/jsonPieces.ts';

/**
 * What a client says of a mark. Coordinates are in typed arrays, which move between threads at no cost and take a
 * fraction of the memory of objects.
 */
export type MarkContent = {
  readonly kind: MarkKind;
  readonly place: MarkPlace;
  /** Two numbers per point. */
  readonly points: Float64Array<ArrayBuffer>;
  readonly slices: PackedSlices;
  readonly label: string;
  readonly class: string | null;
  readonly text: string;
  readonly comment: string;
  readonly author: string;
  readonly locked: boolean;
};

/** The slices of a mark, by file and frame. Slice n has the points and runs from `starts[n]` to `starts[n + 1]`. */
export type PackedSlices = {
  /** File and frame of each slice. */
  readonly frames: Uint32Array<ArrayBuffer>;
  readonly pointStarts: Uint32Array<ArrayBuffer>;
  readonly points: Float64Array<ArrayBuffer>;
  /** Left, top, width and height of the mask of each slice; all 0 without one. */
  readonly rectangles: Uint32Array<ArrayBuffer>;
  readonly runStarts: Uint32Array<ArrayBuffer>;
  readonly runs: Uint32Array<ArrayBuffer>;
};

export function packPoints(points: MarkBody['points']): Float64Array<ArrayBuffer> {
  return Float64Array.from(points.flat());
}

/** In the order of files and frames. Throws nothing; the rules are checked by `checkMark`. */
export function packMarkSlices(given: readonly MarkSlice[]): PackedSlices {
  return given.length === 0 ? NO_SLICES : packSome(given);
}

function packSome(given: readonly MarkSlice[]): PackedSlices {
  const slices = given.toSorted((a, b) => a.file_index - b.file_index || a.frame_index - b.frame_index);
  return {
    frames: Uint32Array.from(slices.flatMap(({ file_index, frame_index }) => [file_index, frame_index])),
    pointStarts: startsOf(slices.map(({ points }) => points.length * 2)),
    points: Float64Array.from(slices.flatMap(({ points }) => points.flat())),
    rectangles: Uint32Array.from(slices.flatMap(rectangleOf)),
    runStarts: startsOf(slices.map(({ mask }) => mask?.runs.length ?? 0)),
    runs: Uint32Array.from(slices.flatMap(({ mask }) => mask?.runs ?? [])),
  };
}

function rectangleOf({ mask }: MarkSlice): number[] {
  return mask === undefined ? [0, 0, 0, 0] : [mask.left, mask.top, mask.width, mask.height];
}

const NO_SLICES: PackedSlices = packSome([]);

function startsOf(lengths: readonly number[]): Uint32Array<ArrayBuffer> {
  const starts = new Uint32Array(lengths.length + 1);
  for (const [index, length] of lengths.entries()) starts[index + 1] = (starts[index] ?? 0) + length;
  return starts;
}

export function countSlices({ frames }: PackedSlices): number {
  return frames.length / 2;
}

/** One slice as views of the arrays. */
export type SliceView = {
  readonly fileIndex: number;
  readonly frame: number;
  readonly points: Float64Array<ArrayBuffer>;
  readonly rectangle: Uint32Array<ArrayBuffer>;
  readonly runs: Uint32Array<ArrayBuffer>;
};

export function* listSlices(slices: PackedSlices): Generator<SliceView> {
  const { frames, pointStarts, points, rectangles, runStarts, runs } = slices;
  for (let n = 0; n < countSlices(slices); n += 1) {
    yield {
      fileIndex: frames[2 * n] ?? 0,
      frame: frames[2 * n + 1] ?? 0,
      points: points.subarray(pointStarts[n], pointStarts[n + 1]),
      rectangle: rectangles.subarray(4 * n, 4 * n + 4),
      runs: runs.subarray(runStarts[n], runStarts[n + 1]),
    };
  }
}

/** The slices of all versions. Of several on one frame, the last counts, and none if that has neither points nor mask. */
export function mergeSlices(versions: readonly PackedSlices[]): PackedSlices {
  return packViews(lastOfEachFrame(versions).filter((slice) => !isEmpty(slice)));
}

/** What `mergeSlices` needs to make `after` of `before`: the slices that differ, and empty ones for those that are gone. */
export function diffSlices(before: PackedSlices, after: PackedSlices): PackedSlices {
  const gone = new Map(Array.from(listSlices(before), (slice) => [frameKey(slice), slice]));
  const changed: SliceView[] = [];
  for (const slice of listSlices(after)) {
    const was = gone.get(frameKey(slice));
    gone.delete(frameKey(slice));
    if (was === undefined || !isSameSlice(was, slice)) changed.push(slice);
  }
  const nothing = { points: new Float64Array(0), rectangle: new Uint32Array(4), runs: new Uint32Array(0) };
  return packViews([...changed, ...Array.from(gone.values(), (slice) => ({ ...slice, ...nothing }))]);
}

function frameKey({ fileIndex, frame }: SliceView): string {
  return `${fileIndex} ${frame}`;
}

function isEmpty({ points, rectangle }: SliceView): boolean {
  return points.length === 0 && (rectangle[2] ?? 0) === 0;
}

function isSameSlice(a: SliceView, b: SliceView): boolean {
  return isSameArray(a.rectangle, b.rectangle) && isSameArray(a.runs, b.runs) && isSameArray(a.points, b.points);
}

function isSameArray(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  if (a.length !== b.length) return false;
  for (let n = 0; n < a.length; n += 1) if (a[n] !== b[n]) return false;
  return true;
}

function lastOfEachFrame(versions: readonly PackedSlices[]): readonly SliceView[] {
  const byFrame = new Map<string, SliceView>();
  for (const slices of versions) for (const slice of listSlices(slices)) byFrame.set(frameKey(slice), slice);
  return [...byFrame.values()];
}

function packViews(given: readonly SliceView[]): PackedSlices {
  if (given.length === 0) return NO_SLICES;
  const slices = given.toSorted((a, b) => a.fileIndex - b.fileIndex || a.frame - b.frame);
  const points = new Float64Array(slices.reduce((sum, slice) => sum + slice.points.length, 0));
  const runs = new Uint32Array(slices.reduce((sum, slice) => sum + slice.runs.length, 0));
  const pointStarts = startsOf(slices.map((slice) => slice.points.length));
  const runStarts = startsOf(slices.map((slice) => slice.runs.length));
  for (const [n, slice] of slices.entries()) {
    points.set(slice.points, pointStarts[n]);
    runs.set(slice.runs, runStarts[n]);
  }
  return {
    frames: Uint32Array.from(slices.flatMap(({ fileIndex, frame }) => [fileIndex, frame])),
    pointStarts,
    points,
    rectangles: Uint32Array.from(slices.flatMap(({ rectangle }) => [...rectangle])),
    runStarts,
    runs,
  };
}

/** Numbers that the slices hold, as a measure of their length in a file. */
export function countSliceNumbers({ frames, points, rectangles, runs }: PackedSlices): number {
  return frames.length + points.length + rectangles.length + runs.length;
}

/** Every file that the mark names, each once, in ascending order. */
export function filesOfMark({ place, slices }: Pick<MarkContent, 'place' | 'slices'>): readonly number[] {
  const files = new Set<number>();
  if (place.type === 'stack') files.add(place.from.file_index).add(place.to.file_index);
  else files.add(place.file_index);
  for (let n = 0; n < slices.frames.length; n += 2) files.add(slices.frames[n] ?? 0);
  return [...files].toSorted((a, b) => a - b);
}

/** The same mark with other numbers of its files. */
export function renumberFiles<Content extends MarkContent>(content: Content, numberOf: (file: number) => number) {
  const { place, slices } = content;
  if (slices === NO_SLICES) return { ...content, place: renumberPlace(place, numberOf) };
  const frames = slices.frames.map((value, n) => (n % 2 === 0 ? numberOf(value) : value));
  const renumbered = { ...slices, frames };
  // If the order of the files is the same, the other arrays are shared: those of a large mask take megabytes.
  const sorted = isInOrder(frames) ? renumbered : packViews(lastOfEachFrame([renumbered]));
  return { ...content, place: renumberPlace(place, numberOf), slices: sorted };
}

function isInOrder(frames: Uint32Array): boolean {
  for (let n = 2; n < frames.length; n += 2) {
    const [file = 0, frame = 0, nextFile = 0, nextFrame = 0] = frames.subarray(n - 2, n + 2);
    if (nextFile < file || (nextFile === file && nextFrame <= frame)) return false;
  }
  return true;
}

/** The mark with places in a list of the files that it names in place of their numbers, and that list. */
export function listFilesOfMark<Content extends MarkContent, File>(content: Content, fileOf: (file: number) => File) {
  const named = filesOfMark(content);
  const placeOfFile = new Map(named.map((file, place) => [file, place]));
  return { files: named.map(fileOf), content: renumberFiles(content, (file) => placeOfFile.get(file) ?? 0) };
}

function renumberPlace(place: MarkPlace, numberOf: (file: number) => number): MarkPlace {
  if (place.type !== 'stack') return { ...place, file_index: numberOf(place.file_index) };
  const { from, to } = place;
  return {
    ...place,
    from: { ...from, file_index: numberOf(from.file_index) },
    to: { ...to, file_index: numberOf(to.file_index) },
  };
}

/** Bytes that the mark takes, roughly. */
export function sizeOfMark({ points, slices, label, text, comment, author }: MarkContent): number {
  const { frames, pointStarts, rectangles, runStarts, runs } = slices;
  const arrays = slices === NO_SLICES ? [] : [frames, pointStarts, slices.points, rectangles, runStarts, runs];
  const texts = label.length + text.length + comment.length + author.length;
  return arrays.reduce((sum, { byteLength }) => sum + byteLength, OBJECT_BYTES + points.byteLength + 2 * texts);
}

/** An object with its arrays, before anything is in them. */
const OBJECT_BYTES = 1_000;

/** The members of `MarkBody` as JSON, without the braces around them. */
export function* writeContent(content: MarkContent): Generator<string> {
  const { kind, place, points, slices, ...words } = content;
  const { label, class: key, text, comment, author, locked } = words;
  yield `"kind":"${kind}","place":${JSON.stringify(place)},"points":`;
  yield* writePoints(points);
  yield ',"slices":';
  yield* writeArray(listSlices(slices), writeSlice);
  yield `,${JSON.stringify({ label, class: key, text, comment, author, locked }).slice(1, -1)}`;
}

/** Most marks have a few points, which are written faster in one step. */
const FEW_NUMBERS = 1_000;

function writePoints(points: Float64Array): Iterable<string> {
  if (points.length <= FEW_NUMBERS) {
    let text = '[';
    for (let n = 0; n < points.length; n += 2) text += `${n === 0 ? '' : ','}[${points[n]},${points[n + 1]}]`;
    return [`${text}]`];
  }
  return writeArray(everySecond(points), (n) => `[${points[n]},${points[n + 1]}]`);
}

function* everySecond({ length }: Float64Array): Generator<number> {
  for (let n = 0; n < length; n += 2) yield n;
}

function* writeSlice({ fileIndex, frame, points, rectangle, runs }: SliceView): Generator<string> {
  yield `{"file_index":${fileIndex},"frame_index":${frame},"points":`;
  yield* writePoints(points);
  const [left = 0, top = 0, width = 0, height = 0] = rectangle;
  if (width > 0) {
    yield `,"mask":{"left":${left},"top":${top},"width":${width},"height":${height},"runs":`;
    yield* writeIntegers(runs);
    yield '}';
  }
  yield '}';
}
