import { ViewerError } from '../../../../../shared/contract/errors.ts';
import type { LabelClass } from '../../../../../shared/contract/marks.ts';
import { hasOutline, MARK_KINDS, type MarkKind } from '../../../../../shared/markTraits.ts';
import { paletteColor } from '../../../../../shared/segmentColor.ts';
import { hexOfRgb } from '../../labels.ts';
import type { SliceView } from '../../markContent.ts';
import type { FoundMark } from '../../markEdits.ts';
import { areaOfOutline, boundsOfPoints, listPoints, toPolygon, wordsOfMark } from '../formatShapes.ts';
import { type FormatReading, splitFormat, toTimeMs, toWord } from '../formatReading.ts';
import { listFrameOutlines } from '../frameOutlines.ts';
import type { MarkedFile, MarkToWrite, WriteFormatInput } from '../formatTasks.ts';
import { countMaskPixels } from '../../../../../shared/maskRuns.ts';
import { fromColumnRuns, toColumnRuns, unpackCounts } from '../maskRuns.ts';

export { readCoco as read, writeCocoAnnotations as write };

/** The annotations of marks, separated by commas: one for each frame that a mark is on. */
function* writeCocoAnnotations({ marks, files }: WriteFormatInput): Generator<string> {
  let separator = '';
  for (const mark of marks) {
    let id = mark.firstId;
    for (const annotation of listAnnotations(mark, files)) {
      yield `${separator}${JSON.stringify({ id, ...annotation })}`;
      separator = ',\n';
      id += 1;
    }
  }
}

/** One image of COCO: a frame of a file. */
export function writeCocoImage(id: number, file: MarkedFile, frame: number): string {
  return JSON.stringify({
    id,
    file_name: file.path,
    width: file.columns,
    height: file.rows,
    study_instance_uid: file.studyInstanceUid,
    series_instance_uid: file.seriesInstanceUid,
    sop_instance_uid: file.sopInstanceUid,
    frame_number: frame + 1,
  });
}

/** `key` is null for marks without a class. */
export function writeCocoCategory(id: number, key: string | null, known: LabelClass | undefined): string {
  const { title = key ?? 'unlabelled', color, category } = known ?? {};
  return JSON.stringify({ id, name: title, supercategory: category?.meaning ?? '', key, ...(color && { color }) });
}

function* listAnnotations(mark: MarkToWrite, files: readonly MarkedFile[]): Generator<object> {
  const { content, imageIds, categoryId } = mark;
  for (const { at, file, points, mask, isInterpolated } of listFrameOutlines(mark)) {
    const image = { image_id: imageIds[at], category_id: categoryId };
    if (mask !== undefined) {
      const attributes = attributesOf(mark, { isDrawn: true, rectangle: mask.rectangle });
      yield { ...image, ...writeMask(mask, files[file]!), attributes };
      continue;
    }
    const attributes = attributesOf(mark, { isDrawn: !isInterpolated, points });
    yield { ...image, ...writeOutline(content.kind, points), attributes };
  }
}

function writeOutline(kind: MarkKind, points: Float64Array) {
  const polygon = toPolygon(kind, points);
  const { left, top, right, bottom } = boundsOfPoints(points);
  return {
    segmentation: [[...polygon]],
    area: areaOfOutline(kind, points) ?? null,
    bbox: [left, top, right - left, bottom - top],
    iscrowd: 0,
  };
}

function writeMask(slice: SliceView, { rows, columns }: MarkedFile) {
  return {
    segmentation: { size: [rows, columns], counts: toColumnRuns(slice, { rows, columns }) },
    area: countMaskPixels(slice.runs),
    bbox: tightBox(slice),
    iscrowd: 0,
  };
}

/** The pixels of a mask, without the empty margin of its rectangle. */
function tightBox({ rectangle, runs }: SliceView): number[] {
  const [left = 0, top = 0, width = 1] = rectangle;
  let [first, last, upper, lower] = [Infinity, -1, Infinity, -1];
  let at = 0;
  for (const [n, run] of runs.entries()) {
    if (n % 2 === 1 && run > 0) {
      const [start, end] = [at, at + run - 1];
      const [row, lastRow] = [Math.floor(start / width), Math.floor(end / width)];
      upper = Math.min(upper, row);
      lower = Math.max(lower, lastRow);
      first = row === lastRow ? Math.min(first, start % width) : 0;
      last = row === lastRow ? Math.max(last, end % width) : width - 1;
    }
    at += run;
  }
  return last < 0 ? [left, top, 0, 0] : [left + first, top + upper, last - first + 1, lower - upper + 1];
}

type Drawn = {
  readonly isDrawn: boolean;
  readonly points?: Float64Array;
  /** Of a mask, which may be larger than the mask. */
  readonly rectangle?: Uint32Array;
};

