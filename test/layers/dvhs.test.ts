import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { DvhResponse, WirePartDvh } from '../../src/shared/contract/dvh.ts';
import type { FilesResponse } from '../../src/shared/contract/files.ts';
import { corpus } from '../support/corpus.ts';
import { CORPUS, findLayersData, LAYERS_DATA, needs } from '../support/needs.ts';
import { serveShared } from '../support/serve.ts';

type Numbers = {
  readonly volume: number;
  readonly mean: number;
  readonly d95: number;
  readonly d50: number;
  readonly d2cc: number;
};
type RecordedPlan = {
  readonly structures: string;
  readonly dose: string;
  readonly rois: readonly {
    readonly number: number;
    /** By numpy and SimpleITK, by the same rules; `inside` is the share of the volume in the dose grid. */
    readonly sampled: Numbers & { readonly inside: number };
    readonly dicompyler: Numbers | null;
    /** By dicompyler-core in a grid four times as fine as the dose. */
    readonly fineVolume: number | null;
  }[];
};

const RECORDED: Readonly<Record<'corpus' | 'layers', readonly RecordedPlan[]>> = JSON.parse(
  readFileSync(new URL('dvhs.json', import.meta.url), 'utf8'),
);

async function measure(root: string | undefined, structures: string, dose: string): Promise<DvhResponse> {
  const server = await serveShared(`${root}/${structures}`, `${root}/${dose}`);
  const { files }: FilesResponse = await (await server.request('/api/files')).json();
  const indexOf = (path: string) => files.find((file) => file.path.endsWith(path))?.index;
  const response = await server.request(`/api/file/${indexOf(structures)}/dvh?dose=${indexOf(dose)}`);
  expect(response.status).toBe(200);
  return response.json();
}

const PHANTOM = 'synthetic-phantom/rt';

function volumeAt({ edges, cumulative_cm3 }: WirePartDvh, gy: number): number {
  const at = edges.findIndex((edge) => edge >= gy);
  const part = (gy - edges[at - 1]!) / (edges[at]! - edges[at - 1]!);
  return cumulative_cm3[at - 1]! * (1 - part) + cumulative_cm3[at]! * part;
}

function deviation(value: number | null | undefined, from: number): number {
  return Math.abs((value ?? NaN) - from) / from;
}

describe('the sphere of the phantom', needs(LAYERS_DATA), () => {
  const forms = ['relative_offsets', 'absolute_offsets', 'descending'];

  test('has the dose of the formula, in whatever form the dose has its offsets', async () => {
    const truth = JSON.parse(readFileSync(`${findLayersData()}/synthetic-phantom/truth.json`, 'utf8'));
    const answers = await Promise.all(
      forms.map((form) => measure(findLayersData(), `${PHANTOM}/rtstruct.dcm`, `${PHANTOM}/rtdose_${form}.dcm`)),
    );
    for (const { dvhs } of answers) {
      const sphere = dvhs.find(({ label }) => /sphere/i.test(label ?? ''))!;
      expect(deviation(sphere.volume_cm3, truth.sphere.volume_cm3)).toBeLessThan(0.01);
      // 66 exp(-r² / 1800) Gy in a radius of 20 mm.
      expect(deviation(sphere.mean, 57.86)).toBeLessThan(0.005);
      expect(deviation(sphere.d.d95, 53.26)).toBeLessThan(0.005);
      expect(deviation(sphere.d.d2cc, 63.79)).toBeLessThan(0.005);
      expect(deviation(volumeAt(sphere, 60), 9.39)).toBeLessThan(0.04);
    }
    // The files have different bits for a sample, so doses are rounded differently.
    const [relative, absolute, descending] = answers.map(({ dvhs }) => dvhs.map(({ mean }) => mean ?? 0));
    expect(descending).toEqual(absolute);
    for (const [at, mean] of (relative ?? []).entries()) expect(absolute?.[at]).toBeCloseTo(mean, 2);
  });

  test('has a ring of the same volume however its hole is written', async () => {
    const { dvhs } = await measure(findLayersData(), `${PHANTOM}/rtstruct.dcm`, `${PHANTOM}/rtdose_descending.dcm`);
    const rings = dvhs.filter(({ label }) => /ring/i.test(label ?? ''));
    expect(rings).toHaveLength(3);
    for (const { volume_cm3 } of rings) expect(deviation(volume_cm3, 11.45)).toBeLessThan(0.01);
  });
});

/**
 * Volumes of structures of the phantom that have one contour in each plane, by number: the areas of the polygons by the
 * shoelace formula, in Python, times the distance of the planes. Whole samples are 1 % more of the smallest.
 */
const PHANTOM_CM3: Readonly<Record<number, number>> = { 1: 33.5203, 2: 11.4428, 6: 3.0138 };

/** The dose that a difference is compared with: of two low doses, a small one is a large part. */
function partOf(own: number | null | undefined, other: number, { d2cc }: Numbers): number {
  return Math.abs((own ?? NaN) - other) / d2cc;
}

describe.each([
  ['of the corpus', CORPUS, corpus, RECORDED.corpus],
  ['of the files for layers', LAYERS_DATA, findLayersData(), RECORDED.layers],
] as const)('histograms %s are those of numpy and SimpleITK:', (_, need, root, plans) => {
  test.each(plans)('$structures', needs(need), async ({ structures, dose, rois }) => {
    const { dvhs } = await measure(root, structures, dose);
    expect(rois.length).toBeGreaterThan(1);
    for (const { number, sampled, dicompyler } of rois) {
      const own = dvhs.find(({ part }) => part === number);
      const name = `ROI ${number}`;
      // Samples at the edge are counted as a whole there, and by their part here.
      const exact = structures.startsWith(PHANTOM) ? PHANTOM_CM3[number] : undefined;
      const [volume, most] = exact === undefined ? [sampled.volume, 0.01] : [exact, 1e-4];
      expect.soft(deviation(own?.volume_cm3, volume), `volume of ${name}`).toBeLessThan(most);
      expect.soft(own?.inside_dose_grid, `share of ${name}`).toBeCloseTo(sampled.inside, 2);
      expect.soft(partOf(own?.mean, sampled.mean, sampled), `mean of ${name}`).toBeLessThan(0.003);
      expect.soft(partOf(own?.d.d95, sampled.d95, sampled), `D95 of ${name}`).toBeLessThan(0.005);
      expect.soft(partOf(own?.d.d50, sampled.d50, sampled), `D50 of ${name}`).toBeLessThan(0.005);
      expect.soft(partOf(own?.d.d2cc, sampled.d2cc, sampled), `D2cc of ${name}`).toBeLessThan(0.005);
      // dicompyler-core samples in planes of the dose. Where that changes the volume, it is another structure.
      if (dicompyler === null || deviation(dicompyler.volume, sampled.volume) > 0.03) continue;
      expect.soft(partOf(own?.mean, dicompyler.mean, sampled), `mean of ${name}, dicompyler-core`).toBeLessThan(0.01);
      expect.soft(partOf(own?.d.d95, dicompyler.d95, sampled), `D95 of ${name}, dicompyler-core`).toBeLessThan(0.01);
    }
    // Whole samples of 0.5 to 0.75 mm. It has the usual thickness for all planes, also where they are not evenly spaced.
    const others = structures.startsWith('rt/') ? [] : rois;
    const volumeOf = (number: number) => dvhs.find(({ part }) => part === number)?.volume_cm3;
    const far = others.filter(({ number, fineVolume }) => !(deviation(volumeOf(number), fineVolume ?? NaN) < 0.01));
    expect(far).toEqual([]);
  });
});
