import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { FilesResponse } from '../../src/shared/contract/files.ts';
import { type ContourItem, decodeContours } from '../../src/shared/contourPacket.ts';
import type { LayerResponse } from '../../src/shared/contract/layerAnswers.ts';
import { corpus } from '../support/corpus.ts';
import { rasterizeContours } from '../support/rasterizeContours.ts';
import { CORPUS, findLayersData, LAYERS_DATA, needs } from '../support/needs.ts';
import { serveShared, type SharedServer } from '../support/serve.ts';

type RecordedSet = { readonly path: string; readonly images: readonly RecordedImage[] };
type RecordedImage = {
  /** Null for a coronal plane. */
  readonly path: string | null;
  readonly position: readonly number[];
  readonly size: readonly [rows: number, columns: number];
  /** Number of the ROI, and lengths of runs outside and inside by turns. */
  readonly masks: readonly (readonly [roi: number, ...runs: number[]])[];
  readonly rounded: RecordedImage['masks'];
  readonly distances: readonly (readonly [roi: number, how: string, mm: number])[];
  readonly chords: readonly (readonly [roi: number, x1: number, y1: number, x2: number, y2: number])[];
};

const RECORDED: Readonly<Record<'corpus' | 'layers', readonly RecordedSet[]>> = JSON.parse(
  readFileSync(new URL('contours.json', import.meta.url), 'utf8'),
);

type ServedSet = {
  readonly server: SharedServer;
  readonly layer: number;
  readonly files: FilesResponse['files'];
  /** The ROIs with closed contours. */
  readonly closed: ReadonlySet<number>;
  readonly frameOfReferenceUid: string | null | undefined;
};

async function serveSet(root: string | undefined, { path, images }: RecordedSet): Promise<ServedSet> {
  const folders = new Set(images.map((image) => image.path).flatMap((name) => name?.replace(/[/][^/]+$/, '') ?? []));
  const server = await serveShared(...[...folders].map((folder) => `${root}/${folder}`), `${root}/${path}`);
  const { files }: FilesResponse = await (await server.request('/api/files')).json();
  const layer = files.find((file) => file.path.endsWith(path))?.index ?? -1;
  const { parts, targets }: LayerResponse = await (await server.request(`/api/layer/${layer}`)).json();
  const closed = parts.filter(({ geometry }) => geometry.some((type) => type.startsWith('CLOSED')));
  return {
    server,
    files,
    layer,
    closed: new Set(closed.map(({ part }) => part)),
    frameOfReferenceUid: files.find(({ index }) => index === targets[0]?.file_index)?.frame_of_reference_uid,
  };
}

async function readItems(
  { server, files, layer, frameOfReferenceUid }: ServedSet,
  image: RecordedImage,
): Promise<readonly ContourItem[]> {
  const { path, position, size } = image;
  const file = files.find((one) => path !== null && one.path.endsWith(path));
  const plane = `position=${position.join()}&orientation=1,0,0,0,0,-1&spacing=1,1&rows=${size[0]}&columns=${size[1]}`;
  const response = await server.request(
    file === undefined
      ? `/api/layer/${layer}/plane?frame_of_reference=${frameOfReferenceUid}&${plane}`
      : `/api/layer/${layer}/frame?file=${file.index}&frame=0`,
  );
  if (!response.ok) throw new Error(await response.text());
  return decodeContours(await response.arrayBuffer()).items;
}

