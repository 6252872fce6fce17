import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { transformSpectrum } from '../../src/web/read/documents/spectroscopy/transformSpectrum.ts';
import { CORPUS, findCorpus, needs } from '../support/needs.ts';
import { serveShared } from '../support/serve.ts';

type Pairs = readonly (readonly [number, number])[];
type Recorded = { readonly spectrum: Pairs; readonly filled: Pairs; readonly highest: number };

/** See makeWaveforms.py. */
const RECORDED: { readonly spectra: Readonly<Record<string, Recorded>> } = JSON.parse(
  readFileSync(new URL('waveforms.json', import.meta.url), 'utf8'),
);

const OPTIONS = { domain: 'TIME', widthHz: 2000, apodizationHz: 0, isMirrored: false } as const;

test('spectra of real files are those of numpy, without and with zero filling', needs(CORPUS), async () => {
  const differences: number[] = [];
  for (const [name, { spectrum, filled, highest }] of Object.entries(RECORDED.spectra)) {
    const server = await serveShared(`${findCorpus()}/waveform-pdf-video/${name}`);
    const response = await server.request('/api/file/0/spectra/0');
    const pairs = new Float32Array(await response.arrayBuffer());
    for (const [zeroFill, recorded] of [
      [1, spectrum],
      [2, filled],
    ] as const) {
      const { real, imaginary } = transformSpectrum(pairs, { ...OPTIONS, zeroFill });
      // Every 64th point is recorded.
      for (const [at, [x, y]] of recorded.entries())
        differences.push(Math.hypot(real[64 * at]! - x, imaginary[64 * at]! - y) / highest);
    }
  }
  // Two files of 16 and 32 points.
  expect(differences).toHaveLength(96);
  expect(Math.max(...differences)).toBeLessThan(1e-4);
});
