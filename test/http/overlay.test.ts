import { rm } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { type DataSetInput, writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { enhancedElements } from '../support/enhancedElements.ts';
import {
  AXIAL,
  FRAME_OF_REFERENCE,
  placedImage,
  type SegmentationFrame,
  segmentationElements,
  type WrittenPlane,
  type WrittenSegmentation,
} from '../support/placedElements.ts';
import { readPng } from '../support/readPng.ts';
import { serve, type TestServer } from '../support/serve.ts';
import { slideElements } from '../support/slideElements.ts';

const SOURCE = '2.25.100';
/** The palette color of segment 1. */
const [RED, GREEN, BLUE] = [225, 60, 60];

type Grid = { readonly rows: number; readonly columns: number; readonly plane: WrittenPlane };

/** Files 0 and 1 are a source image and a segmentation of it. */
function serveOver(source: Grid, segmentation: WrittenSegmentation, different: DataSetInput = {}): Promise<TestServer> {
  return serve(
    writeDicom(placedImage({ uid: SOURCE, ...source })),
    writeDicom(segmentationElements(segmentation, different)),
  );
}

async function readAlpha(server: TestServer, frame = 0, file = 1): Promise<number[]> {
  const response = await server.request(`/api/file/${file}/frame/${frame}/segmentation-overlay`);
  expect(response.status).toBe(200);
  const { channels, pixels } = readPng(await response.bytes());
  expect(channels).toBe(4);
  return [...pixels].filter((_, i) => i % 4 === 3);
}

function patientPoint({ position, orientation, spacing }: WrittenPlane, row: number, column: number): number[] {
  return [0, 1, 2].map(
    (axis) => position[axis]! + orientation[axis]! * column * spacing[1] + orientation[3 + axis]! * row * spacing[0],
  );
}

/** The definition: each source pixel takes the sample whose centre is nearest, if it lies in that sample's square. */
function resampleByDefinition(mask: readonly number[], from: Grid, to: Grid): number[] {
  const result: number[] = [];
  for (let r = 0; r < to.rows; r++) {
    for (let c = 0; c < to.columns; c++) {
      const point = patientPoint(to.plane, r, c);
      let nearest = { distance: Infinity, value: 0 };
      for (let row = 0; row < from.rows; row++) {
        for (let column = 0; column < from.columns; column++) {
          const apart = patientPoint(from.plane, row, column).map((coordinate, axis) => point[axis]! - coordinate);
          const along = apart.reduce((sum, part, axis) => sum + part * from.plane.orientation[axis]!, 0);
          const down = apart.reduce((sum, part, axis) => sum + part * from.plane.orientation[3 + axis]!, 0);
          const isIn = Math.abs(along) <= from.plane.spacing[1] / 2 && Math.abs(down) <= from.plane.spacing[0] / 2;
          const distance = Math.hypot(along, down);
          if (isIn && distance < nearest.distance) nearest = { distance, value: mask[row * from.columns + column]! };
        }
      }
      result.push(nearest.value);
    }
  }
  return result;
}

/** Two unit vectors of a plane that is parallel to no axis. */
const OBLIQUE = [0.8, 0.6, 0, -0.36, 0.48, 0.8];
/** The same plane, with its axes rotated by 30 degrees within it. */
const TURNED = [0, 1, 2, 3, 4, 5].map((i) => {
  const [cosine, sine] = [Math.cos(Math.PI / 6), Math.sin(Math.PI / 6)];
  return i < 3 ? cosine * OBLIQUE[i]! + sine * OBLIQUE[i + 3]! : -sine * OBLIQUE[i - 3]! + cosine * OBLIQUE[i]!;
});

function checkered(rows: number, columns: number): number[] {
  return Array.from({ length: rows * columns }, (_, i) => ((i * 7 + Math.floor(i / columns) * 3) % 3 === 0 ? 1 : 0));
}

describe('a mask is drawn over its source at the defined position', () => {
  const position = [12.5, -40.25, 77];
  test.each<[string, Grid, Grid]>([
    [
      'on the same rotated grid',
      { rows: 7, columns: 9, plane: { position, orientation: OBLIQUE, spacing: [0.7, 0.7] } },
      { rows: 7, columns: 9, plane: { position, orientation: OBLIQUE, spacing: [0.7, 0.7] } },
    ],
    [
      'with other, anisotropic spacings',
      { rows: 11, columns: 13, plane: { position, orientation: OBLIQUE, spacing: [0.9, 0.53] } },
      { rows: 6, columns: 5, plane: { position, orientation: OBLIQUE, spacing: [1.37, 1.61] } },
    ],
    [
      'cropped, beginning inside the source',
      { rows: 12, columns: 10, plane: { ...AXIAL, spacing: [0.5, 0.5] } },
      { rows: 4, columns: 3, plane: { position: [1.5, 2, 0], orientation: AXIAL.orientation, spacing: [0.5, 0.5] } },
    ],
    [
      'mirrored in both directions',
      { rows: 5, columns: 6, plane: AXIAL },
      { rows: 5, columns: 6, plane: { position: [5, 4, 0], orientation: [-1, 0, 0, 0, -1, 0], spacing: [1, 1] } },
    ],
    [
      'turned in the plane of the source',
      { rows: 14, columns: 11, plane: { position, orientation: OBLIQUE, spacing: [0.8, 0.8] } },
      {
        rows: 9,
        columns: 9,
        plane: {
          position: patientPoint({ position, orientation: OBLIQUE, spacing: [0.8, 0.8] }, 1, 6),
          orientation: TURNED,
          spacing: [0.77, 0.93],
        },
      },
    ],
  ])('%s', async (_, source, mask) => {
    const samples = checkered(mask.rows, mask.columns);
    const frame = { samples, plane: mask.plane, source: { uid: SOURCE } };
    const server = await serveOver(source, { ...mask, type: 'BINARY', frames: [frame] });

    const alpha = await readAlpha(server);

    expect(alpha).toEqual(resampleByDefinition(samples, mask, source).map((value) => value * 178));
    expect(alpha).toContain(178);
  });

  test('by geometry alone, with several declared slices', async () => {
    const slices = [0, 2.5, 5].map((z) => ({ ...AXIAL, position: [0, 0, z] }));
    const samples = [0, 1, 1, 0, 0, 1];
    const server = await serve(
      ...slices.map((plane, i) => writeDicom(placedImage({ uid: `2.25.10${i}`, rows: 2, columns: 3, plane }))),
      writeDicom(
        segmentationElements({
          rows: 2,
          columns: 3,
          type: 'BINARY',
          frames: [{ samples, plane: slices[1]! }],
          declared: ['2.25.100', '2.25.101', '2.25.102'],
        }),
      ),
    );

    const { context } = await (await server.request('/api/file/3/semantic-context')).json();

    expect(context.frame_mappings[0]).toMatchObject({
      mapping_method: 'declared_source_geometry',
      mapping_status: 'resolved',
      source_frames: [{ file_index: 1, frame_index: 0, sop_instance_uid: '2.25.101' }],
    });
    expect(await readAlpha(server, 0, 3)).toEqual(samples.map((value) => value * 178));
  });
});

test('frames of one-bit samples can begin in the middle of a byte', async () => {
  // 3 x 3 samples: the second frame begins at bit 9, the third at bit 18.
  const masks = [
    [1, 0, 1, 0, 1, 0, 1, 0, 1],
    [0, 1, 0, 1, 1, 1, 0, 1, 0],
    [1, 1, 1, 0, 0, 0, 0, 1, 1],
  ];
  const frames = masks.map((samples) => ({ samples, plane: AXIAL, source: { uid: SOURCE } }));
  const grid = { rows: 3, columns: 3, plane: AXIAL };
  const server = await serveOver(grid, { ...grid, type: 'BINARY', frames });

  for (const [frame, mask] of masks.entries()) {
    expect(await readAlpha(server, frame)).toEqual(mask.map((value) => value * 178));
  }
});

test('the picture has the size of the source frame and the color of the segment, and is transparent elsewhere', async () => {
  const frame = { samples: [1, 0], plane: AXIAL, source: { uid: SOURCE } };
  const server = await serveOver(
    { rows: 2, columns: 4, plane: AXIAL },
    { rows: 1, columns: 2, type: 'BINARY', frames: [frame] },
  );

  const response = await server.request('/api/file/1/frame/0/segmentation-overlay');

  expect(response.headers.get('content-type')).toBe('image/png');
  const { rows, columns, pixels } = readPng(await response.bytes());
  expect([rows, columns]).toEqual([2, 4]);
  expect([...pixels.subarray(0, 8)]).toEqual([RED, GREEN, BLUE, 178, 0, 0, 0, 0]);
});

function over(samples: readonly number[]): SegmentationFrame {
  return { samples, plane: AXIAL, source: { uid: SOURCE } };
}

describe('the samples of a segmentation', () => {
  const grid = { rows: 1, columns: 6, plane: AXIAL };

  test('that are fractions have an opacity in proportion to them', async () => {
    const server = await serveOver(grid, { ...grid, type: 'FRACTIONAL', frames: [over([0, 1, 64, 128, 200, 255])] });

    // value / 255 * 204 = value * 0.8: 0, 0.8, 51.2, 102.4, 160, 204.
    expect(await readAlpha(server)).toEqual([0, 1, 51, 102, 160, 204]);
  });

  test('that are fractions with another maximum are divided by it', async () => {
    const different = { MaximumFractionalValue: 100 };
    const server = await serveOver(
      grid,
      { ...grid, type: 'FRACTIONAL', frames: [over([0, 25, 50, 75, 100, 120])] },
      different,
    );

    expect(await readAlpha(server)).toEqual([0, 51, 102, 153, 204, 204]);
  });

  test('that are only 0 and 1 are drawn as a mask, whatever the object declares, with a warning', async () => {
    const server = await serveOver(grid, { ...grid, type: 'FRACTIONAL', frames: [over([0, 1, 0, 0, 1, 1])] });

    const { context } = await (await server.request('/api/file/1/semantic-context')).json();

    expect(context.warnings).toEqual(['the object declares fractions but stores only 0 and 1: it is drawn as a mask']);
    expect(await readAlpha(server)).toEqual([0, 178, 0, 0, 178, 178]);
  });

  test('that are labels have the colors of their segments; padding and background are transparent', async () => {
    const segments = [
      {
        SegmentNumber: 0,
        SegmentedPropertyTypeCodeSequence: [
          { CodeValue: '125040', CodingSchemeDesignator: 'DCM', CodeMeaning: 'Background' },
        ],
      },
      { SegmentNumber: 1 },
      // L* 100 without a hue: white.
      { SegmentNumber: 4, RecommendedDisplayCIELabValue: [65535, 32896, 32896] },
    ];
    const different = { SegmentSequence: segments, PixelPaddingValue: 5 };
    const server = await serveOver(grid, { ...grid, type: 'LABELMAP', frames: [over([0, 1, 4, 5, 1, 0])] }, different);

    const { pixels } = readPng(await (await server.request('/api/file/1/frame/0/segmentation-overlay')).bytes());

    const clear = [0, 0, 0, 0];
    const red = [RED, GREEN, BLUE, 178];
    expect([...pixels]).toEqual([clear, red, [255, 255, 255, 178], clear, red, clear].flat());
  });
});

test('several segments of one source frame are separate overlays, each in its color', async () => {
  const frames = [1, 2].map((segmentNumber) => ({
    samples: segmentNumber === 1 ? [1, 0] : [1, 1],
    segmentNumber,
    plane: AXIAL,
    source: { uid: SOURCE },
  }));
  const grid = { rows: 1, columns: 2, plane: AXIAL };
  const server = await serveOver(grid, { ...grid, type: 'BINARY', frames, segmentNumbers: [1, 2] });

  const pictures = [0, 1].map(async (frame) => {
    const response = await server.request(`/api/file/1/frame/${frame}/segmentation-overlay`);
    return [...readPng(await response.bytes()).pixels];
  });

  expect(await Promise.all(pictures)).toEqual([
    [RED, GREEN, BLUE, 178, 0, 0, 0, 0],
    [0, 255, 0, 178, 0, 255, 0, 178],
  ]);
});

test('a frame of a multi-frame source is found by its number, or by its plane if no number is given', async () => {
  const slices = [0, 3, 6].map((z) => ({ position: [0, 0, z] }));
  const source = enhancedElements(slices, {
    SOPInstanceUID: SOURCE,
    FrameOfReferenceUID: FRAME_OF_REFERENCE,
    SharedFunctionalGroupsSequence: [
      {
        PlaneOrientationSequence: [{ ImageOrientationPatient: ['1', '0', '0', '0', '1', '0'] }],
        PixelMeasuresSequence: [{ PixelSpacing: ['1', '1'] }],
      },
    ],
  });
  const at = (z: number, frameNumbers?: readonly number[]): SegmentationFrame => ({
    samples: [1, 0, 0, 1],
    plane: { ...AXIAL, position: [0, 0, z] },
    source: { uid: SOURCE, ...(frameNumbers && { frameNumbers }) },
  });
  const frames = [at(3, [2]), at(6), at(4)];
  const server = await serve(
    writeDicom(source),
    writeDicom(segmentationElements({ rows: 2, columns: 2, type: 'BINARY', frames })),
  );

  const { context } = await (await server.request('/api/file/1/semantic-context')).json();

  const found = context.frame_mappings.map((mapping: { source_frames: { frame_index: number }[] }) =>
    mapping.source_frames.map((frame) => frame.frame_index),
  );
  expect(found).toEqual([[1], [2], []]);
  expect(context.frame_mappings[0].source_frame_numbers).toEqual([2]);
  expect(await readAlpha(server, 1)).toEqual([178, 0, 0, 178]);
});

test('X-Cache reports whether the segmentation frame was decoded before', async () => {
  const frame = { samples: [1, 0], plane: AXIAL, source: { uid: SOURCE } };
  const grid = { rows: 1, columns: 2, plane: AXIAL };
  const server = await serveOver(grid, { ...grid, type: 'BINARY', frames: [frame] });
  const readCache = async () =>
    (await server.request('/api/file/1/frame/0/segmentation-overlay')).headers.get('x-cache');

  expect(await readCache()).toBe('MISS');
  expect(await readCache()).toBe('HIT');
});

async function ask(server: TestServer, path: string) {
  const response = await server.request(path);
  return { status: response.status, code: (await response.json()).code };
}

describe('an overlay is refused', () => {
  const grid = { rows: 2, columns: 2, plane: AXIAL };
  const samples = [1, 0, 0, 1];
  const UNAVAILABLE = { status: 422, code: 'semantic_mapping_unavailable' };

  test.each([
    ['/api/file/x/frame/0/segmentation-overlay', 400, 'invalid_path'],
    ['/api/file/9/frame/0/segmentation-overlay', 404, 'not_found'],
    ['/api/file/0/frame/0/segmentation-overlay', 400, 'bad_request'],
    ['/api/file/1/frame/1/segmentation-overlay', 404, 'frame_out_of_range'],
  ])('%s as %i %s', async (path, status, code) => {
    const server = await serveOver(grid, {
      ...grid,
      type: 'BINARY',
      frames: [{ samples, plane: AXIAL, source: { uid: SOURCE } }],
    });

    expect(await ask(server, path)).toEqual({ status, code });
  });

  test.each<[string, WrittenSegmentation, DataSetInput, string]>([
    [
      'the source is not open',
      { ...grid, type: 'BINARY', frames: [{ samples, plane: AXIAL, source: { uid: '2.25.999' } }] },
      {},
      'not open',
    ],
    [
      'no source is named',
      { ...grid, type: 'BINARY', frames: [{ samples, plane: AXIAL }] },
      {},
      'references no source',
    ],
    [
      'the source has no such frame',
      { ...grid, type: 'BINARY', frames: [{ samples, plane: AXIAL, source: { uid: SOURCE, frameNumbers: [7] } }] },
      {},
      'no frame with that number',
    ],
    [
      'the source is in another plane',
      {
        ...grid,
        type: 'BINARY',
        frames: [{ samples, plane: { ...AXIAL, position: [0, 0, 0.01] }, source: { uid: SOURCE } }],
      },
      {},
      'another plane',
    ],
    [
      'the source has another orientation',
      {
        ...grid,
        type: 'BINARY',
        frames: [{ samples, plane: { ...AXIAL, orientation: [1, 0, 0, 0, 0.999999, 0.001] }, source: { uid: SOURCE } }],
      },
      {},
      'another orientation',
    ],
    [
      'the source has another frame of reference',
      { ...grid, type: 'BINARY', frames: [{ samples, plane: AXIAL, source: { uid: SOURCE } }] },
      { FrameOfReferenceUID: '2.25.77' },
      'another frame of reference',
    ],
    [
      'the frame does not overlap the source',
      {
        ...grid,
        type: 'BINARY',
        frames: [{ samples, plane: { ...AXIAL, position: [50, 0, 0] }, source: { uid: SOURCE } }],
      },
      {},
      'does not overlap',
    ],
    [
      'the frame does not declare its position',
      { ...grid, type: 'BINARY', frames: [{ samples, source: { uid: SOURCE } }] },
      {},
      'the frame of the segmentation has no valid Image Position (Patient) (0020,0032), no valid Image Orientation',
    ],
  ])('if %s, and the context gives the reason', async (_, segmentation, different, reason) => {
    const server = await serveOver(grid, segmentation, different);

    expect(await ask(server, '/api/file/1/frame/0/segmentation-overlay')).toEqual(UNAVAILABLE);
    const { context } = await (await server.request('/api/file/1/semantic-context')).json();
    expect(context.frame_mappings[0]).toMatchObject({
      mapping_status: 'missing',
      mapping_method: null,
      source_frames: [],
    });
    expect(context.frame_mappings[0].mapping_reason).toContain(reason);
    expect(context.overlay).toMatchObject({ eligible: false, source_file_index: null, mapped_source_count: 0 });
  });

  test('if two declared images are in the plane of the frame, because the choice would be a guess', async () => {
    const server = await serve(
      writeDicom(placedImage({ uid: '2.25.101', ...grid })),
      writeDicom(placedImage({ uid: '2.25.102', ...grid })),
      writeDicom(
        segmentationElements({
          ...grid,
          type: 'BINARY',
          frames: [{ samples, plane: AXIAL }],
          declared: ['2.25.101', '2.25.102'],
        }),
      ),
    );

    expect(await ask(server, '/api/file/2/frame/0/segmentation-overlay')).toEqual(UNAVAILABLE);
    const { context } = await (await server.request('/api/file/2/semantic-context')).json();
    expect(context.frame_mappings[0]).toMatchObject({ mapping_status: 'ambiguous' });
    expect(context.frame_mappings[0].source_frames).toHaveLength(2);
  });

  test('if the source is gone', async () => {
    const server = await serveOver(grid, {
      ...grid,
      type: 'BINARY',
      frames: [{ samples, plane: AXIAL, source: { uid: SOURCE } }],
    });
    expect(await readAlpha(server)).toEqual([178, 0, 0, 178]);
    await rm(server.catalog.get(0).path);

    expect(await ask(server, '/api/file/1/frame/0/segmentation-overlay')).toEqual({ status: 404, code: 'file_gone' });
  });
});

test('a radiograph without geometry is covered pixel by pixel, if the object declares that its positions are preserved', async () => {
  const samples = [1, 0, 0, 0, 1, 1];
  const make = (preserved: boolean) =>
    serve(
      writeDicom(placedImage({ uid: SOURCE, rows: 2, columns: 3 })),
      writeDicom(
        segmentationElements({
          rows: 2,
          columns: 3,
          type: 'BINARY',
          frames: [{ samples, source: { uid: SOURCE, preserved } }],
        }),
      ),
    );

  expect(await readAlpha(await make(true))).toEqual(samples.map((value) => value * 178));
  const refused = await (await make(false)).request('/api/file/1/frame/0/segmentation-overlay');
  expect(refused.status).toBe(422);
});

test('tiles of a slide are covered by the tiles at the same position, segment by segment', async () => {
  const slide = {
    FrameOfReferenceUID: FRAME_OF_REFERENCE,
    ImageOrientationSlide: ['0', '-1', '0', '-1', '0', '0'],
    TotalPixelMatrixOriginSequence: [{ XOffsetInSlideCoordinateSystem: '20', YOffsetInSlideCoordinateSystem: '40' }],
    SharedFunctionalGroupsSequence: [{ PixelMeasuresSequence: [{ PixelSpacing: ['0.0005', '0.0005'] }] }],
  };
  // Nine tiles per segment. In the mask of frame n only sample n is set.
  const frames = Array.from({ length: 18 }, (_, frame) => ({
    samples: Array.from({ length: 60 }, (_unused, i) => Number(i === frame)),
  }));
  const segmentation = segmentationElements(
    { rows: 6, columns: 10, type: 'BINARY', frames, declared: [SOURCE], segmentNumbers: [1, 2] },
    {
      ...slide,
      DimensionOrganizationType: 'TILED_FULL',
      TotalPixelMatrixColumns: 25,
      TotalPixelMatrixRows: 14,
      PerFrameFunctionalGroupsSequence: undefined,
    },
  );
  const server = await serve(writeDicom(slideElements({ ...slide, SOPInstanceUID: SOURCE })), writeDicom(segmentation));

  const { context } = await (await server.request('/api/file/1/semantic-context')).json();

  type Mapping = { segment_number: number; source_frames: { frame_index: number }[] };
  const found = context.frame_mappings.map(({ segment_number, source_frames }: Mapping) => [
    segment_number,
    ...source_frames.map(({ frame_index }) => frame_index),
  ]);
  expect(found).toEqual(frames.map((_, frame) => [frame < 9 ? 1 : 2, frame % 9]));
  expect((await readAlpha(server, 13)).indexOf(178)).toBe(13);
});

test('a segmentation over an image without the size of its pixels says what is missing, and where', async () => {
  const frames = [{ samples: [1, 0, 0, 0], plane: AXIAL, source: { uid: SOURCE } }];
  const server = await serve(
    writeDicom(placedImage({ uid: SOURCE, rows: 2, columns: 2, plane: AXIAL }, { PixelSpacing: undefined })),
    writeDicom(segmentationElements({ rows: 2, columns: 2, type: 'BINARY', frames })),
  );

  const layer = await (await server.request('/api/layer/1')).json();

  expect(layer).toMatchObject({ unplaced: [{ reason: 'the source image has no valid Pixel Spacing (0028,0030)' }] });
});
