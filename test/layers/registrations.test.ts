import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createBridge } from '../../src/server/over/layers/applyBridge.ts';
import { decodeContours } from '../../src/shared/contourPacket.ts';
import type { FilesResponse } from '../../src/shared/contract/files.ts';
import type { LayerResponse, LayersResponse } from '../../src/shared/contract/layerAnswers.ts';
import { findLayersData, LAYERS_DATA, needs } from '../support/needs.ts';
import { serveShared } from '../support/serve.ts';
import { sourceOf } from '../support/sources.ts';

type Recorded = {
  readonly rigid: readonly { readonly path: string; readonly distance: number; readonly points: readonly number[] }[];
  readonly deformable: {
    readonly points: readonly (readonly number[])[];
    readonly moved: readonly (readonly number[] | null)[];
  };
};

const RECORDED: Recorded = JSON.parse(readFileSync(new URL('registrations.json', import.meta.url), 'utf8'));
const ROOT = findLayersData();
const SPHERE = 1;

async function servePhantom(...paths: readonly string[]) {
  const server = await serveShared(...paths.map((path) => `${ROOT}/synthetic-phantom/${path}`));
  const { files }: FilesResponse = await (await server.request('/api/files')).json();
  const indexOf = (path: string) => files.find((file) => file.path.endsWith(path))?.index ?? -1;
  const read = async (path: string) => (await server.request(path)).json();
  return { server, files, indexOf, read };
}

describe('the phantom', needs(LAYERS_DATA), () => {
  test('has its structures over the MR where the inverse of the stored matrix puts them', async () => {
    const { server, files, indexOf, read } = await servePhantom('mr', 'rt/rtstruct.dcm', 'reg/rigid.dcm');
    const layer = indexOf('rt/rtstruct.dcm');

    for (const { path, distance, points } of RECORDED.rigid) {
      const image = files.find((file) => file.path.endsWith(path))!;
      const response = await server.request(`/api/layer/${layer}/frame?file=${image.index}&frame=0&parts=${SPHERE}`);
      const { items } = decodeContours(await response.arrayBuffer());
      expect([path, items.length]).toEqual([path, 1]);
      const [item] = items;
      expect(Math.abs(item!.distanceMm - distance)).toBeLessThan(0.01);
      const [down, along] = image.pixel_spacing_mm!;
      const farthest = points.map((value, at) => Math.abs(item!.points[at]! - value) * (at % 2 === 0 ? along : down));
      expect(Math.max(...farthest)).toBeLessThan(0.01);
    }

    const described: LayerResponse = await read(`/api/layer/${layer}`);
    // 10 degrees around z; (12.5, -7.25, 4) is 15.0 mm long.
    const words = 'over the registration “REG rigid B to A”: turned by 10.0° and shifted by 15.0 mm';
    expect(described.placement).toMatchObject({ status: 'registered', reason: expect.stringContaining(words) });
    expect(described.spaces.map(({ placement }) => placement.status)).toEqual(['direct', 'registered']);
    const { layers }: LayersResponse = await read(`/api/layers?file=${indexOf('mr/mr08.dcm')}&frame=0`);
    const over = layers.find((one) => one.layer === layer)!;
    expect(over).toMatchObject({
      placement: { status: 'registered', reason: words, via_file_indices: [indexOf('reg/rigid.dcm')] },
      touches_frame: true,
    });
    // From the CT to the MR: the inverse of a turn has the angle with the other sign.
    expect(over.placement.matrix?.[0]).toBeCloseTo(Math.cos((10 * Math.PI) / 180), 6);
    expect(over.placement.matrix?.[1]).toBeCloseTo(Math.sin((10 * Math.PI) / 180), 6);
  });

  test('has its sphere over CT and MR in the same place of the patient', async () => {
    const { server, files, indexOf, read } = await servePhantom('ct', 'mr', 'rt/rtstruct.dcm', 'reg/rigid.dcm');
    const layer = indexOf('rt/rtstruct.dcm');
    const { parts }: LayerResponse = await read(`/api/layer/${layer}`);
    const { ends } = parts.find(({ part }) => part === SPHERE)!;
    expect(ends.map(({ first }) => files.find(({ index }) => index === first.file_index)?.modality)).toEqual([
      'CT',
      'MR',
    ]);
    for (const { first } of ends) {
      const response = await server.request(
        `/api/layer/${layer}/frame?file=${first.file_index}&frame=0&parts=${SPHERE}`,
      );
      expect(decodeContours(await response.arrayBuffer()).items).toHaveLength(1);
    }
  });

  test('is not drawn if two registrations disagree, and both are named', async () => {
    const { server, indexOf, read } = await servePhantom('mr', 'rt/rtstruct.dcm', 'reg');
    const layer = indexOf('rt/rtstruct.dcm');
    const image = indexOf('mr/mr08.dcm');
    const reason = expect.stringMatching(/in different ways: .*“REG rigid B to A”/);

    const { layers }: LayersResponse = await read(`/api/layers?file=${image}&frame=0`);
    expect(layers.find((one) => one.layer === layer)?.placement).toMatchObject({ status: 'ambiguous', reason });
    const response = await server.request(`/api/layer/${layer}/frame?file=${image}&frame=0`);
    expect([response.status, await response.json()]).toMatchObject([
      422,
      { code: 'semantic_mapping_unavailable', error: expect.stringContaining('“REG deformable”') },
    ]);
  });

  test('is deformed where there is only a deformable registration', async () => {
    const { server, indexOf, read } = await servePhantom('mr', 'rt/rtstruct.dcm', 'reg/deformable.dcm');
    const layer = indexOf('rt/rtstruct.dcm');
    const { placement }: LayerResponse = await read(`/api/layer/${layer}`);

    expect(placement).toMatchObject({ status: 'deformed', matrix: null, reason: expect.stringContaining('deforms') });
    const response = await server.request(`/api/layer/${layer}/frame?file=${indexOf('mr/mr08.dcm')}&frame=0`);
    expect(decodeContours(await response.arrayBuffer()).items.some(({ part }) => part === SPHERE)).toBe(true);
  });

  test('is deformed as SimpleITK does it, and back', () => {
    const step = {
      kind: 'deformable',
      source: sourceOf(`${ROOT}/synthetic-phantom/reg/deformable.dcm`),
      item: 0,
    } as const;
    const { points, moved } = RECORDED.deformable;
    const forward = Float64Array.from(points.flat());
    createBridge([{ ...step, isForward: true }])(forward);
    const back = Float64Array.from(forward);
    createBridge([{ ...step, isForward: false }])(back);
    const outside = moved.flatMap((expected, at) => (expected === null ? [placeOf(forward, at)] : []));
    expect(outside).toEqual(outside.map(() => [NaN, NaN, NaN]));
    const errors = moved.flatMap((expected, at) =>
      expected === null
        ? []
        : [[distanceOf(placeOf(forward, at), expected), distanceOf(placeOf(back, at), points[at]!)]],
    );
    expect(errors.length).toBeGreaterThan(30);
    expect(Math.max(...errors.map(([there]) => there!))).toBeLessThan(0.05);
    expect(Math.max(...errors.map(([, andBack]) => andBack!))).toBeLessThan(0.1);
  });
});

function distanceOf(a: readonly number[], b: readonly number[]): number {
  return Math.hypot(...a.map((value, axis) => value - b[axis]!));
}

function placeOf(all: ArrayLike<number>, at: number): number[] {
  return [0, 1, 2].map((axis) => all[3 * at + axis]!);
}
