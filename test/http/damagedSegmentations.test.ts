import { describe, expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import type { SegmentationResponse, SegmentStatisticsResponse } from '../../src/shared/contract/segmentations.ts';
import { AXIAL, placedImage, type SegmentationFrame, segmentationElements } from '../support/placedElements.ts';
import { serve, type TestServer } from '../support/serve.ts';
import { fetchMasks, masksPath } from '../support/sourceMasks.ts';

const GRID = { rows: 4, columns: 8 };
const SOURCES = ['2.25.100', '2.25.101'];

function planeAt(z: number) {
  return { ...AXIAL, position: [0, 0, z] };
}

function writeSources(): Uint8Array[] {
  return SOURCES.map((uid, z) => writeDicom(placedImage({ uid, ...GRID, plane: planeAt(z) })));
}

function frameOver(source: number, segmentNumber: number, sample: number): SegmentationFrame {
  const samples = Array.from({ length: GRID.rows * GRID.columns }, () => sample);
  return { samples, segmentNumber, plane: planeAt(source), source: { uid: SOURCES[source]! } };
}

/**
 * Files 0 and 1 are sources; file 2 is a segmentation that ends `lostBytes` bytes early. Pixel Data is its last
 * element.
 */
function serveCut(written: Uint8Array, lostBytes: number): Promise<TestServer> {
  return serve(...writeSources(), written.slice(0, written.length - lostBytes));
}

/** Frame 0 over the first source is complete, frames 1 and 2 lie over the second. All samples are 1, of one bit. */
function writeMasks(): Uint8Array {
  const frames = [frameOver(0, 1, 1), frameOver(1, 1, 1), frameOver(1, 2, 1)];
  return writeDicom(segmentationElements({ ...GRID, type: 'BINARY', frames, segmentNumbers: [1, 2] }));
}

describe('a mask that was drawn from a damaged segmentation frame is reported', () => {
  test('the overlay picture in X-Frame-Damage, also from the cache', async () => {
    // A frame has 4 rows of 1 byte, and the last two bytes are lost: half of the pixels of frame 2.
    const server = await serveCut(writeMasks(), 2);
    const overlay = (frame: number) => server.request(`/api/file/2/frame/${frame}/segmentation-overlay`);

    expect((await overlay(0)).headers.get('x-frame-damage')).toBeNull();
    expect((await overlay(1)).headers.get('x-frame-damage')).toBeNull();
    for (let i = 0; i < 2; i++) {
      // The rows of the picture are those of the source, so none of them is reported as intact.
      expect((await overlay(2)).headers.get('x-frame-damage')).toBe('truncated;missing=0.5;intact-rows=0');
    }
  });

  test('the masks over a source frame in X-Frame-Damage, and by frame and segment in their header', async () => {
    const server = await serveCut(writeMasks(), 2);

    for (const _ of ['made', 'cached']) {
      const whole = await server.request(masksPath({ segmentation: 2, file: 0 }));
      const cut = await server.request(masksPath({ segmentation: 2, file: 1 }));
      expect(whole.headers.get('x-frame-damage')).toBeNull();
      expect(cut.headers.get('x-frame-damage')).toBe('truncated;missing=0.5;intact-rows=0');
    }
    const [whole, cut] = [
      await fetchMasks(server, { segmentation: 2, file: 0 }),
      await fetchMasks(server, { segmentation: 2, file: 1 }),
    ];
    expect(whole.damaged).toEqual([]);
    expect(cut.damaged).toEqual([
      { frame: 2, segment: 2, damage: expect.objectContaining({ kind: 'truncated', missing: 0.5, intactRows: 2 }) },
    ]);
    expect(cut.layers.map(({ frame, rows }) => [frame, rows])).toEqual([
      [1, 4],
      [2, 2],
    ]);
  });

  test('also if nothing of the segment is left, which looks like an absent segment', async () => {
    // Segment 2 has samples in the last row only.
    const last = [...Array<number>(24).fill(0), ...Array<number>(8).fill(1)];
    const frames = [frameOver(1, 1, 1), { ...frameOver(1, 2, 1), samples: last }];
    const server = await serveCut(
      writeDicom(segmentationElements({ ...GRID, type: 'BINARY', frames, segmentNumbers: [1, 2] })),
      1,
    );

    const masks = await fetchMasks(server, { segmentation: 2, file: 1 });

    expect(masks.layers.map(({ segment }) => segment)).toEqual([1]);
    expect(masks.damaged.map(({ segment }) => segment)).toEqual([2]);
  });

  test('the statistics count the unreliable frames', async () => {
    const server = await serveCut(writeMasks(), 2);
    const statistics: SegmentStatisticsResponse = await (await server.request('/api/file/2/segment-statistics')).json();

    expect(statistics.damaged_frames).toBe(1);
    expect(
      statistics.segments.map(({ number, voxel_count, damaged_frames }) => [number, voxel_count, damaged_frames]),
    ).toEqual([
      [1, 64, 0],
      [2, 16, 1],
    ]);
  });
});

async function summarize(frames: SegmentationFrame[], lostBytes: number): Promise<SegmentationResponse> {
  const written = writeDicom(segmentationElements({ ...GRID, type: 'FRACTIONAL', frames }));
  const server = await serveCut(written, lostBytes);
  return (await server.request('/api/file/2/segmentation')).json();
}

describe('whether declared fractions are a mask is decided from complete frames', () => {
  const IS_MASK = 'the object declares fractions but stores only 0 and 1: it is drawn as a mask';

  test('a complete object has no further warning', async () => {
    const { warnings } = await summarize([frameOver(0, 1, 1), frameOver(1, 1, 1)], 0);
    expect(warnings).toEqual([IS_MASK]);
  });

  test('a truncated frame is named, because it may have contained fractions', async () => {
    const { warnings } = await summarize([frameOver(0, 1, 1), frameOver(1, 1, 1)], 16);
    expect(warnings).toEqual([
      IS_MASK,
      '1 frame is truncated or damaged in the file: whether the object stores a mask was decided without the missing part',
    ]);
  });

  test('invented rows do not count', async () => {
    // All that is left of the only frame is a row of zeros, so nothing indicates a mask.
    const samples = [...Array<number>(8).fill(0), ...Array<number>(24).fill(1)];
    const { warnings } = await summarize([{ ...frameOver(0, 1, 1), samples }], 20);
    expect(warnings).toEqual([
      '1 frame is truncated or damaged in the file: whether the object stores fractions was decided without the missing part',
    ]);
  });
});
