import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { encodePng } from '../../src/server/images/pixels/png/encodePng.ts';
import type { GoldenCase } from '../support/goldenCase.ts';
import { type Png, readPng } from '../support/readPng.ts';
import { serve } from '../support/serve.ts';

const here = new URL('.', import.meta.url);
const names = readdirSync(here, { withFileTypes: true }).filter((entry) => entry.isDirectory());

test.each(names.map(({ name }) => name))('the picture of %s is the expected one', async (name) => {
  const { golden }: { golden: GoldenCase } = await import(`./${name}/case.ts`);
  const server = await serve(writeDicom(golden.elements));
  const response = await server.request(`/api/file/0/frame/0${golden.query ?? ''}`);
  expect(response.status).toBe(200);
  const bytes = new Uint8Array(await response.arrayBuffer());

  const difference = compare(name, readPng(bytes), golden.tolerance ?? 0);

  if (difference !== undefined) writeFileSync(fileOf(name, 'actual.png'), bytes);
  else rmSync(fileOf(name, 'actual.png'), { force: true });
  expect(difference).toBeUndefined();
});

/** Describes the difference, and writes a picture of it beside the expected one. */
function compare(name: string, actual: Png, tolerance: number): string | undefined {
  if (!existsSync(fileOf(name, 'expected.png'))) return 'there is no expected.png';
  const expected = toColor(readPng(readFileSync(fileOf(name, 'expected.png'))));
  const shown = toColor(actual);
  if (shown.rows !== expected.rows || shown.columns !== expected.columns) {
    return `${shown.rows} x ${shown.columns} instead of ${expected.rows} x ${expected.columns}`;
  }
  const distances = shown.pixels.map((level, i) => Math.abs(level - expected.pixels[i]!));
  const largest = distances.reduce((most, distance) => Math.max(most, distance), 0);
  rmSync(fileOf(name, 'difference.png'), { force: true });
  if (largest <= tolerance) return undefined;
  const pixels = distances.map((distance) => Math.min(255, distance * 16));
  writeFileSync(fileOf(name, 'difference.png'), encodePng({ ...shown, channels: 3, pixels }));
  return `${distances.filter((distance) => distance > tolerance).length} levels are off by up to ${largest}`;
}

/** Converts gray pictures to color, because some tools write gray pictures in color. */
function toColor({ rows, columns, channels, pixels }: Png) {
  if (channels === 3) return { rows, columns, pixels };
  return {
    rows,
    columns,
    pixels: Uint8Array.from({ length: pixels.length * 3 }, (_, i) => pixels[Math.floor(i / 3)]!),
  };
}

function fileOf(name: string, file: string): string {
  return fileURLToPath(new URL(`${name}/${file}`, here));
}
