import { inflateRawSync } from 'node:zlib';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { type SegmentationFrame, segmentationElements, type WrittenPlane } from '../support/placedElements.ts';
import { serve, type TestServer } from '../support/serve.ts';
import { SLICE_COLUMNS, SLICE_ROWS, SLICE_UID, writeSlice } from '../support/sliceFiles.ts';
import { structureSetElements } from '../support/structureSetElements.ts';

const SLICES = 3;
const SIZE = SLICE_ROWS * SLICE_COLUMNS;
const SPACE = { FrameOfReferenceUID: `${SLICE_UID}.102` };
const LAYER = SLICES;

/** Slices along a normal that is not an axis: rows along x, columns in the plane of y and z (3, 4, 5). */
const OBLIQUE = [1, 0, 0, 0, 0.6, 0.8];
const planeOf = (slice: number, isOblique: boolean): WrittenPlane => ({
  position: isOblique ? [0, -1.6 * slice, 1.2 * slice] : [0, 0, 2 * slice],
  orientation: isOblique ? OBLIQUE : [1, 0, 0, 0, 1, 0],
  spacing: [1, 1],
});

function writeSlices(isOblique: boolean): Uint8Array[] {
  return Array.from({ length: SLICES }, (_, number) => {
    const { position, orientation } = planeOf(number, isOblique);
    const place = { ImagePositionPatient: position.map(String), ImageOrientationPatient: orientation.map(String) };
    return writeSlice({ number }, place);
  });
}

async function ask(server: TestServer, path: string): Promise<Buffer> {
  const response = await server.request(`/api/file/0/volume/${path}`);
  const bytes = Buffer.from(await response.arrayBuffer());
  if (!response.ok) throw new Error(`${path}: ${bytes.toString()}`);
  return bytes;
}

/** Whether each sample has a label, of a NumPy file of one label, which is the first in its zip file. */
async function readMask(server: TestServer, query: string): Promise<number[]> {
  const zip = await ask(server, `labels?format=npz&${query}`);
  const start = 30 + zip.readUInt16LE(26);
  const npy = inflateRawSync(zip.subarray(start, start + zip.readUInt32LE(18)));
  return [...npy.subarray(10 + npy.readUInt16LE(8))].map((value) => (value === 0 ? 0 : 1));
}

async function makeMarks(server: TestServer): Promise<void> {
  const response = await server.request('/api/file/0/volume/labels/marks', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ layers: [LAYER] }),
  });
  expect(await response.json()).toMatchObject({ refused: 0, left_out: [] });
}