describe.each([
  ['of the corpus', CORPUS, corpus, RECORDED.corpus],
  ['of the files for layers', LAYERS_DATA, findLayersData(), RECORDED.layers],
] as const)('contours %s lie where numpy and rt-utils find them:', (_, need, root, sets) => {
  describe.each(sets)('$path', needs(need), (recorded) => {
    test('masks, distances and cuts', async () => {
      const served = await serveSet(root, recorded);
      const counts = { masks: 0, rounded: 0, distances: 0, chords: 0 };
      for (const image of recorded.images) {
        const items = await readItems(served, image);
        const name = image.path ?? 'the coronal plane';
        const maskOf = (roi: number) =>
          rasterizeContours(
            items.filter(({ part, how }) => part === roi && how === 'stored'),
            image.size,
          );
        for (const [roi, ...runs] of image.masks) {
          const [own, expected] = [maskOf(roi), fromRuns(runs)];
          // The same rule for the same corners: only centres of pixels on a line may differ, by the rounding to floats.
          expect
            .soft(countDifferent(own, expected), `${name}, ROI ${roi}`)
            .toBeLessThanOrEqual(1 + count(expected) / 500);
          counts.masks += 1;
        }
        for (const [roi, ...runs] of image.rounded) {
          const [own, other] = [maskOf(roi), fromRuns(runs)];
          expect.soft(countFar(own, other, image.size[1]), `${name}, ROI ${roi} beyond rt-utils`).toBe(0);
          expect.soft(countFar(other, own, image.size[1]), `${name}, rt-utils beyond ROI ${roi}`).toBe(0);
          counts.rounded += 1;
        }
        const placed = items
          .filter(({ how }) => how !== 'cut')
          .map(({ part, how, distanceMm }) => [part, how, distanceMm] as const)
          .toSorted((a, b) => a[0] - b[0] || a[2] - b[2]);
        const expected = image.distances.toSorted((a, b) => a[0] - b[0] || a[2] - b[2]);
        expect
          .soft(
            placed.map(([part, how]) => `${part} ${how}`),
            name,
          )
          .toEqual(expected.map(([part, how]) => `${part} ${how}`));
        for (const [at, [, , mm]] of expected.entries()) {
          expect.soft(Math.abs((placed[at]?.[2] ?? NaN) - mm), name).toBeLessThan(1e-3);
          counts.distances += 1;
        }
        // Open lines are cut too.
        const cuts = items.filter(({ how, part }) => how === 'cut' && served.closed.has(part));
        for (const [roi, ...chord] of image.chords) {
          const ofRoi = cuts.filter(({ part }) => part === roi);
          for (const end of [chord.slice(0, 2), chord.slice(2)]) {
            const apart = Math.min(...ofRoi.map((item) => distanceToOutline(end, item)));
            expect.soft(apart, `${name}: ROI ${roi} at ${chord.join()}`).toBeLessThan(2e-3);
          }
          counts.chords += 1;
        }
        // And the cuts have no other sides: in the row of a chord, they are crossed at its ends only.
        for (const [roi, , row] of image.chords) {
          const ofRoi = cuts.filter(({ part, isClosed }) => part === roi && isClosed);
          if (ofRoi.length === 0) continue;
          const chords = image.chords.filter(([other, , y1]) => other === roi && Math.abs(y1 - row) < 0.01);
          const ends = chords.flatMap(([, x1, , x2]) => [x1, x2]);
          expect.soft(countCrossings(ofRoi, row), `${name}: ROI ${roi} in row ${row}`).toBe(ends.length);
        }
      }
      expect(counts.masks + counts.chords).toBeGreaterThanOrEqual(3);
    });
  });
});

async function servePhantom() {
  const set = RECORDED.layers.find(({ path }) => path.startsWith('synthetic-phantom'))!;
  return { ...(await serveSet(findLayersData(), set)), set };
}

