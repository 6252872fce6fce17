import { expect, test } from 'vitest';
import type { VolumeArrayPlanResponse } from '../../src/shared/contract/volumes.ts';
import { PET_SIZE, writePet } from '../support/fieldFiles.ts';
import { serveShared, type SharedServer } from '../support/serve.ts';
import {
  frameAt,
  sliceSamples,
  straight,
  VOLUME_COLUMNS,
  VOLUME_ROWS,
  writeMultiFrame,
  writeSeries,
} from '../support/volumeFiles.ts';

const SIZE = VOLUME_ROWS * VOLUME_COLUMNS;

async function fetchPlan(server: SharedServer, query = ''): Promise<VolumeArrayPlanResponse> {
  const response = await server.request(`/api/file/0/volume/array/plan?${query}`);
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

/** The header of the NumPy file, and what is after it. */
async function fetchArray(server: SharedServer, query = '') {
  const response = await server.request(`/api/file/0/volume/array?${query}`);
  if (!response.ok) throw new Error(await response.text());
  const bytes = await response.arrayBuffer();
  expect(response.headers.get('content-length')).toBe(String(bytes.byteLength));
  const start = 10 + new DataView(bytes).getUint16(8, true);
  return { header: new TextDecoder('latin1').decode(bytes.slice(10, start)).trim(), data: bytes.slice(start) };
}

test('an array has the stored samples slice by slice, and the plan says what it has and where it is', async () => {
  const server = await serveShared(...writeSeries(1, straight(3)));
  const { header, data } = await fetchArray(server);
  expect(header).toBe("{'descr': '<i2', 'fortran_order': False, 'shape': (3, 4, 5), }");
  expect([...new Int16Array(data)]).toEqual([0, 1, 2].flatMap((k) => [...sliceSamples(k)]));
  expect(await fetchPlan(server)).toMatchObject({
    type: '<i2',
    shape: [1, 3, VOLUME_ROWS, VOLUME_COLUMNS],
    // Columns and rows of 1 mm, slices 2 mm apart, from the origin.
    affine: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2, 0],
    spacing_mm: [2, 1, 1],
    unit: '',
    rescale: { slope: 1, intercept: -1024 },
    origins: [0, 0, 0, 0, 0, 2, 0, 0, 4],
    file_indices: [0, 1, 2],
    frame_indices: [0, 0, 0],
  });
});

test('stored samples stay stored where each image has a rescale of its own', async () => {
  const slices = straight(3).map((slice, k) => ({ ...slice, more: { RescaleSlope: String(k + 0.5) } }));
  const server = await serveShared(...writeSeries(1, slices, { RescaleIntercept: '10' }));
  const { data } = await fetchArray(server, 'unit=stored');
  expect([...new Int16Array(data)]).toEqual([0, 1, 2].flatMap((k) => [...sliceSamples(k)]));
  expect(await fetchPlan(server)).toMatchObject({ type: '<i2', rescale: null });
  expect(await fetchPlan(server, 'unit=modality')).toMatchObject({ type: '<f4', unit: 'HU' });
  const values = await fetchArray(server, 'unit=modality');
  const expected = [0, 1, 2].flatMap((k) => [...sliceSamples(k)].map((sample) => sample * (k + 0.5) + 10));
  expect([...new Float32Array(values.data)]).toEqual(expected);
});

function at(z: number, time: number) {
  return frameAt(z, { FrameContentSequence: [{ TemporalPositionIndex: time }] });
}

test('several times are the first axis, or one of them is asked for', async () => {
  const server = await serveShared(writeMultiFrame(1, [at(0, 1), at(0, 2), at(3, 1), at(3, 2)]));
  const all = await fetchArray(server);
  expect(all.header).toContain("'shape': (2, 2, 4, 5)");
  expect([...new Int16Array(all.data)]).toEqual([0, 2, 1, 3].flatMap((frame) => [...sliceSamples(frame)]));
  expect(await fetchPlan(server)).toMatchObject({ shape: [2, 2, 4, 5], frame_indices: [0, 2, 1, 3] });
  expect(await fetchPlan(server, 'time=1')).toMatchObject({ shape: [1, 2, 4, 5], frame_indices: [1, 3] });
  expect((await fetchArray(server, 'time=1')).data.byteLength).toBe(2 * SIZE * 2);
});

test('SUV is the activity by the dose and weight of the PET, slice by slice', async () => {
  const server = await serveShared(...writePet());
  const stored = new Uint16Array((await fetchArray(server)).data);
  const { data } = await fetchArray(server, 'unit=SUVbw');
  expect(await fetchPlan(server, 'unit=SUVbw')).toMatchObject({ type: '<f4', unit: 'SUVbw' });
  // 370 MBq in 70 kg, and slice k has a slope of 1 + k / 10.
  const perSlice = PET_SIZE.rows * PET_SIZE.columns;
  const suv = [...stored].map((sample, n) => (sample * (1 + Math.floor(n / perSlice) / 10) * 70_000) / 370e6);
  const worst = new Float32Array(data).map((value, n) => Math.abs(value / suv[n]! - 1));
  expect(Math.max(...worst)).toBeLessThan(1e-6);
});

test('a unit that the samples do not have is refused with the reason', async () => {
  const table = {
    LUTDescriptor: { vr: 'US', value: [400, 0, 16] },
    ModalityLUTType: 'HU',
    LUTData: { vr: 'US', value: Array.from({ length: 400 }, (_, i) => 2 * i) },
  } as const;
  const none = { RescaleSlope: undefined, RescaleIntercept: undefined };
  const server = await serveShared(...writeSeries(1, straight(3), { ...none, ModalityLUTSequence: [table] }));
  const refusal = async (query: string) => {
    const response = await server.request(`/api/file/0/volume/array${query}`);
    return { status: response.status, ...(await response.json()) };
  };
  expect(await refusal('?unit=stored')).toMatchObject({ status: 422, code: 'volume_unavailable' });
  expect(await refusal('/plan?unit=stored')).toMatchObject({ error: expect.stringContaining('no stored samples: ') });
  expect(await refusal('?unit=SUVbw')).toMatchObject({ error: 'no SUV: the images are no PET' });
  expect(await refusal('?unit=HU')).toMatchObject({ status: 400, code: 'invalid_query' });
  // The table doubles the values.
  const { data } = await fetchArray(server, 'unit=modality');
  expect([...new Float32Array(data)].slice(0, SIZE)).toEqual([...sliceSamples(0)].map((sample) => 2 * sample));
});
