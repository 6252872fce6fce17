import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { FilesResponse } from '../../src/shared/contract/files.ts';
import { CORPUS, findCorpus, findLayersData, LAYERS_DATA, needs } from '../support/needs.ts';
import { readPng } from '../support/readPng.ts';
import { serveShared } from '../support/serve.ts';

type Recorded = { readonly sha256: string; readonly bytes: number; readonly image?: string };

/** Written by makeStates.py, which has a reader and an arithmetic of its own. */
const RECORDED: Readonly<Record<string, Recorded>> = JSON.parse(
  readFileSync(new URL('states.json', import.meta.url), 'utf8'),
);

/** The hash of the picture that the server draws of an image by a state. */
async function hashPicture(image: string, state: string): Promise<Recorded> {
  const server = await serveShared(image, state);
  const { files }: FilesResponse = await (await server.request('/api/files')).json();
  const indexOf = (path: string) => files.find((file) => file.path === path)?.index;
  const response = await server.request(`/api/file/${indexOf(image)}/frame/0?presentation=${indexOf(state)}`);
  expect(response.status).toBe(200);
  const { pixels } = readPng(new Uint8Array(await response.arrayBuffer()));
  return { sha256: createHash('sha256').update(pixels).digest('hex'), bytes: pixels.length };
}

describe('real states', needs(CORPUS), () => {
  const folder = `${findCorpus()}/presentation-state`;
  const real = [1, 2, 3, 4, 5, 6].map((number) => `real0${number}`);
  const states = [
    ['LUTs', 'weasis/imageForPrLUTs.dcm', 'weasis/prLUTs.dcm'],
    ['overlays', 'weasis/overlay.dcm', 'weasis/prOverlay.dcm'],
    ...real.map((name) => [name, `clearcanvas/${name}.dcm`, `clearcanvas/${name}.pr.dcm`] as const),
  ] as const;

  test.each(states)('%s are drawn as the standard says, byte for byte', async (name, image, state) => {
    expect(RECORDED[name]).toMatchObject(await hashPicture(`${folder}/${image}`, `${folder}/${state}`));
  });
});

describe('states of the phantom', needs(LAYERS_DATA), () => {
  const folder = `${findLayersData()}/synthetic-phantom`;
  const states = [
    ['inverse', 'pr/gsps_all_graphics_rot90_flip.dcm'],
    ['pseudo-color', 'pr/pseudo_color.dcm'],
  ] as const;

  test.each(states)('%s is drawn as the standard says, byte for byte', async (name, state) => {
    const recorded = RECORDED[name]!;
    expect(recorded).toMatchObject(await hashPicture(`${folder}/${recorded.image}`, `${folder}/${state}`));
  });
});
