import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { serve } from '../support/serve.ts';
import { placeLevel, slideElements } from '../support/slideElements.ts';

type ReadObject = {
  readonly id: string;
  readonly isAnnotation: boolean;
  readonly name: string | null;
  readonly class: string | null;
  readonly color: number | null;
  readonly isLocked: boolean;
  readonly roi: string;
  readonly bounds: readonly number[];
  readonly area: number;
  readonly length: number;
  readonly points: number;
};

/** What QuPath 0.5.1 has read of `slide.geojson`: see ReadGeoJson.java. */
const RECORDED: readonly ReadObject[] = JSON.parse(readFileSync(new URL('qupath.json', import.meta.url), 'utf8'));
/** What it was given. */
const GIVEN = readFileSync(new URL('slide.geojson', import.meta.url), 'utf8');

/** On a slide of 25 columns and 14 rows. */
const PLACE = { type: 'slide', file_index: 0, focal_plane_um: null };
const polygon = [
  [1, 1],
  [9, 1],
  [9, 4],
  [4, 4],
  [4, 8],
  [1, 8],
];
// A ring of 3 x 3 pixels of 2 x 2, and one more that touches it at a corner.
const runs = [0, 3, 1, 1, 1, 1, 1, 3, 4, 1];
const mask = { left: 2, top: 1, width: 4, height: 4, runs };
const MARKS: readonly object[] = [
  {
    kind: 'box',
    points: [
      [2.5, 3],
      [7, 11.5],
    ],
    class: 'tumor',
    label: 'first',
    locked: true,
  },
  {
    kind: 'ellipse',
    points: [
      [10, 2],
      [20, 8],
    ],
    class: 'stroma',
  },
  { kind: 'polygon', points: polygon, class: 'tumor', label: 'Größe 3' },
  {
    kind: 'freehand',
    points: [
      [0.5, 0.5],
      [3.5, 4.5],
      [3.5, 9.5],
    ],
  },
  { kind: 'point', points: [[12.25, 7.75]] },
  {
    kind: 'arrow',
    points: [
      [1, 2],
      [4, 6],
    ],
    text: 'here',
  },
  {
    kind: 'length',
    points: [
      [0, 0],
      [6, 8],
    ],
  },
  {
    kind: 'brush',
    place: { ...PLACE, mask_step: 2 },
    points: [],
    slices: [{ file_index: 0, frame_index: 0, points: [], mask }],
  },
];

test('QuPath reads marks of a slide with their outlines, names, classes, colors and locks', async () => {
  const server = await serve(writeDicom(slideElements(placeLevel(0, 0, '0.5'))));
  const headers = { 'Content-Type': 'application/json' };
  const classes = [
    { key: 'tumor', title: 'Tumor', color: '#c80000' },
    { key: 'stroma', title: 'Stroma', color: '#96c896' },
  ];
  await server.request('/api/labels', { method: 'PUT', headers, body: JSON.stringify({ classes }) });
  for (const [n, mark] of MARKS.entries()) {
    const body = JSON.stringify({ place: PLACE, ...mark, uid: `2.25.${n + 1}` });
    const { status } = await server.request('/api/marks', { method: 'POST', headers, body });
    expect({ n, status }).toEqual({ n, status: 200 });
  }
  const text = await (await server.request('/api/marks/export?format=geojson')).text();
  keepFile(text);

  // QuPath was given what is written now. It does not read what only negato knows, such as times.
  expect(listShared(text)).toEqual(listShared(GIVEN));
  const [box, ellipse, corner, line, point, arrow, length, painted] = RECORDED;
  expect(RECORDED).toHaveLength(MARKS.length);
  expect(RECORDED.every(({ isAnnotation }) => isAnnotation)).toBe(true);
  // The UUIDs of 2.25.1 and of those after it.
  expect(RECORDED.map(({ id }) => id)).toEqual(
    MARKS.map((_, n) => `00000000-0000-0000-0000-${String(n + 1).padStart(12, '0')}`),
  );
  expect(box).toMatchObject({ name: 'first', class: 'Tumor', color: 0xc80000, isLocked: true });
  // 4.5 x 8.5.
  expect(box).toMatchObject({ bounds: [2.5, 3, 4.5, 8.5], area: 38.25 });
  expect(ellipse).toMatchObject({ name: null, class: 'Stroma', color: 0x96c896, isLocked: false });
  expect(ellipse?.bounds).toEqual([10, 2, 10, 6].map((value) => expect.closeTo(value, 6)));
  // π · 5 · 3, of which QuPath has the same, or that of 96 corners, which is less by 0.07 %.
  expect(ellipse!.area / (Math.PI * 15)).toBeGreaterThan(0.999);
  // 8 x 3 and 3 x 4.
  expect(corner).toMatchObject({ name: 'Größe 3', class: 'Tumor', area: 36, bounds: [1, 1, 8, 7] });
  // 5 and 5.
  expect(line).toMatchObject({ class: null, length: 10, area: 0 });
  expect(point).toMatchObject({ roi: 'Points', points: 1 });
  expect(point?.bounds.slice(0, 2)).toEqual([12.25, 7.75]);
  expect([arrow?.length, length?.length]).toEqual([5, 10]);
  // 9 pixels of 2 x 2, within 4 x 4 of them.
  expect(painted).toMatchObject({ area: 36, bounds: [4, 2, 8, 8] });
});

/** What a program other than negato knows of the features. */
function listShared(text: string): unknown[] {
  const { features }: { features: { properties: Record<string, unknown> }[] } = JSON.parse(text);
  return features.map((feature) => ({ ...feature, properties: { ...feature.properties, negato: undefined } }));
}

/** For the program that records what QuPath reads. */
function keepFile(text: string): void {
  const folder = process.env['NEGATO_KEEP'];
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'slide.geojson'), text);
}