describe('the phantom', needs(LAYERS_DATA), () => {
  const root = `${findLayersData()}/synthetic-phantom`;
  const [SPHERE, KEYHOLE, NESTED, XOR] = [1, 2, 3, 4];

  const truth = () => JSON.parse(readFileSync(`${root}/truth.json`, 'utf8'));

  test('has the circles of its sphere in every slice', async () => {
    const { set, ...served } = await servePhantom();
    const {
      sphere: { centre, radius },
    } = truth();
    let circles = 0;
    for (const image of set.images) {
      const items = (await readItems(served, image)).filter(({ part }) => part === SPHERE);
      const inPlane = radius ** 2 - (image.position[2]! - centre[2]) ** 2;
      expect([image.path, items.length]).toEqual([image.path, inPlane > 0 ? 1 : 0]);
      if (items.length === 0) continue;
      const { pixel_spacing_mm: spacing } = served.files.find(({ path }) => path.endsWith(image.path!))!;
      const [down, along] = [spacing![0], spacing![1]];
      const analytic = Uint8Array.from({ length: image.size[0] * image.size[1] }, (_, pixel) => {
        const x = image.position[0]! + along * (pixel % image.size[1]) - centre[0];
        const y = image.position[1]! + down * Math.floor(pixel / image.size[1]) - centre[1];
        return x * x + y * y < inPlane ? 1 : 0;
      });
      const mask = rasterizeContours(items, image.size);
      const common = analytic.reduce((sum, value, pixel) => sum + value * mask[pixel]!, 0);
      const dice = (2 * common) / (count(analytic) + count(mask));
      expect(dice).toBeGreaterThan(count(analytic) < 100 ? 0.97 : 0.99);
      // The area of the polygon: 96 corners cut off 0.07 % of the circle.
      expect(Math.abs((areaOf(items[0]!) * down * along) / (Math.PI * inPlane) - 1)).toBeLessThan(0.01);
      circles += 1;
    }
    expect(circles).toBe(16);
  });

  test('has three equal rings and the volumes of its truth', async () => {
    const { set, ...served } = await servePhantom();
    let rings = 0;
    for (const image of set.images) {
      const items = await readItems(served, image);
      const [keyhole, nested, xor] = [KEYHOLE, NESTED, XOR].map((roi) =>
        rasterizeContours(
          items.filter(({ part }) => part === roi),
          image.size,
        ),
      );
      expect(nested).toEqual(keyhole);
      expect(xor).toEqual(keyhole);
      rings += count(keyhole!) > 0 ? 1 : 0;
    }
    expect(rings).toBe(6);
    const { parts, warnings }: LayerResponse = await (await served.server.request(`/api/layer/${served.layer}`)).json();
    const volumeOf = (roi: number) => parts.find(({ part }) => part === roi)?.volume_mm3 ?? NaN;
    // Six slabs of 2.5 mm.
    for (const roi of [KEYHOLE, NESTED, XOR]) {
      expect(Math.abs(volumeOf(roi) / (truth().ring.area_mm2 * 15) - 1)).toBeLessThan(0.01);
    }
    expect(Math.abs(volumeOf(SPHERE) / 1000 / truth().sphere.volume_cm3 - 1)).toBeLessThan(0.01);
    expect(warnings).toEqual([{ code: 'nested_contours', message: expect.stringMatching(/: ring nested$/) }]);
    expect(parts.find(({ part }) => part === 11)).toMatchObject({ reason: 'the object has no contours of it' });
  });
});

function fromRuns(runs: readonly number[]): Uint8Array {
  return Uint8Array.from(runs.flatMap((length, at) => Array.from({ length }, () => at % 2)));
}

function count(mask: Uint8Array): number {
  return mask.reduce((sum, value) => sum + value, 0);
}

function countDifferent(a: Uint8Array, b: Uint8Array): number {
  return a.reduce((sum, value, at) => sum + (value === b[at] ? 0 : 1), 0);
}

/** Pixels of the first mask that are not in the second one, nor beside it. */
function countFar(own: Uint8Array, other: Uint8Array, columns: number): number {
  const around = [-1, 0, 1].flatMap((row) => [-1, 0, 1].map((column) => row * columns + column));
  return own.reduce((sum, value, at) => sum + (value === 1 && !around.some((by) => other[at + by] === 1) ? 1 : 0), 0);
}

/** In pixels. */
function areaOf({ points }: ContourItem): number {
  let sum = 0;
  for (let at = 0, before = points.length - 2; at < points.length; before = at, at += 2) {
    sum += points[before]! * points[at + 1]! - points[at]! * points[before + 1]!;
  }
  return Math.abs(sum) / 2;
}

function distanceToOutline([x = 0, y = 0]: readonly number[], { points, isClosed }: ContourItem): number {
  const corner = (at: number) => [points[2 * at]!, points[2 * at + 1]!] as const;
  const corners = points.length / 2;
  const sides = Array.from({ length: isClosed ? corners : corners - 1 }, (_, at) => at);
  return Math.min(...sides.map((at) => distanceTo(x, y, corner(at), corner((at + 1) % corners))));
}

function countCrossings(items: readonly ContourItem[], row: number): number {
  let crossings = 0;
  for (const { points } of items) {
    for (let at = 1, before = points.length - 1; at < points.length; before = at, at += 2) {
      if (points[before]! > row !== points[at]! > row) crossings += 1;
    }
  }
  return crossings;
}

function distanceTo(x: number, y: number, from: readonly [number, number], to: readonly [number, number]): number {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const along = ((x - from[0]) * dx + (y - from[1]) * dy) / Math.max(1e-12, dx * dx + dy * dy);
  const t = Math.min(1, Math.max(0, along));
  return Math.hypot(x - from[0] - t * dx, y - from[1] - t * dy);
}
