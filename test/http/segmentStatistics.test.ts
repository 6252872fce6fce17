import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import type { SegmentationResponse, SegmentStatisticsResponse } from '../../src/shared/contract/segmentations.ts';
import { corpus } from '../support/corpus.ts';
import { AXIAL, placedImage, type SegmentationFrame, segmentationElements } from '../support/placedElements.ts';
import { serve, type TestServer } from '../support/serve.ts';
import { CORPUS, needs } from '../support/needs.ts';

const GRID = { rows: 2, columns: 3 };
const POSITIONS_MM = [0, 2.5, 5, 7.5];

function planeAt(z: number) {
  return { position: [0, 0, z], orientation: AXIAL.orientation, spacing: [0.5, 0.8] as const };
}

/** Source images at four positions, written in reverse order. */
function writeSources(): Uint8Array[] {
  return POSITIONS_MM.toReversed().map((z) =>
    writeDicom(placedImage({ uid: `2.25.${z * 10}`, ...GRID, plane: planeAt(z) })),
  );
}

/** Index of the source at this position. */
function sourceAt(z: number): number {
  return POSITIONS_MM.toReversed().indexOf(z);
}

function frameAt(z: number, samples: readonly number[], segmentNumber = 1): SegmentationFrame {
  return { samples, segmentNumber, plane: planeAt(z), source: { uid: `2.25.${z * 10}` } };
}

async function readStatistics(server: TestServer, file = 4): Promise<SegmentStatisticsResponse> {
  const response = await server.request(`/api/file/${file}/segment-statistics`);
  expect(response.status).toBe(200);
  return response.json();
}

async function readSummary(server: TestServer, file = 4): Promise<SegmentationResponse> {
  const response = await server.request(`/api/file/${file}/segmentation`);
  expect(response.status).toBe(200);
  return response.json();
}

test('voxels, volume, first and last frame of each segment are computed from the frames', async () => {
  const frames = [
    frameAt(5, [1, 1, 1, 0, 0, 0], 1),
    frameAt(0, [1, 0, 0, 0, 0, 0], 1),
    frameAt(7.5, [0, 0, 0, 0, 0, 0], 1),
    frameAt(2.5, [1, 1, 1, 1, 1, 1], 2),
  ];
  const server = await serve(
    ...writeSources(),
    writeDicom(segmentationElements({ ...GRID, type: 'BINARY', frames, segmentNumbers: [1, 2, 3] })),
  );

  // A voxel is 0.5 x 0.8 x 2.5 = 1 mm³, because the positions are 2.5 mm apart. Segment 1 has 3 + 1 voxels, segment 2
  // has 6.
  expect(await readStatistics(server)).toEqual({
    file_index: 4,
    counts: 'voxels',
    slice_spacing_mm: 2.5,
    slice_spacing_source: 'plane_positions',
    volume_reason: null,
    damaged_frames: 0,
    // 6 voxels of segment 2; segment 1 has 3 at most.
    fullest_source: { file_index: sourceAt(2.5), frame_index: 0 },
    segments: [
      {
        number: 1,
        voxel_count: 4,
        volume_mm3: expect.closeTo(4, 9),
        frame_count: 2,
        first_frame: 1,
        last_frame: 0,
        first_source: { file_index: sourceAt(0), frame_index: 0 },
        last_source: { file_index: sourceAt(5), frame_index: 0 },
        damaged_frames: 0,
      },
      {
        number: 2,
        voxel_count: 6,
        volume_mm3: expect.closeTo(6, 9),
        frame_count: 1,
        first_frame: 3,
        last_frame: 3,
        first_source: { file_index: sourceAt(2.5), frame_index: 0 },
        last_source: { file_index: sourceAt(2.5), frame_index: 0 },
        damaged_frames: 0,
      },
      {
        number: 3,
        voxel_count: 0,
        volume_mm3: 0,
        frame_count: 0,
        first_frame: null,
        last_frame: null,
        first_source: null,
        last_source: null,
        damaged_frames: 0,
      },
    ],
  });
});

test('the number of voxels of fractions is their sum', async () => {
  // 51 / 255 = 0.2 and 204 / 255 = 0.8, twice.
  const frames = [frameAt(0, [51, 204, 0, 0, 0, 0]), frameAt(2.5, [0, 0, 51, 204, 0, 0])];
  const server = await serve(
    ...writeSources(),
    writeDicom(segmentationElements({ ...GRID, type: 'FRACTIONAL', frames })),
  );

  const { counts, segments } = await readStatistics(server);

  expect(counts).toBe('sum_of_fractions');
  expect(segments).toMatchObject([{ number: 1, voxel_count: expect.closeTo(2, 9), volume_mm3: expect.closeTo(2, 9) }]);
});

test('the labels of a label map are counted, including those that no segment describes', async () => {
  const frames = [frameAt(0, [1, 1, 7, 0, 0, 0]), frameAt(2.5, [7, 7, 0, 0, 0, 44])];
  const server = await serve(
    ...writeSources(),
    writeDicom(segmentationElements({ ...GRID, type: 'LABELMAP', frames, segmentNumbers: [1] })),
  );

  const { segments } = await readStatistics(server);

  expect(segments.map(({ number, voxel_count }) => [number, voxel_count])).toEqual([
    [1, 2],
    [7, 3],
    [44, 1],
  ]);
});

