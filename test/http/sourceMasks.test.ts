import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import type { SemanticContextResponse } from '../../src/shared/contract/semantics.ts';
import { corpus } from '../support/corpus.ts';
import {
  AXIAL,
  placedImage,
  type SegmentationFrame,
  segmentationElements,
  type WrittenPlane,
} from '../support/placedElements.ts';
import { readPng } from '../support/readPng.ts';
import { serve, serveShared, type TestServer } from '../support/serve.ts';
import { fetchMasks, masksPath, spread } from '../support/sourceMasks.ts';
import { CORPUS, needs } from '../support/needs.ts';

const SOURCE = '2.25.100';

type Grid = { readonly rows: number; readonly columns: number; readonly plane: WrittenPlane };

const GRID: Grid = { rows: 2, columns: 3, plane: AXIAL };

function over(samples: readonly number[], segmentNumber = 1): SegmentationFrame {
  return { samples, segmentNumber, plane: AXIAL, source: { uid: SOURCE } };
}

/** Two unit vectors of a plane that is parallel to no axis, and the same axes rotated by 30 degrees within it. */
const OBLIQUE = [0.8, 0.6, 0, -0.36, 0.48, 0.8];
const TURNED = [0, 1, 2, 3, 4, 5].map((i) => {
  const [cosine, sine] = [Math.cos(Math.PI / 6), Math.sin(Math.PI / 6)];
  return i < 3 ? cosine * OBLIQUE[i]! + sine * OBLIQUE[i + 3]! : -sine * OBLIQUE[i - 3]! + cosine * OBLIQUE[i]!;
});

async function readOverlay(server: TestServer, file: number, frame: number): Promise<Uint8Array> {
  const response = await server.request(`/api/file/${file}/frame/${frame}/segmentation-overlay`);
  expect(response.status).toBe(200);
  return readPng(await response.bytes()).pixels;
}

/** Alpha as in the overlay picture: 178 of 255 for a mask, 204 for a full fraction. */
function toAlpha(samples: readonly number[], maximum: number | undefined): number[] {
  return samples.map((sample) => {
    if (maximum !== undefined) return Math.round(Math.min(1, sample / maximum) * 204);
    return sample === 0 ? 0 : 178;
  });
}

/**
 * Compares every frame that lies over a source frame with its overlay picture. Returns the number of frames compared.
 */
async function compareWithOverlays(server: TestServer, file: number): Promise<number> {
  const { context }: SemanticContextResponse = await (
    await server.request(`/api/file/${file}/semantic-context`)
  ).json();
  if (context.kind !== 'segmentation') return 0;
  let compared = 0;
  for (const { frame_index: frame, mapping_status, source_frames } of context.frame_mappings) {
    const [source] = source_frames;
    if (mapping_status !== 'resolved' || source === undefined) continue;
    const masks = await fetchMasks(server, {
      segmentation: file,
      file: source.file_index,
      frame: source.frame_index,
    });
    const layer = masks.layers.find((one) => one.frame === frame);
    const alpha = [...(await readOverlay(server, file, frame))].filter((_, i) => i % 4 === 3);
    // Empty frames are left out of the response.
    const samples = layer === undefined ? alpha.map(() => 0) : spread(masks, layer);
    expect(toAlpha(samples, layer?.maximum)).toEqual(alpha);
    compared += 1;
  }
  return compared;
}

describe('the masks over a source frame equal those of the overlay pictures', () => {
  const position = [12.5, -40.25, 77];
  // Eight columns and six rows of 0.8 mm away.
  const FAR_CORNER = [0, 1, 2].map((axis) => position[axis]! + OBLIQUE[axis]! * 6.4 + OBLIQUE[axis + 3]! * 4.8);
  const samples = Array.from({ length: 63 }, (_, i) => ((i * 7 + Math.floor(i / 9) * 3) % 3 === 0 ? 1 : 0));

  test.each<[string, WrittenPlane]>([
    ['on the same oblique grid', { position, orientation: OBLIQUE, spacing: [0.8, 0.8] }],
    ['on a coarser, anisotropic grid', { position, orientation: OBLIQUE, spacing: [1.37, 1.61] }],
    ['turned in the plane', { position, orientation: TURNED, spacing: [0.77, 0.93] }],
    ['mirrored', { position: FAR_CORNER, orientation: OBLIQUE.map((part) => -part), spacing: [0.8, 0.8] }],
  ])('%s', async (_, plane) => {
    const source = { rows: 14, columns: 11, plane: { position, orientation: OBLIQUE, spacing: [0.8, 0.8] as const } };
    const server = await serve(
      writeDicom(placedImage({ uid: SOURCE, ...source })),
      writeDicom(
        segmentationElements({
          rows: 7,
          columns: 9,
          type: 'BINARY',
          frames: [{ samples, plane, source: { uid: SOURCE } }],
        }),
      ),
    );

    expect(await compareWithOverlays(server, 1)).toBe(1);
    const { layers } = await fetchMasks(server, { segmentation: 1, file: 0 });
    expect(layers[0]?.samples).toContain(1);
  });

  test('of real files', { ...needs(CORPUS), timeout: 400_000 }, async () => {
    const server = await serve(join(corpus ?? '', 'seg'));
    let compared = 0;
    for (const { index, objectKind } of server.catalog.files) {
      if (objectKind === 'segmentation') compared += await compareWithOverlays(server, index);
    }

    expect(compared).toBeGreaterThan(40);
  });
});

