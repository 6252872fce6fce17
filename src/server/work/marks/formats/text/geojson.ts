import { ViewerError } from '../../../../../shared/contract/errors.ts';
import { type LabelClass, type MarkSlice, MOST_MASK_STEP } from '../../../../../shared/contract/marks.ts';
import { isMask, MARK_KINDS, type MarkKind, type MarkShape, traitsOf } from '../../../../../shared/markTraits.ts';
import { paletteColor } from '../../../../../shared/segmentColor.ts';
import { parseBody } from '../../../../machine/workers/parseBody.ts';
import { hexOfRgb, rgbOfHex } from '../../labels.ts';
import { evenOddRings } from '../../../../../shared/evenOddRings.ts';
import { boundsOfPoints, listPoints, toPolygon, wordsOfMark } from '../formatShapes.ts';
import { type FormatReading, splitFormat, toTimeMs, toWord } from '../formatReading.ts';
import { fillRings, traceMask } from '../maskOutline.ts';
import type { MarkContent } from '../../markContent.ts';
import type { MarkedFile, MarkToWrite, WriteFormatInput } from '../formatTasks.ts';

export { readGeoJson as read, writeGeoJsonFeatures as write };

type Json = Readonly<Record<string, unknown>>;
type Point = [number, number];

/** The features of marks, separated by commas, as QuPath reads them. */
function* writeGeoJsonFeatures({ marks, files }: WriteFormatInput): Generator<string> {
  let separator = '';
  for (const mark of marks) {
    yield `${separator}${JSON.stringify(toFeature(mark, files))}`;
    separator = ',\n';
  }
}

function toFeature({ uid, createdAtMs, modifiedAtMs, content, labelClass }: MarkToWrite, files: readonly MarkedFile[]) {
  const { kind, place, points, label, locked, class: key } = content;
  const file = 'file_index' in place ? files[place.file_index] : undefined;
  const id = toUuid(uid);
  const { shape } = traitsOf(kind);
  const isOtherwise = shape === 'box' || shape === 'ellipse' || (shape === 'polygon' && !isPlain(points));
  return {
    type: 'Feature',
    ...(id !== undefined && { id }),
    geometry: shape === 'pixels' ? toMaskGeometry(content) : toGeometry(kind, shape, points),
    properties: {
      objectType: 'annotation',
      ...(label !== '' && { name: label }),
      isLocked: locked,
      ...(key !== null && {
        classification: {
          name: labelClass?.title ?? key,
          ...(labelClass !== null && { color: rgbOfHex(labelClass.color) }),
        },
      }),
      negato: {
        uid,
        kind,
        class: key,
        ...wordsOfMark(content),
        created: new Date(createdAtMs).toISOString(),
        modified: new Date(modifiedAtMs).toISOString(),
        ...(isOtherwise && { points: listPoints(points) }),
        ...(place.type === 'slide' && place.mask_step !== undefined && { mask_step: place.mask_step }),
        image: {
          file: file?.path ?? '',
          study_instance_uid: file?.studyInstanceUid ?? '',
          series_instance_uid: file?.seriesInstanceUid ?? '',
          sop_instance_uid: file?.sopInstanceUid ?? '',
          ...(place.type === 'frame' && { frame_number: place.frame_index + 1 }),
          ...(place.type === 'slide' && { focal_plane_um: place.focal_plane_um }),
        },
      },
    },
  };
}

/** Along the edges of the pixels of the mask, so that reading gives the same pixels. */
function toMaskGeometry({ place, slices }: MarkContent) {
  const step = place.type === 'slide' ? (place.mask_step ?? 1) : 1;
  const polygons = traceMask(slices, step);
  return polygons.length === 1
    ? { type: 'Polygon', coordinates: polygons[0] }
    : { type: 'MultiPolygon', coordinates: polygons };
}

