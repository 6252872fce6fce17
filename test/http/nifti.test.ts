import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readNifti } from '../../src/server/images/attachments/nifti.ts';
import { bufferSource } from '../../src/server/bytes/origins/byteSource.ts';
import { serveShared, type SharedServer } from '../support/serve.ts';
import { writeSlice } from '../support/sliceFiles.ts';
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

async function fetchNifti(server: SharedServer, query = 'format=nii') {
  const response = await server.request(`/api/file/0/volume/nifti?${query}`);
  if (!response.ok) throw new Error(await response.text());
  const bytes = new Uint8Array(await response.arrayBuffer());
  const header = readNifti({ source: bufferSource(bytes), name: 'a.nii' });
  return { response, bytes, header, data: bytes.slice(352).buffer };
}

async function refusalOf(server: SharedServer, query = '') {
  const response = await server.request(`/api/file/0/volume/nifti?${query}`);
  const { code, error }: { code: string; error: string } = await response.json();
  return { status: response.status, code, error };
}

/** The rows of a slice from the last to the first. */
function upwards(samples: ArrayLike<number>): number[] {
  const rows = Array.from({ length: VOLUME_ROWS }, (_, row) =>
    Array.from({ length: VOLUME_COLUMNS }, (__, column) => samples[row * VOLUME_COLUMNS + column]!),
  );
  return rows.toReversed().flat();
}

test('a volume is a NIfTI file with the stored samples, their rescale and their place', async () => {
  const server = await serveShared(
    ...writeSeries(1, straight(3), { SeriesNumber: '4', SeriesDescription: 'Thin "1/2"' }),
  );
  const { response, bytes, header, data } = await fetchNifti(server);

  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-length': String(352 + 3 * SIZE * 2),
    'content-disposition': 'attachment; filename="CT-series4-Thin_1_2_.nii"',
  });
  expect(bytes.length).toBe(352 + 3 * SIZE * 2);
  expect(header).toMatchObject({
    shape: [VOLUME_COLUMNS, VOLUME_ROWS, 3],
    element: 'int16',
    scale: { slope: 1, intercept: -1024 },
    warnings: [],
  });
  // Pixels of 1 mm, slices 2 mm apart. Row 3, at y = 3 mm in DICOM, comes first, and j runs against y.
  expect([...header.affine!].map((part) => part + 0)).toEqual([1, 0, 0, 0, -1, 0, 0, 0, 2, 0, 3, 0]);
  expect([...new Int16Array(data)]).toEqual([0, 1, 2].flatMap((k) => upwards(sliceSamples(k))));
});

test('a packed file is the same file', async () => {
  const server = await serveShared(...writeSeries(1, straight(3)));
  const { bytes } = await fetchNifti(server);
  const response = await server.request('/api/file/0/volume/nifti');
  expect(response.headers.get('content-type')).toBe('application/gzip');
  expect(response.headers.get('content-encoding')).toBeNull();
  expect(gunzipSync(await response.arrayBuffer()).equals(bytes)).toBe(true);
});

test('slices with rescales of their own are written as modality values', async () => {
  const slopes = [0.5, 2, 3];
  const slices = straight(3).map((slice, k) => ({
    ...slice,
    more: { RescaleSlope: String(slopes[k]), RescaleIntercept: '10' },
  }));
  const { header, data } = await fetchNifti(await serveShared(...writeSeries(1, slices)));
  expect(header).toMatchObject({ element: 'float32', scale: undefined });
  const expected = slopes.flatMap((slope, k) =>
    upwards(sliceSamples(k).map(Number)).map((value) => value * slope + 10),
  );
  expect([...new Float32Array(data)]).toEqual(expected);
});

function at(z: number, time: number) {
  return frameAt(z, { FrameContentSequence: [{ TemporalPositionIndex: time }] });
}

