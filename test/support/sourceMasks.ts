import { expect } from 'vitest';
import { decodeMasks, type MaskLayer, type SourceMasks } from '../../src/shared/maskLayers.ts';
import type { TestServer } from './serve.ts';

export type MasksAddress = { readonly segmentation: number; readonly file: number; readonly frame?: number };

export function masksPath({ segmentation, file, frame = 0 }: MasksAddress): string {
  return `/api/layer/${segmentation}/frame?file=${file}&frame=${frame}`;
}

export async function fetchMasks(server: TestServer, address: MasksAddress): Promise<SourceMasks> {
  const response = await server.request(masksPath(address));
  expect(response.status).toBe(200);
  return decodeMasks(await response.arrayBuffer());
}

/** The samples of a layer, expanded to one per pixel of the source frame. */
export function spread({ rows, columns }: SourceMasks, layer: MaskLayer): number[] {
  const whole = Array.from({ length: rows * columns }, () => 0);
  for (const [i, sample] of layer.samples.entries()) {
    const row = layer.top + Math.floor(i / layer.columns);
    const column = layer.left + (i % layer.columns);
    whole[row * columns + column] = sample;
  }
  return whole;
}