/** What COCO has no field for. With it, reading gives the same mark again. */
function attributesOf({ uid, createdAtMs, modifiedAtMs, content, frames, imageIds }: MarkToWrite, drawn: Drawn) {
  const { kind, place, label } = content;
  const imageOf = ({ file_index, frame_index }: { readonly file_index: number; readonly frame_index: number }) => {
    for (let n = 0; n < frames.length; n += 2) {
      if (frames[n] === file_index && frames[n + 1] === frame_index) return imageIds[n / 2];
    }
    return null;
  };
  return {
    uid,
    kind,
    label,
    ...wordsOfMark(content),
    created: new Date(createdAtMs).toISOString(),
    modified: new Date(modifiedAtMs).toISOString(),
    ...(drawn.points !== undefined && { points: listPoints(drawn.points) }),
    ...(drawn.rectangle !== undefined && { rectangle: [...drawn.rectangle] }),
    ...(place.type === 'stack' && {
      stack: { from: imageOf(place.from), to: imageOf(place.to) },
      interpolated: !drawn.isDrawn,
    }),
  };
}

type CocoImage = { readonly place: number; readonly frame: number; readonly rows: number; readonly columns: number };
type Json = Readonly<Record<string, unknown>>;

/** Annotations of one uid that are through a stack are one mark. Those between drawn outlines are computed, not read. */
function readCoco(body: Uint8Array, reading: FormatReading): void {
  const { root, items } = splitFormat(body);
  const [images, annotations] = [items('images'), items('annotations')];
  const isWithout = Object(root)['categories'] === undefined;
  const categories = isWithout ? [] : items('categories');
  if (images === undefined || annotations === undefined || categories === undefined) {
    throw new ViewerError('invalid_json', 'a file of COCO has the lists images, annotations and categories');
  }
  const imageById = new Map<unknown, CocoImage>();
  for (const image of images) readImage(Object(image), imageById, reading);
  const classById = new Map<unknown, Pick<LabelClass, 'key'> & { labelClass: LabelClass | undefined }>();
  let n = 0;
  for (const category of categories) {
    readCategory(Object(category), n, classById);
    n += 1;
  }
  const stacks = new Map<string, { annotation: Json; words: Words; slices: object[] }>();
  n = 0;
  for (const given of annotations) {
    const annotation: Json = Object(given);
    const name = `annotation ${typeof annotation['id'] === 'number' ? annotation['id'] : n}`;
    n += 1;
    reading.attempt(name, () => {
      const image = imageById.get(annotation['image_id']);
      if (image === undefined) throw new ViewerError('invalid_mark', 'it is on none of the images');
      const words = readWords(name, annotation, classById.get(annotation['category_id']));
      const attributes: Json = Object(annotation['attributes']);
      if (annotation['keypoints'] !== undefined) reading.leaveOut('keypoints');
      if (attributes['stack'] !== undefined && words.uid !== undefined) {
        if (attributes['interpolated'] === true) return;
        const slices = readShapes(annotation, image).map(({ kind, ...shape }) => {
          words.body['kind'] = kind;
          reading.hold(shape);
          return { file_index: image.place, frame_index: image.frame, ...shape };
        });
        const known = stacks.get(words.uid);
        if (known === undefined) stacks.set(words.uid, { annotation, words, slices });
        else known.slices.push(...slices);
        return;
      }
      const shapes = readShapes(annotation, image);
      for (const { kind, points, mask } of shapes) {
        const place = { file_index: image.place, frame_index: image.frame };
        const uid = shapes.length === 1 ? words.uid : undefined;
        const isMask = mask !== undefined;
        reading.add({
          ...words,
          uid,
          body: {
            ...words.body,
            kind,
            points: isMask ? [] : points,
            place: isMask ? { type: 'stack', from: place, to: place } : { type: 'frame', ...place },
            slices: isMask ? [{ ...place, points: [], mask }] : [],
          },
        });
      }
    });
  }
  for (const { annotation, words, slices } of stacks.values()) {
    reading.attempt(words.name, () => {
      const { from, to }: Json = Object(Object(annotation['attributes'])['stack']);
      const place = { type: 'stack', from: readEnd(from, imageById), to: readEnd(to, imageById) };
      reading.add({ ...words, body: { ...words.body, place, points: [], slices } });
    });
  }
}

function readEnd(id: unknown, imageById: ReadonlyMap<unknown, CocoImage>) {
  const image = imageById.get(id);
  if (image === undefined) throw new ViewerError('invalid_mark', 'an end of its stack is none of the images');
  return { file_index: image.place, frame_index: image.frame };
}

function readImage(image: Json, imageById: Map<unknown, CocoImage>, reading: FormatReading): void {
  const { id, file_name: path = '', sop_instance_uid: uid = '', frame_number: frame = 1, width, height } = image;
  if (typeof path !== 'string' || typeof uid !== 'string') return;
  imageById.set(id, {
    place: reading.placeOfFile(path, uid),
    frame: Number.isSafeInteger(frame) ? Number(frame) - 1 : 0,
    rows: Number(height),
    columns: Number(width),
  });
}

const LONGEST_KEY = 64;