describe('if there is no volume, the reason is given', () => {
  test.each<[string, readonly SegmentationFrame[], string]>([
    ['one plane, no declared spacing', [frameAt(0, [1, 0, 0, 0, 0, 0])], 'all frames lie in one plane'],
    [
      'uneven planes',
      [0, 2.5, 6.3].map((z) => ({ samples: [1, 0, 0, 0, 0, 0], plane: planeAt(z) })),
      'not evenly spaced',
    ],
    ['no geometry', [{ samples: [1, 0, 0, 0, 0, 0] }], 'the position or the pixel size of frame 0 is not given'],
  ])('%s', async (_, frames, reason) => {
    const server = await serve(
      ...writeSources(),
      writeDicom(segmentationElements({ ...GRID, type: 'BINARY', frames })),
    );

    const { volume_reason, slice_spacing_mm, segments } = await readStatistics(server);

    expect(volume_reason).toContain(reason);
    expect([slice_spacing_mm, segments[0]?.volume_mm3]).toEqual([null, null]);
  });
});

test('the summary lists the source frames that have masks, and why other frames have no position', async () => {
  const frames = [
    frameAt(0, [1, 0, 0, 0, 0, 0], 1),
    frameAt(5, [1, 0, 0, 0, 0, 0], 1),
    frameAt(5, [0, 1, 0, 0, 0, 0], 2),
    { ...frameAt(5, [0, 1, 0, 0, 0, 0], 2), source: { uid: '2.25.999' } },
    { ...frameAt(1, [0, 1, 0, 0, 0, 0], 3), source: { uid: '2.25.0' } },
  ];
  const server = await serve(
    ...writeSources(),
    writeDicom(segmentationElements({ ...GRID, type: 'BINARY', frames, segmentNumbers: [1, 2, 3] })),
  );

  const summary = await readSummary(server);

  expect(summary.frame_count).toBe(5);
  expect(summary.segments.map(({ number, label }) => [number, label])).toEqual([
    [1, 'segment 1'],
    [2, 'segment 2'],
    [3, 'segment 3'],
  ]);
  expect(summary.sources.toSorted((a, b) => a.file_index - b.file_index)).toEqual([
    { file_index: sourceAt(5), frame_indices: [0] },
    { file_index: sourceAt(0), frame_indices: [0] },
  ]);
  expect(summary.unmapped).toEqual([
    {
      mapping_status: 'missing',
      mapping_reason: 'the image that the frame was derived from is not open',
      frame_count: 1,
      first_frame: 3,
      segment_numbers: [2],
    },
    {
      mapping_status: 'missing',
      mapping_reason: 'incompatible: the source image is in another plane',
      frame_count: 1,
      first_frame: 4,
      segment_numbers: [3],
    },
  ]);
});

/** Counted with pydicom and numpy; volumes are count x pixel spacing² x the spacing of the slices. */
const REAL: Readonly<Record<string, readonly (readonly [number, count: number, volumeMm3: number | null])[]>> = {
  // 107098 x 0.810547² x 1
  'dcmqi-liver/liver.dcm': [[1, 107_098, 70_361.93]],
  'dcmqi-liver/liver_rle.dcm': [[1, 107_098, 70_361.93]],
  'dcmqi-liver/partial_overlaps.dcm': [
    [1, 9602, 6308.38],
    [2, 11_888, 7810.25],
    [3, 10_743, 7058.01],
    [4, 6693, 4397.21],
    [5, 4713, 3096.38],
  ],
  // 54 and 212 x 3.537818² x 3.375
  'pet-tumor/tumor_User1_Manual_Trial1.dcm': [
    [1, 54, 2281.07],
    [2, 212, 8955.31],
  ],
  // Two slices 5 mm apart, with a declared spacing of 2.5: 630 x 0.7² x 2.5.
  'dcmqi-24x38x3/sparse-labelmap-ppv5.dcm': [
    [0, 0, 0],
    [1, 630, 771.75],
  ],
  // 83136 / 255 x 0.488281² x 1.25
  'highdicom-ct/seg_image_ct_true_fractional.dcm': [[1, 326.0235, 97.16]],
  'highdicom-ct/seg_image_cr_binary.dcm': [[1, 151, null]],
};

test('sizes of real segmentations equal those of another tool', needs(CORPUS), async () => {
  const folder = join(corpus ?? '', 'seg');
  const server = await serve(folder);

  const found: Record<string, unknown> = {};
  const expected: Record<string, unknown> = {};
  for (const { index, path } of server.catalog.files) {
    const name = relative(folder, path);
    const real = REAL[name];
    if (real === undefined) continue;
    const { segments } = await readStatistics(server, index);
    found[name] = segments.map(({ number, voxel_count, volume_mm3 }) => [number, voxel_count, volume_mm3].map(round));
    expected[name] = real.map((figures) => figures.map(round));
  }

  expect(Object.keys(found)).toHaveLength(Object.keys(REAL).length);
  expect(found).toEqual(expected);
});

function round(figure: number | null): number | null {
  return figure === null ? null : Math.round(figure);
}
