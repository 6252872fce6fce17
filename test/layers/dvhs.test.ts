import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { DvhResponse, WirePartDvh } from '../../src/shared/contract/dvh.ts';
import type { FilesResponse } from '../../src/shared/contract/files.ts';
import { corpus } from '../support/corpus.ts';
import { CORPUS, findLayersData, LAYERS_DATA, needs } from '../support/needs.ts';
import { serveShared } from '../support/serve.ts';

type RecordedPlan = {
  readonly structures: string;
  readonly dose: string;
  readonly rois: readonly {
    readonly number: number;
    readonly name: string;
    readonly volume: number;
    readonly mean: number;
    readonly d95: number;
    readonly d50: number;
    readonly d2cc: number;
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

/** dicompyler-core samples on planes of the dose, so its slabs differ at the ends of a structure. */
const LIMITS = { volume: 0.06, mean: 0.03, dose: 0.04 };

describe.each([
  ['of the corpus', CORPUS, corpus, RECORDED.corpus],
  ['of the files for layers', LAYERS_DATA, findLayersData(), RECORDED.layers],
] as const)('histograms %s are close to those of dicompyler-core:', (_, need, root, plans) => {
  test.each(plans)('$structures', needs(need), async ({ structures, dose, rois }) => {
    const { dvhs } = await measure(root, structures, dose);
    for (const { number, name, volume, mean, d95, d50, d2cc } of rois) {
      const own = dvhs.find(({ part }) => part === number);
      expect.soft(deviation(own?.volume_cm3, volume), `volume of ${name}`).toBeLessThan(LIMITS.volume);
      // What lies outside of the grid has no dose for us.
      if ((own?.inside_dose_grid ?? 0) < 0.999) continue;
      const highest = Math.max(d2cc, d50);
      const far = (value: number | null | undefined, from: number) => Math.abs((value ?? NaN) - from) / highest;
      expect.soft(far(own?.mean, mean), `mean of ${name}`).toBeLessThan(LIMITS.mean);
      expect.soft(far(own?.d.d95, d95), `D95 of ${name}`).toBeLessThan(LIMITS.dose);
      expect.soft(far(own?.d.d50, d50), `D50 of ${name}`).toBeLessThan(LIMITS.dose);
      expect.soft(far(own?.d.d2cc, d2cc), `D2cc of ${name}`).toBeLessThan(LIMITS.dose);
    }
  });
});