test('one response has all segments of the source frame, each cropped to its extent', async () => {
  const frames = [over([0, 1, 1, 0, 0, 0], 1), over([0, 0, 0, 0, 0, 1], 2), over([0, 0, 0, 0, 0, 0], 3)];
  const server = await serve(
    writeDicom(placedImage({ uid: SOURCE, ...GRID })),
    writeDicom(segmentationElements({ ...GRID, type: 'BINARY', frames, segmentNumbers: [1, 2, 3] })),
  );

  const masks = await fetchMasks(server, { segmentation: 1, file: 0 });

  const mask = { kind: 'mask', maximum: undefined };
  expect(masks).toEqual({
    rows: 2,
    columns: 3,
    layers: [
      { ...mask, frame: 0, segment: 1, top: 0, left: 1, rows: 1, columns: 2, samples: Uint8Array.of(1, 1) },
      { ...mask, frame: 1, segment: 2, top: 1, left: 2, rows: 1, columns: 1, samples: Uint8Array.of(1) },
    ],
    damaged: [],
  });
});

test('fractions are sent as stored, with the value that means 1', async () => {
  const server = await serve(
    writeDicom(placedImage({ uid: SOURCE, ...GRID })),
    writeDicom(
      segmentationElements(
        { ...GRID, type: 'FRACTIONAL', frames: [over([0, 25, 50, 0, 100, 0])] },
        { MaximumFractionalValue: 100 },
      ),
    ),
  );

  const { layers } = await fetchMasks(server, { segmentation: 1, file: 0 });

  expect(layers).toEqual([
    {
      frame: 0,
      segment: 1,
      kind: 'fractions',
      maximum: 100,
      top: 0,
      left: 1,
      rows: 2,
      columns: 2,
      samples: Uint8Array.of(25, 50, 100, 0),
    },
  ]);
});

test('labels are sent in one layer, without padding and background', async () => {
  const background = [{ CodeValue: '125040', CodingSchemeDesignator: 'DCM', CodeMeaning: 'Background' }];
  const server = await serve(
    writeDicom(placedImage({ uid: SOURCE, ...GRID })),
    writeDicom(
      segmentationElements(
        { ...GRID, type: 'LABELMAP', frames: [over([0, 1, 4, 5, 0, 9])] },
        {
          SegmentSequence: [
            { SegmentNumber: 9, SegmentedPropertyTypeCodeSequence: background },
            { SegmentNumber: 1 },
            { SegmentNumber: 4 },
          ],
          PixelPaddingValue: 5,
        },
      ),
    ),
  );

  const { layers } = await fetchMasks(server, { segmentation: 1, file: 0 });

  expect(layers).toEqual([
    {
      frame: 0,
      segment: undefined,
      kind: 'labels',
      maximum: undefined,
      top: 0,
      left: 1,
      rows: 1,
      columns: 2,
      samples: Uint8Array.of(1, 4),
    },
  ]);
});

test('a source frame without a segmentation frame has no masks, and the request succeeds', async () => {
  const other = { ...AXIAL, position: [0, 0, 5] };
  const server = await serve(
    writeDicom(placedImage({ uid: SOURCE, ...GRID })),
    writeDicom(placedImage({ uid: '2.25.101', ...GRID, plane: other })),
    writeDicom(segmentationElements({ ...GRID, type: 'BINARY', frames: [over([0, 1, 1, 0, 0, 0])] })),
  );

  expect(await fetchMasks(server, { segmentation: 2, file: 1 })).toEqual({
    rows: 2,
    columns: 3,
    layers: [],
    damaged: [],
  });
});

test('X-Cache reports whether the masks were made before', async () => {
  const server = await serve(
    writeDicom(placedImage({ uid: SOURCE, ...GRID })),
    writeDicom(segmentationElements({ ...GRID, type: 'BINARY', frames: [over([0, 1, 1, 0, 0, 0])] })),
  );
  const ask = async () => (await server.request(masksPath({ segmentation: 1, file: 0 }))).headers.get('x-cache');

  expect([await ask(), await ask()]).toEqual(['MISS', 'HIT']);
});

test.each([
  ['/api/layer/x/frame?file=0&frame=0', 400, 'invalid_path'],
  ['/api/layer/1/frame?frame=0', 400, 'invalid_query'],
  ['/api/layer/9/frame?file=0&frame=0', 404, 'layer_not_found'],
  ['/api/layer/1/frame?file=9&frame=0', 404, 'not_found'],
  ['/api/layer/1/frame?file=0&frame=1', 404, 'frame_out_of_range'],
  ['/api/file/0/segmentation', 400, 'bad_request'],
  ['/api/file/0/segment-statistics', 400, 'bad_request'],
])('%s is refused as %i %s', async (path, status, code) => {
  const server = await serveShared(
    writeDicom(placedImage({ uid: SOURCE, ...GRID })),
    writeDicom(segmentationElements({ ...GRID, type: 'BINARY', frames: [over([0, 1, 1, 0, 0, 0])] })),
  );

  const response = await server.request(path);

  expect({ status: response.status, code: (await response.json()).code }).toEqual({ status, code });
});