function toGeometry(kind: MarkKind, shape: Exclude<MarkShape, 'pixels'>, points: Float64Array) {
  const all = listPoints(points);
  switch (shape) {
    case 'polygon':
      return toPolygonGeometry(points);
    case 'box':
    case 'ellipse': {
      const corners = listPoints(toPolygon(kind, points));
      const ring = [...corners, corners[0]!];
      return { type: 'Polygon', coordinates: [ring], ...(shape === 'ellipse' && { isEllipse: true }) };
    }
    case 'point':
      return { type: 'Point', coordinates: all[0] };
    case 'lines':
      return { type: 'MultiLineString', coordinates: [all.slice(0, 2), all.slice(2)] };
    case 'line':
      return { type: 'LineString', coordinates: all };
  }
}

/** Whether the corners of a polygon are those of its geometry. */
function isPlain(points: Float64Array): boolean {
  const { type, coordinates } = toPolygonGeometry(points);
  return type === 'Polygon' && coordinates?.length === 1 && coordinates[0]?.length === points.length / 2 + 1;
}

/**
 * Rings that cross or touch themselves are not valid, so that such an outline is written as what it encloses, or as a line if
 * it does so too often.
 */
function toPolygonGeometry(points: Float64Array) {
  const found = evenOddRings(points);
  if (found === undefined) return { type: 'LineString', coordinates: close(listPoints(points)) };
  const polygons = found.map((rings) => rings.map(close));
  return polygons.length === 1
    ? { type: 'Polygon', coordinates: polygons[0] }
    : { type: 'MultiPolygon', coordinates: polygons };
}

function close<Corner>(ring: readonly Corner[]): Corner[] {
  return [...ring, ring[0]!];
}

