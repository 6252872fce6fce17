import { ViewerError } from '../../../shared/contract/errors.ts';
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
  for (const words of listLines(bytes)) {
    if (words[0]?.toLowerCase() !== 'vertex') continue;
    values.push(Number(words[1]), Number(words[2]), Number(words[3]));
    if (values.length > most * 9) requireFew(most + 1, most);
  }
  if (values.length % 9 !== 0) throw malformed('a triangle has not three corners');
  return Float32Array.from(values);
}

function parseObj(bytes: Uint8Array, most: number): Mesh {
  const points: number[] = [];
  const indices: number[] = [];
  for (const [keyword, ...words] of listLines(bytes)) {
    if (keyword === 'v') points.push(Number(words[0]), Number(words[1]), Number(words[2]));
    else if (keyword === 'f') {
      const corners = words.map((word) => indexOf(word, points.length / 3));
      // A polygon is a fan of triangles around its first corner.
      for (let i = 2; i < corners.length; i += 1) indices.push(corners[0]!, corners[i - 1]!, corners[i]!);
      if (indices.length > most * 3) requireFew(most + 1, most);
    }
  }
  const count = points.length / 3;
  if (indices.some((index) => index < 0 || index >= count)) throw malformed('a face names a point that is not there');
  return { points: requireFinite(Float32Array.from(points)), indices: Uint32Array.from(indices) };
}

/** `7`, `7/1/2` and `7//2` are point 7, counted from 1; `-1` is the last one so far. */
function indexOf(word: string, count: number): number {
  const number = Number.parseInt(word, 10);
  return number < 0 ? count + number : number - 1;
}

const MOST_LINE = 4096;

/** The words of each line. A longer line is an error, because no format has one. */
function* listLines(bytes: Uint8Array): Generator<string[]> {
  for (let at = 0; at < bytes.length;) {
    const next = bytes.indexOf(10, at);
    const end = next === -1 ? bytes.length : next;
    if (end - at > MOST_LINE) throw malformed('a line is too long');
    const line = String.fromCharCode(...bytes.subarray(at, end)).trim();
    if (line !== '' && !line.startsWith('#')) yield line.split(/\s+/);
    at = end + 1;
  }
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