test('times are the fourth axis, and can be asked for one by one', async () => {
  const server = await serveShared(writeMultiFrame(1, [at(0, 1), at(0, 2), at(3, 1), at(3, 2)]));
  const all = await fetchNifti(server);
  expect(all.header.shape).toEqual([VOLUME_COLUMNS, VOLUME_ROWS, 2, 2]);
  // Frames 0 and 2 are the first time.
  expect([...new Int16Array(all.data)]).toEqual([0, 2, 1, 3].flatMap((frame) => upwards(sliceSamples(frame))));
  const second = await fetchNifti(server, 'format=nii&time=1');
  expect(second.header.shape).toEqual([VOLUME_COLUMNS, VOLUME_ROWS, 2]);
  expect([...new Int16Array(second.data)]).toEqual([1, 3].flatMap((frame) => upwards(sliceSamples(frame))));
  expect(await refusalOf(server, 'time=2')).toMatchObject({ status: 404, code: 'frame_out_of_range' });
});

test('a single image is a volume of one slice, as thick as its slice', async () => {
  const server = await serveShared(...writeSeries(1, straight(1), { SliceThickness: '4' }));
  const { header, data } = await fetchNifti(server);
  expect(header.shape).toEqual([VOLUME_COLUMNS, VOLUME_ROWS, 1]);
  expect([...header.affine!].slice(6, 9).map((part) => part + 0)).toEqual([0, 0, 4]);
  expect([...new Int16Array(data)]).toEqual(upwards(sliceSamples(0)));
});

test('slices that are not equally far apart are refused with the distances', async () => {
  const slices = [0, 2, 4, 9].map((z) => ({ position: [0, 0, z] as const }));
  const refusal = await refusalOf(await serveShared(...writeSeries(1, slices)));
  expect(refusal).toEqual({
    status: 422,
    code: 'volume_unavailable',
    error: 'no file of NIfTI: the distance between slices is not the same everywhere: 2 to 5 mm',
  });
});

test('a slice that is damaged is an error, because the file could not say so', async () => {
  const files = writeSeries(1, straight(3));
  const server = await serveShared(files[0]!, files[1]!.subarray(0, -10), files[2]!);
  const refusal = await refusalOf(server);
  expect(refusal).toMatchObject({ status: 500, code: 'pixel_decode_failed' });
  expect(refusal.error).toMatch(/^frame 0 of file 1 is damaged: truncated/);
});

test('the sidecar has what the headers say, in seconds, and nothing about the patient', async () => {
  const more = {
    RepetitionTime: '2500',
    EchoTime: '30',
    ImageType: ['ORIGINAL', 'PRIMARY'],
    AcquisitionTime: '102938.5',
    // The positions say 2 mm.
    SpacingBetweenSlices: '7',
  };
  const server = await serveShared(writeSlice({ number: 0 }, more), writeSlice({ number: 1 }, more));
  const response = await server.request('/api/file/0/volume/nifti/sidecar');
  expect(response.headers.get('content-disposition')).toBe('attachment; filename="CT-series1-Series_1.json"');
  const text = await response.text();
  expect(text).not.toMatch(/Doe|Jane|P1\b|1\.2\.826/);
  expect(JSON.parse(text)).toEqual({
    Modality: 'CT',
    SeriesDescription: 'Series 1',
    ImageType: ['ORIGINAL', 'PRIMARY'],
    SeriesNumber: 1,
    AcquisitionTime: '10:29:38.5',
    SliceThickness: 2,
    SpacingBetweenSlices: 2,
    ImageOrientationPatientDICOM: [1, 0, 0, 0, 1, 0],
    RepetitionTime: 2.5,
    EchoTime: 0.03,
    Units: 'HU',
    ConversionWarnings: [
      'there are only two places, 2 mm apart',
      'Spacing Between Slices (0018,0088) is 7 mm, but the slices are 2 mm apart by their positions, which are used',
    ],
    ConversionSoftware: 'negato',
    ConversionSoftwareVersion: '0.0.0-test',
  });
});