/** QuPath identifies objects by UUIDs, and a UID below 2.25 is one. PS3.5 B.2. */
function toUuid(uid: string): string | undefined {
  const [, digits] = /^2\.25\.(\d{1,39})$/.exec(uid) ?? [];
  const number = digits === undefined ? 2n ** 128n : BigInt(digits);
  if (number >= 2n ** 128n) return undefined;
  const hex = number.toString(16).padStart(32, '0');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function fromUuid(id: unknown): string | undefined {
  const hex = typeof id === 'string' && /^[0-9a-f-]{36}$/i.test(id) ? id.replaceAll('-', '') : '';
  return hex.length === 32 ? `2.25.${BigInt(`0x${hex}`)}` : undefined;
}

/** A FeatureCollection, a list of features, or one feature. */
function readGeoJson(body: Uint8Array, reading: FormatReading): void {
  const { root, items } = splitFormat(body);
  const { type }: Json = Object(root);
  const list = Array.isArray(root) ? items() : type === 'Feature' ? [parseBody(body)] : items('features');
  if (list === undefined) throw new ViewerError('invalid_json', 'the file is no FeatureCollection of GeoJSON');
  let n = 0;
  for (const given of list) {
    const feature: Json = Object(given);
    const name = `feature ${n}`;
    reading.attempt(name, () => readFeature(name, feature, reading));
    n += 1;
  }
}

function readFeature(name: string, feature: Json, reading: FormatReading): void {
  const properties: Json = Object(feature['properties']);
  const own: Json = Object(properties['negato']);
  const image: Json = Object(own['image']);
  const labelClass = readClass(properties, own);
  const ownKind = findKind(own['kind']);
  const step = ownKind !== undefined && isMask(ownKind) ? readStep(own['mask_step']) : undefined;
  const [path, sop] = [image['file'], image['sop_instance_uid']].map((one) => (typeof one === 'string' ? one : ''));
  const file_index = reading.placeOfFile(path ?? '', sop ?? '');
  const { frame_number: frame, focal_plane_um: focal = null } = image;
  const isFrame = frame !== undefined;
  const geometry: Json = Object(feature['geometry']);
  const shapes = step === undefined ? readGeometry(geometry, own, reading) : [readMask(geometry, step, file_index)];
  const key = typeof own['class'] === 'string' ? own['class'] : (labelClass?.key ?? null);
  const uid = typeof own['uid'] === 'string' ? own['uid'] : fromUuid(feature['id']);
  for (const { kind, points, slices = [] } of shapes) {
    reading.add({
      name,
      uid: shapes.length === 1 ? uid : undefined,
      createdAtMs: toTimeMs(own['created']),
      modifiedAtMs: toTimeMs(own['modified']),
      labelClass,
      isAnywhere: own['image'] === undefined,
      body: {
        kind,
        points,
        slices,
        place: isFrame
          ? { type: 'frame', file_index, frame_index: Number(frame) - 1 }
          : { type: 'slide', file_index, focal_plane_um: focal, ...(step !== undefined && { mask_step: step }) },
        label: toWord(properties['name']),
        class: key,
        text: traitsOf(kind).hasText === true ? toWord(own['text']) : '',
        comment: toWord(own['comment']),
        author: toWord(own['author']),
        locked: properties['isLocked'] === true || own['locked'] === true,
      },
    });
  }
}

function readClass(properties: Json, own: Json): LabelClass | undefined {
  const { name, color, colorRGB }: Json = Object(properties['classification']);
  if (typeof name !== 'string' || name === '') return undefined;
  const key = typeof own['class'] === 'string' ? own['class'] : name;
  // Negato writes no color for a class that its scheme did not have.
  if (own['class'] !== undefined && color === undefined) return undefined;
  return { key: key.slice(0, 64), title: name.slice(0, 128), color: readColor(color, colorRGB) };
}

/** QuPath had the color as one number before version 0.3. */
function readColor(color: unknown, packed: unknown): string {
  if (Array.isArray(color) && color.length >= 3) {
    const channels = color.slice(0, 3).map(Number);
    if (channels.every((channel) => Number.isInteger(channel) && channel >= 0 && channel <= 255))
      return hexOfRgb(channels);
  }
  if (typeof packed === 'number') return hexOfRgb([(packed >> 16) & 255, (packed >> 8) & 255, packed & 255]);
  return hexOfRgb(paletteColor(1));
}

type Shape = { readonly kind: MarkKind; readonly points: Point[]; readonly slices?: readonly MarkSlice[] };

function readStep(value: unknown): number {
  if (typeof value === 'number' && value >= 1 && value <= MOST_MASK_STEP && Math.log2(value) % 1 === 0) return value;
  throw new ViewerError('invalid_mark', `mask_step: a power of two up to ${MOST_MASK_STEP}`);
}

/** The pixels inside of the outlines of a mask that negato has written, which another program may have changed since. */
function readMask({ type, coordinates }: Json, step: number, file_index: number): Shape {
  const polygons = type === 'Polygon' ? [coordinates] : type === 'MultiPolygon' ? readLists(coordinates) : [];
  const rings = polygons.flatMap((polygon) => readLists(polygon).map(readPoints));
  const slices = fillRings(rings, step).map(({ tile, mask }) => ({ file_index, frame_index: tile, points: [], mask }));
  return { kind: 'brush', points: [], slices };
}

function readGeometry(geometry: Json, own: Json, reading: FormatReading): readonly Shape[] {
  const { type, coordinates, isEllipse } = geometry;
  switch (type) {
    case 'Point':
      return [{ kind: findKind(own['kind'], 'point') ?? 'point', points: [readPoint(coordinates)] }];
    case 'MultiPoint':
      return readPoints(coordinates).map((point) => ({ kind: 'point', points: [point] }));
    case 'LineString':
      return [readDrawn(coordinates, own) ?? readLine(readPoints(coordinates), own)];
    case 'MultiLineString': {
      const lines = readLists(coordinates).map(readPoints);
      const isPair = lines.length === 2 && lines.every(({ length }) => length === 2);
      const kind = findKind(own['kind'], 'lines');
      if (kind !== undefined && isPair) return [{ kind, points: lines.flat() }];
      return lines.map((points) => readLine(points, {}));
    }
    case 'Polygon':
    case 'MultiPolygon': {
      const drawn = readDrawn(coordinates, own);
      if (drawn !== undefined) return [drawn];
      if (type === 'MultiPolygon') return readLists(coordinates).map((one) => readPolygon(one, false, {}, reading));
      return [readPolygon(coordinates, isEllipse === true, own, reading)];
    }
    default:
      throw new ViewerError('invalid_mark', `geometry: ${JSON.stringify(type ?? null)} cannot be a mark`);
  }
}

/** The kind of this name; undefined if there is none of this shape that can have as many points. */
function findKind(name: unknown, shape?: MarkShape, count?: number): MarkKind | undefined {
  return MARK_KINDS.find((kind) => {
    const {
      shape: own,
      points: [fewest, most],
    } = traitsOf(kind);
    const fits = count === undefined || (count >= fewest && count <= most);
    return kind === name && fits && (shape === undefined || shape === own);
  });
}

/** A line of another program is a length if it has two points. */
function readLine(points: Point[], { kind }: Json): Shape {
  const others = points.length === 2 ? 'length' : 'freehand';
  return { kind: findKind(kind, 'line', points.length) ?? others, points };
}

function readPolygon(coordinates: unknown, isEllipse: boolean, own: Json, reading: FormatReading): Shape {
  const [outer = [], ...holes] = readLists(coordinates).map(readPoints);
  for (const _ of holes) reading.leaveOut('holes of polygons');
  const [first, last] = [outer[0], outer.at(-1)];
  const isClosed = outer.length > 1 && first?.[0] === last?.[0] && first?.[1] === last?.[1];
  const ring = isClosed ? outer.slice(0, -1) : outer;
  const { left, top, right, bottom } = boundsOfPoints(ring.flat());
  const polygonKind = findKind(own['kind'], 'polygon', ring.length);
  const isBox = !isEllipse && polygonKind === undefined && isRectangle(ring);
  if (!isEllipse && !isBox) return { kind: polygonKind ?? 'polygon', points: ring };
  const corners: Point[] = [
    [left, top],
    [right, bottom],
  ];
  const shape = isEllipse ? 'ellipse' : 'box';
  return { kind: findKind(own['kind'], shape) ?? shape, points: sameBox(own['points'], corners) ?? corners };
}

/** A polygon whose outline crosses itself, as it was drawn, unless what it encloses has been changed since. */
function readDrawn(coordinates: unknown, { kind: name, points: drawn }: Json): Shape | undefined {
  const kind = Array.isArray(drawn) ? findKind(name, 'polygon', drawn.length) : undefined;
  if (kind === undefined) return undefined;
  const points = readPoints(drawn);
  const wanted = numbersOf(toPolygonGeometry(Float64Array.from(points.flat())).coordinates);
  const found = numbersOf(coordinates);
  const isSame =
    found.length === wanted.length && found.every((one, n) => Math.abs(Number(one) - Number(wanted[n])) <= 1e-6);
  return isSame ? { kind, points } : undefined;
}

function numbersOf(list: unknown): readonly unknown[] {
  return Array.isArray(list) ? list.flat(Infinity) : [];
}

/** The two corners as they were drawn, unless the outline has been changed since. */
function sameBox(drawn: unknown, corners: readonly Point[]): Point[] | undefined {
  if (!Array.isArray(drawn) || drawn.length !== 2) return undefined;
  const points = readPoints(drawn);
  const found = Object.values(boundsOfPoints(points.flat()));
  const wanted = Object.values(boundsOfPoints(corners.flat()));
  return found.every((value, n) => Math.abs(value - wanted[n]!) <= 1e-6) ? points : undefined;
}

function isRectangle(ring: readonly Point[]): boolean {
  if (ring.length !== 4) return false;
  return ring.every(([x, y], n) => {
    const [nextX, nextY] = ring[(n + 1) % 4]!;
    const [afterX, afterY] = ring[(n + 2) % 4]!;
    return (x === nextX && nextY === afterY && y !== nextY) || (y === nextY && nextX === afterX && x !== nextX);
  });
}

function readLists(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new ViewerError('invalid_mark', 'geometry: the coordinates are no list');
  return value;
}

function readPoints(value: unknown): Point[] {
  return readLists(value).map(readPoint);
}

function readPoint(value: unknown): Point {
  const [x, y] = Array.isArray(value) ? value : [];
  if (typeof x !== 'number' || typeof y !== 'number') {
    throw new ViewerError('invalid_mark', 'geometry: a point is x and y');
  }
  return [x, y];
}
