import { expect, test } from 'vitest';
import type { VolumeRegionResponse } from '../../src/shared/contract/volumes.ts';
import { serve, type TestServer } from '../support/serve.ts';
import { straight, writeSeries } from '../support/volumeFiles.ts';

async function ask(server: TestServer, query: string): Promise<VolumeRegionResponse> {
  const response = await server.request(`/api/file/0/volume/region?${query}`);
  expect(response.status).toBe(200);
  return response.json();
}

test('a region has the samples of all slices that are joined to its seed and have values in the range', async () => {
  // Sample (row, column) of slice k has 100 k + 10 row + column, and a value 1,024 below. Slices have 4 rows of 5 samples.
  const server = await serve(...writeSeries(1, straight(4)));
  // All of the first slice, whose samples go up to 34, and the first two rows of the second: 100 to 104 and 110 to 114.
  expect(await ask(server, 'seed=0,0,0&low=-1024&high=-909')).toEqual({
    voxels: 30,
    slices: [
      { file_index: 0, frame_index: 0, points: [], mask: { left: 0, top: 0, width: 5, height: 4, runs: [0, 20] } },
      { file_index: 1, frame_index: 0, points: [], mask: { left: 0, top: 0, width: 5, height: 2, runs: [0, 10] } },
    ],
  });
  // Both ends are included: sample 111 alone.
  expect(await ask(server, 'seed=1,1,1&low=-913&high=-913')).toEqual({
    voxels: 1,
    slices: [
      { file_index: 1, frame_index: 0, points: [], mask: { left: 1, top: 1, width: 1, height: 1, runs: [0, 1] } },
    ],
  });
  expect(await ask(server, 'seed=0,0,0&low=0&high=5')).toEqual({ voxels: 0, slices: [] });
});

test('values are those of the modality also where slices have rescales of their own', async () => {
  const slices = straight(3).map((slice, k) => ({ ...slice, more: { RescaleIntercept: String(-100 * k) } }));
  const server = await serve(...writeSeries(1, slices));
  // With the intercepts, all slices have the values 10 row + column: 0 to 4 in the first row.
  const { voxels } = await ask(server, 'seed=1,0,2&low=0&high=4');
  expect(voxels).toBe(15);
});

test('redacted samples are covered', async () => {
  const server = await serve(...writeSeries(1, straight(2)));
  const before = await ask(server, 'seed=0,0,4&low=-1024&high=-990');
  expect(before.voxels).toBe(20);
  // The first three columns of the first slice.
  const response = await server.request('/api/file/0/redactions', {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ num_roi: 1, roi_coords: [[0, 0, 4, 3]] }),
  });
  expect(response.status).toBe(200);
  // Samples there are 3 now, the least of the others, which is −1,021: above are the last two columns without that one.
  const { voxels, slices } = await ask(server, 'seed=0,0,4&low=-1020&high=-990');
  expect(voxels).toBe(7);
  expect(slices[0]?.mask?.left).toBe(3);
});

test('a seed outside of the volume is refused', async () => {
  const server = await serve(...writeSeries(1, straight(2)));
  for (const seed of ['2,0,0', '0,4,0', '0,0,5']) {
    const response = await server.request(`/api/file/0/volume/region?seed=${seed}&low=0&high=1`);
    expect([response.status, (await response.json()).code]).toEqual([400, 'bad_request']);
  }
});