/** Voxels of a segment: boxes, noise, single voxels and whole slices, so that segments overlap in all ways. */
const segment = fc
  .array(
    fc.record({
      slice: fc.nat(SLICES - 1),
      top: fc.nat(SLICE_ROWS - 1),
      left: fc.nat(SLICE_COLUMNS - 1),
      rows: fc.constantFrom(1, 3, SLICE_ROWS),
      columns: fc.constantFrom(1, 5, SLICE_COLUMNS),
      /** Of each run of so many voxels one is left out; 1 leaves none out. */
      noise: fc.constantFrom(1, 2, 3),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((boxes) => {
    const voxels = new Uint8Array(SLICES * SIZE);
    for (const { slice, top, left, rows, columns, noise } of boxes) {
      for (let row = top; row < Math.min(SLICE_ROWS, top + rows); row += 1) {
        for (let column = left; column < Math.min(SLICE_COLUMNS, left + columns); column += 1) {
          if (noise > 1 && (row + column) % noise === 1) continue;
          voxels[slice * SIZE + row * SLICE_COLUMNS + column] = 1;
        }
      }
    }
    return [...voxels];
  })
  .filter((voxels) => voxels.includes(1));

type Case = { readonly segments: readonly (readonly number[])[]; readonly isOblique: boolean; readonly names: number };

function writeSegmentation({ segments, isOblique, names }: Case): Uint8Array {
  const frames = segments.flatMap((voxels, at) =>
    Array.from({ length: SLICES }, (_, slice): SegmentationFrame => ({
      samples: voxels.slice(slice * SIZE, (slice + 1) * SIZE),
      segmentNumber: at + 1,
      plane: planeOf(slice, isOblique),
    })).filter(({ samples }) => samples.includes(1)),
  );
  const elements = segmentationElements(
    {
      rows: SLICE_ROWS,
      columns: SLICE_COLUMNS,
      type: 'BINARY',
      frames,
      declared: Array.from({ length: SLICES }, (_, number) => `${SLICE_UID}.1.${number + 1}`),
    },
    {
      ...SPACE,
      // Segments may have one name.
      SegmentSequence: segments.map((_, at) => ({
        SegmentNumber: at + 1,
        SegmentLabel: `organ ${at % names}`,
        SegmentAlgorithmType: 'MANUAL',
      })),
    },
  );
  return writeDicom(elements);
}

test('a segmentation that becomes marks and a segmentation again has every voxel of every segment', async () => {
  const cases = fc.record({
    segments: fc.array(segment, { minLength: 1, maxLength: 5 }),
    isOblique: fc.boolean(),
    names: fc.constantFrom(1, 2, 5),
  });
  await fc.assert(
    fc.asyncProperty(cases, async (one) => {
      const images = writeSlices(one.isOblique);
      const first = await serve(...images, writeSegmentation(one));
      await makeMarks(first);
      const written = await ask(first, 'marks?format=seg');
      const second = await serve(...images, written);
      const parts: number[][] = [];
      for (const at of one.segments.keys()) parts.push(await readMask(second, `layers=${LAYER}&parts=${at + 1}`));

      expect(parts).toEqual(one.segments);
      const { labels } = JSON.parse((await ask(second, `labels/plan?layers=${LAYER}`)).toString());
      expect(labels.map(({ name }: { name: string }) => name)).toEqual(
        one.segments.map((_, at) => `organ ${at % one.names}`),
      );
      await Promise.all([first.close(), second.close()]);
    }),
    { numRuns: 15 },
  );
});

/** In steps of a sixteenth of a pixel, also outside of the images. */
function inSixteenths(most: number) {
  return fc.integer({ min: -32, max: 16 * (most + 2) }).map((value) => value / 16);
}

test('a structure set that becomes marks has the voxels that it has as labels', async () => {
  const corner = fc.tuple(inSixteenths(SLICE_COLUMNS), inSixteenths(SLICE_ROWS));
  const contour = fc.record({
    slice: fc.nat(SLICES - 1),
    corners: fc.array(corner, { minLength: 3, maxLength: 12 }),
  });
  const rois = fc.array(fc.array(contour, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(rois, async (drawn) => {
      const elements = structureSetElements(
        drawn.map((contours, at) => ({
          number: at + 1,
          name: `ROI ${at + 1}`,
          different: { ReferencedFrameOfReferenceUID: SPACE.FrameOfReferenceUID },
          contours: contours.map(({ slice, corners }) => ({ points: corners.map(([x, y]) => [x, y, 2 * slice]) })),
        })),
        SPACE,
      );
      const server = await serve(...writeSlices(false), writeDicom(elements));
      const { labels } = JSON.parse((await ask(server, `labels/plan?layers=${LAYER}`)).toString());
      const filled = labels.filter(({ samples }: { samples: number }) => samples > 0);
      // Nothing is inside of contours that are thin or outside of the images, and no file can be of that.
      fc.pre(filled.length > 0);
      await makeMarks(server);
      const second = await serve(...writeSlices(false), await ask(server, 'marks?format=seg'));
      for (const [at, { part }] of filled.entries()) {
        const ofMark = await readMask(second, `layers=${LAYER}&parts=${at + 1}`);
        expect(ofMark).toEqual(await readMask(server, `layers=${LAYER}&parts=${part}`));
      }
      await second.close();
      await server.close();
    }),
    { numRuns: 15 },
  );
});
