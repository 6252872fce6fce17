import { ViewerError } from '../../../../shared/contract/errors.ts';
import { countBinaryTriangles } from '../content/sniffContent.ts';

/** Points of three coordinates each, and three indices of points for each triangle. */
export type Mesh = { readonly points: Float32Array<ArrayBuffer>; readonly indices: Uint32Array<ArrayBuffer> };

export type MeshFormat = 'stl' | 'obj';

/** Parses an STL or OBJ file. Throws `document_too_large` for more than `most` triangles. */
export function parseMesh(bytes: Uint8Array, format: MeshFormat, most: number): Mesh {
  if (format === 'obj') return parseObj(bytes, most);
  const count = countBinaryTriangles(bytes, bytes.length);
  const corners = count === undefined ? parseTextStl(bytes, most) : parseBinaryStl(bytes, requireFew(count, most));
  return weld(corners);
}

function requireFew(count: number, most: number): number {
  if (count > most) throw new ViewerError('document_too_large', `the mesh has more than ${most} triangles`);
  return count;
}

function parseBinaryStl(bytes: Uint8Array, count: number): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const corners = new Float32Array(count * 9);
  for (let triangle = 0; triangle < count; triangle += 1) {
    // The normal comes first; it follows from the corners, and many writers leave it zero.
    const at = 84 + triangle * 50 + 12;
    for (let i = 0; i < 9; i += 1) corners[triangle * 9 + i] = view.getFloat32(at + i * 4, true);
  }
  return corners;
}

function parseTextStl(bytes: Uint8Array, most: number): Float32Array {
  const values: number[] = [];
  for (const words of listLines(bytes, 'v')) {
    if (words[0]?.toLowerCase() !== 'vertex') continue;
    values.push(...toPoint(words[1], words[2], words[3]));
    if (values.length > most * 9) requireFew(most + 1, most);
  }
  if (values.length % 9 !== 0) throw malformed('a triangle has not three corners');
  return Float32Array.from(values);
}

function parseObj(bytes: Uint8Array, most: number): Mesh {
  const points: number[] = [];
  const indices: number[] = [];
  // As many as triangles without a common corner have. More points would be of no triangle.
  const mostPoints = 3 * most;
  for (const [keyword, ...words] of listLines(bytes, 'vf')) {
    if (keyword === 'v') {
      points.push(...toPoint(words[0], words[1], words[2]));
      if (points.length > mostPoints * 3) {
        throw new ViewerError('document_too_large', `the mesh has more than ${mostPoints} points`);
      }
    } else if (keyword === 'f') {
      const corners = words.map((word) => indexOf(word, points.length / 3));
      requireFew(indices.length / 3 + Math.max(0, corners.length - 2), most);
      // A polygon is a fan of triangles around its first corner.
      for (let i = 2; i < corners.length; i += 1) indices.push(corners[0]!, corners[i - 1]!, corners[i]!);
    }
  }
  const count = points.length / 3;
  if (indices.some((index) => index < 0 || index >= count)) throw malformed('a face names a point that is not there');
  return { points: Float32Array.from(points), indices: Uint32Array.from(indices) };
}

/** `7`, `7/1/2` and `7//2` are point 7, counted from 1; `-1` is the last one so far. */
function indexOf(word: string, count: number): number {
  const number = Number.parseInt(word, 10);
  return number < 0 ? count + number : number - 1;
}

const MOST_LINE = 4096;

const [NEWLINE, SPACE] = [10, 32];

/**
 * The words of each line that begins with one of these letters, in either case. The other lines are passed over, because
 * a text of line ends or comments has millions. A longer line is an error, because no format has one.
 */
export function* listLines(bytes: Uint8Array, letters: string): Generator<string[]> {
  const isWanted = new Uint8Array(256);
  for (const letter of letters) for (const code of [letter, letter.toUpperCase()]) isWanted[code.charCodeAt(0)] = 1;
  for (let at = 0; at < bytes.length;) {
    // Spaces, tabs, carriage returns and line ends.
    if (bytes[at]! <= SPACE) {
      at += 1;
      continue;
    }
    const next = bytes.indexOf(NEWLINE, at);
    const end = next === -1 ? bytes.length : next;
    if (end - at > MOST_LINE) throw malformed('a line is too long');
    if (isWanted[bytes[at]!] === 1)
      yield String.fromCharCode(...bytes.subarray(at, end))
        .trim()
        .split(/\s+/);
    at = end + 1;
  }
}

/** Refused at the first bad one, so that a text of bad numbers is not read to its end. */
function toPoint(...words: readonly (string | undefined)[]): number[] {
  const point = words.map(Number);
  if (!point.every((value) => Number.isFinite(Math.fround(value)))) throw malformed('a coordinate is not a number');
  return point;
}

function requireFinite<Values extends Float32Array>(values: Values): Values {
  if (!values.every((value) => Number.isFinite(value))) throw malformed('a coordinate is not a number');
  return values;
}

/** Corners at the same place become one point, which says how triangles are connected. */
function weld(corners: Float32Array): Mesh {
  requireFinite(corners);
  const count = corners.length / 3;
  const bits = new Uint32Array(corners.buffer, corners.byteOffset, corners.length);
  const size = 2 ** Math.ceil(Math.log2(Math.max(2, count * 2)));
  const slots = new Int32Array(size).fill(-1);
  const indices = new Uint32Array(count);
  const points = new Float32Array(corners.length);
  let known = 0;
  for (let corner = 0; corner < count; corner += 1) {
    const [x, y, z] = [corners[corner * 3]!, corners[corner * 3 + 1]!, corners[corner * 3 + 2]!];
    let slot = hash(bits[corner * 3]!, bits[corner * 3 + 1]!, bits[corner * 3 + 2]!) & (size - 1);
    for (;;) {
      const point = slots[slot]!;
      if (point === -1) {
        slots[slot] = known;
        points.set([x, y, z], known * 3);
        indices[corner] = known;
        known += 1;
        break;
      }
      if (points[point * 3] === x && points[point * 3 + 1] === y && points[point * 3 + 2] === z) {
        indices[corner] = point;
        break;
      }
      slot = (slot + 1) & (size - 1);
    }
  }
  return { points: points.slice(0, known * 3), indices };
}

function hash(x: number, y: number, z: number): number {
  let value = Math.imul(x, 0x9e3779b1) ^ Math.imul(y, 0x85ebca6b) ^ Math.imul(z, 0xc2b2ae35);
  value ^= value >>> 15;
  value = Math.imul(value, 0x2c1b3c6d);
  return (value ^ (value >>> 13)) >>> 0;
}

function malformed(reason: string): ViewerError {
  return new ViewerError('malformed_content', `the mesh of the Encapsulated Document cannot be read: ${reason}`);
}