function readCategory(
  { id, name, key, color }: Json,
  n: number,
  classById: Map<unknown, Pick<LabelClass, 'key'> & { labelClass: LabelClass | undefined }>,
): void {
  if (key === null || typeof name !== 'string' || name === '') return;
  const own = (typeof key === 'string' && key !== '' ? key : name).slice(0, LONGEST_KEY);
  const hex = typeof color === 'string' && /^#[0-9a-fA-F]{6}$/.test(color) ? color : hexOfRgb(paletteColor(n + 1));
  // Negato writes no color for a class that its scheme did not have.
  const isDescribed = key === undefined || color !== undefined;
  const labelClass = isDescribed ? { key: own, title: name.slice(0, 128), color: hex } : undefined;
  classById.set(id, { key: own, labelClass });
}

type Words = Omit<FoundMark, 'content'> & {
  readonly body: Record<string, unknown>;
};

function readWords(
  name: string,
  annotation: Json,
  category: (Pick<LabelClass, 'key'> & { labelClass: LabelClass | undefined }) | undefined,
): Words {
  const { uid, label, text, comment, author, locked, created, modified }: Json = Object(annotation['attributes']);
  return {
    name,
    uid: typeof uid === 'string' ? uid : undefined,
    createdAtMs: toTimeMs(created),
    modifiedAtMs: toTimeMs(modified),
    labelClass: category?.labelClass,
    body: {
      label: toWord(label),
      class: category?.key ?? null,
      text: toWord(text),
      comment: toWord(comment),
      author: toWord(author),
      locked: locked === true,
    },
  };
}

type Shape = { readonly kind: MarkKind; readonly points: [number, number][]; readonly mask?: object };

/** The shapes of an annotation: of a program that draws several polygons for one object, each of them. */
function readShapes(annotation: Json, image: CocoImage): readonly Shape[] {
  const { segmentation, bbox, attributes } = annotation;
  const { kind, points, rectangle }: Json = Object(attributes);
  if (!Array.isArray(segmentation) && segmentation !== null && typeof segmentation === 'object') {
    return [{ kind: 'brush', points: [], mask: readRuns(Object(segmentation), image, rectangle) }];
  }
  const polygons = Array.isArray(segmentation) ? segmentation.map(pairPoints) : [];
  const [only] = polygons;
  if (polygons.length === 1 && only !== undefined) {
    if (isOutlineKind(kind) && isOutlineOf(kind, points, only)) return [{ kind, points }];
    return [{ kind: 'polygon', points: only }];
  }
  if (polygons.length > 0) return polygons.map((one) => ({ kind: 'polygon', points: one }));
  const [x, y, width, height] = Array.isArray(bbox) ? bbox.map(Number) : [];
  if (x === undefined || y === undefined || width === undefined || height === undefined) {
    throw new ViewerError('invalid_mark', 'it has neither a segmentation nor a box');
  }
  return [
    {
      kind: 'box',
      points: [
        [x, y],
        [x + width, y + height],
      ],
    },
  ];
}

function isOutlineKind(kind: unknown): kind is MarkKind {
  return MARK_KINDS.some((one) => one === kind && hasOutline(one));
}

/** Whether the polygon still is the outline of these points: another program may have changed it and kept the rest. */
function isOutlineOf(
  kind: MarkKind,
  points: unknown,
  polygon: readonly [number, number][],
): points is [number, number][] {
  if (!Array.isArray(points) || !points.every((point) => Array.isArray(point) && point.length === 2)) return false;
  const expected = toPolygon(kind, Float64Array.from(points.flat().map(Number)));
  const found = polygon.flat();
  return expected.length === found.length && expected.every((value, n) => Math.abs(value - found[n]!) <= 1e-6);
}

function pairPoints(numbers: unknown): [number, number][] {
  if (!Array.isArray(numbers) || numbers.length % 2 === 1 || !numbers.every((one) => typeof one === 'number')) {
    throw new ViewerError('invalid_mark', 'segmentation: a polygon is a list of x and y in turn');
  }
  const flat: readonly number[] = numbers;
  return Array.from({ length: flat.length / 2 }, (_, n) => [flat[2 * n]!, flat[2 * n + 1]!]);
}

function readRuns({ size, counts }: Json, image: CocoImage, rectangle: unknown): object {
  const [rows, columns] = Array.isArray(size) ? size.map(Number) : [];
  if (rows !== image.rows || columns !== image.columns || !(rows > 0) || !(columns > 0)) {
    throw new ViewerError('invalid_mark', 'segmentation: the size is not that of the image');
  }
  const [left = 0, top = 0, width = 0, height = 0] = Array.isArray(rectangle) ? rectangle.map(Number) : [];
  const isWhole = [left, top, width, height].every((one) => Number.isSafeInteger(one) && one >= 0);
  const given = isWhole && width > 0 && height > 0 ? { left, top, width, height } : undefined;
  const mask = fromColumnRuns(parseCounts(counts), { rows, columns }, given);
  if (mask === undefined) throw new ViewerError('invalid_mark', 'segmentation: the mask is empty');
  return mask;
}

function parseCounts(counts: unknown): readonly number[] {
  if (typeof counts === 'string') return unpackCounts(counts);
  if (!Array.isArray(counts) || !counts.every((one) => Number.isSafeInteger(one) && Number(one) >= 0)) {
    throw new ViewerError('invalid_mark', 'segmentation: counts are no run lengths');
  }
  return counts;
}
