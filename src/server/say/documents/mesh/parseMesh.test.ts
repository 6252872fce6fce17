import { expect, test } from 'vitest';
import { measureMesh } from './measureMesh.ts';
import { listLines, parseMesh } from './parseMesh.ts';

const MOST = 1000;
const encode = (text: string) => new TextEncoder().encode(text);

/** A cube of 10 mm: its corners, and its sides as seen from outside, against the clock. */
const CORNERS = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => [(i >> 2) * 10, ((i >> 1) & 1) * 10, (i & 1) * 10]);
const SIDES = [
  [0, 1, 3, 2],
  [4, 6, 7, 5],
  [0, 4, 5, 1],
  [2, 3, 7, 6],
  [0, 2, 6, 4],
  [1, 5, 7, 3],
];
const TRIANGLES = SIDES.flatMap(([a, b, c, d]) => [
  [a!, b!, c!],
  [a!, c!, d!],
]);

function binaryStl(count = TRIANGLES.length): Uint8Array {
  const bytes = new Uint8Array(84 + 50 * TRIANGLES.length);
  const view = new DataView(bytes.buffer);
  bytes.set(encode('solid, but binary'));
  view.setUint32(80, count, true);
  for (const [at, corners] of TRIANGLES.entries()) {
    for (const [i, value] of corners.flatMap((corner) => CORNERS[corner]!).entries()) {
      view.setFloat32(84 + at * 50 + 12 + i * 4, value, true);
    }
  }
  return bytes;
}

function textStl(): Uint8Array {
  const facets = TRIANGLES.map(
    (corners) =>
      `facet normal 0 0 0\nouter loop\n${corners.map((i) => `vertex ${CORNERS[i]!.join(' ')}\n`).join('')}endloop\nendfacet\n`,
  );
  return encode(`solid cube\n${facets.join('')}endsolid cube\n`);
}

const POINTS = CORNERS.map((corner) => `v ${corner.join(' ')}\n`).join('');
const obj = (index: (corner: number) => string) =>
  encode(
    `# cube\nmtllib ../../etc/passwd\n${POINTS}${SIDES.map((side) => `f ${side.map(index).join(' ')}\n`).join('')}`,
  );

test.each([
  ['binary STL', binaryStl(), 'stl'],
  ['STL in text', textStl(), 'stl'],
  ['OBJ of polygons', obj((corner) => String(corner + 1)), 'obj'],
  ['OBJ with textures and normals', obj((corner) => `${corner + 1}/1/2`), 'obj'],
  ['OBJ that counts from the end', obj((corner) => `${corner - 8}//1`), 'obj'],
] as const)('a cube of 10 mm as %s has 12 triangles, 1,000 mm³ and 600 mm²', (_, bytes, format) => {
  expect(measureMesh(parseMesh(bytes, format, MOST))).toEqual({
    triangles: 12,
    points: 8,
    box: [10, 10, 10],
    surface: 600,
    volume: 1000,
    isClosed: true,
  });
});

test('a mesh with a hole has no volume', () => {
  const holed = encode(`${POINTS}f 1 2 4 3\n`);
  expect(measureMesh(parseMesh(holed, 'obj', MOST))).toMatchObject({
    triangles: 2,
    isClosed: false,
    volume: undefined,
  });
});

test.each([
  ['more triangles than asked for', binaryStl(), 'stl', 11, 'document_too_large'],
  [
    'a corner of two coordinates',
    encode('solid a\nfacet\nvertex 1 2\nvertex 1 2 3\nvertex 1 2 3\n'),
    'stl',
    MOST,
    'malformed_content',
  ],
  ['two corners', encode('solid a\nfacet\nvertex 1 2 3\nvertex 1 2 3\n'), 'stl', MOST, 'malformed_content'],
  ['a point that is not there', encode(`${POINTS}f 1 2 9\n`), 'obj', MOST, 'malformed_content'],
  ['a point before the first', encode(`${POINTS}f 1 2 -9\n`), 'obj', MOST, 'malformed_content'],
  ['an infinite coordinate', encode('v 1e999 0 0\nv 0 0 0\nv 0 1 0\nf 1 2 3\n'), 'obj', MOST, 'malformed_content'],
  ['a line without an end', new Uint8Array(10_000).fill(65), 'obj', MOST, 'malformed_content'],
] as const)('a mesh with %s is refused', (_, bytes, format, most, code) => {
  expect(() => parseMesh(bytes, format, most)).toThrow(expect.objectContaining({ code }));
});

test('a number of triangles that lies is not believed', () => {
  // As text, the same bytes hold no triangle.
  expect(parseMesh(binaryStl(2 ** 31), 'stl', MOST).indices.length).toBe(0);
});

test('only lines that begin with a wanted letter are split into words', () => {
  const text = encode(`${'\n'.repeat(1000)}${'# v\n'.repeat(1000)}usemtl a\n \tv 1 2 3\r\nF 1 2 3`);
  expect([...listLines(text, 'vf')]).toEqual([
    ['v', '1', '2', '3'],
    ['F', '1', '2', '3'],
  ]);
});

test('more points than three for each triangle are refused', () => {
  expect(parseMesh(encode('v 0 0 0\n'.repeat(6)), 'obj', 2).points.length).toBe(18);
  expect(() => parseMesh(encode('v 0 0 0\n'.repeat(7)), 'obj', 2)).toThrow('the mesh has more than 6 points');
});
