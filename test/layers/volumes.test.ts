import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { LayerResponse } from '../../src/shared/contract/layerAnswers.ts';
import { corpus } from '../support/corpus.ts';
import { CORPUS, findLayersData, LAYERS_DATA, needs } from '../support/needs.ts';
import { serveShared } from '../support/serve.ts';

type RecordedSet = {
  readonly path: string;
  /** In mm³, by the number of the ROI; null for one that has no volume. */
  readonly volumes: Readonly<Record<string, number | null>>;
};

const RECORDED: Readonly<Record<'corpus' | 'layers', readonly RecordedSet[]>> = JSON.parse(
  readFileSync(new URL('volumes.json', import.meta.url), 'utf8'),
);

describe.each([
  ['of the corpus', CORPUS, corpus, RECORDED.corpus],
  ['of the files for layers', LAYERS_DATA, findLayersData(), RECORDED.layers],
] as const)('volumes of the structures %s are those of shapely:', (_, need, root, sets) => {
  test.each(sets)('$path', needs(need), async ({ path, volumes }) => {
    const server = await serveShared(`${root}/${path}`);
    const { parts }: LayerResponse = await (await server.request('/api/layer/0')).json();
    const own = new Map(parts.map(({ part, volume_mm3 }) => [String(part), volume_mm3]));
    expect(Object.keys(volumes).length).toBeGreaterThan(0);
    for (const [roi, volume] of Object.entries(volumes)) {
      const measured = own.get(roi) ?? null;
      // Points are kept as 32-bit floats: a ten-thousandth of a millimetre.
      const isSame =
        volume === null || measured === null ? measured === volume : Math.abs(measured / volume - 1) < 1e-5;
      expect.soft({ roi, measured, volume, isSame }).toMatchObject({ isSame: true });
    }
  });
});
