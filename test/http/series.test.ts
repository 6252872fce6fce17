import { get, request } from 'node:http';
import { Value } from 'typebox/value';
import { describe, expect, test } from 'vitest';
import { type WireSeries, SeriesResponse, type WireStack } from '../../src/shared/contract/series.ts';
import type { TagNode } from '../../src/shared/contract/tags.ts';
import { type DataSetInput, writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { corpus } from '../support/corpus.ts';
import { ctElements } from '../support/ctElements.ts';
import { type EnhancedFrame, enhancedElements } from '../support/enhancedElements.ts';
import { serve, serveWith, type TestServer } from '../support/serve.ts';
import { slideElements } from '../support/slideElements.ts';
import { CORPUS, needs } from '../support/needs.ts';

async function readSeries(server: TestServer): Promise<WireSeries[]> {
  const response = await server.request('/api/series');
  const body: unknown = await response.json();
  expect([...Value.Errors(SeriesResponse, body)]).toEqual([]);
  const { series, scan_complete, geometry_complete } = Value.Parse(SeriesResponse, body);
  expect({ scan_complete, geometry_complete }).toEqual({ scan_complete: true, geometry_complete: true });
  for (const stack of series.flatMap(({ stacks }) => stacks)) {
    expect(stack.frames.map(({ virtual_index }) => virtual_index)).toEqual(stack.frames.map((_, at) => at));
  }
  return series;
}

async function readOnlyStack(...objects: readonly DataSetInput[]): Promise<WireStack> {
  const server = await serve(...objects.map((elements) => writeDicom(elements)));
  const stacks = (await readSeries(server)).flatMap((series) => series.stacks);
  expect(stacks).toHaveLength(1);
  return stacks[0]!;
}

/** A CT image at height z. Its instance number is unrelated to the height. */
function ctAt(number: number, z: number, different: DataSetInput = {}): DataSetInput {
  return ctElements({
    SOPInstanceUID: `1.2.826.0.1.3680043.8.498.1.${number}`,
    FrameOfReferenceUID: '1.2.826.0.1.3680043.8.498.4',
    InstanceNumber: number,
    ImagePositionPatient: [-10, 20, z],
    ImageOrientationPatient: [1, 0, 0, 0, 1, 0],
    ...different,
  });
}

test('the images of a series are one stack, sorted by position', async () => {
  const server = await serve(...[ctAt(3, 7.5), ctAt(1, 5), ctAt(2, 10)].map((elements) => writeDicom(elements)));

  expect(await readSeries(server)).toEqual([
    {
      id: '1.2.826.0.1.3680043.8.498.2/1.2.826.0.1.3680043.8.498.3',
      study_instance_uid: '1.2.826.0.1.3680043.8.498.2',
      series_instance_uid: '1.2.826.0.1.3680043.8.498.3',
      frame_of_reference_uids: ['1.2.826.0.1.3680043.8.498.4'],
      stacks: [
        {
          id: '1.2.826.0.1.3680043.8.498.2/1.2.826.0.1.3680043.8.498.3/1.2.826.0.1.3680043.8.498.1.3',
          kind: 'ordinary',
          concatenation_uid: null,
          pyramid_uid: null,
          image_type_role: null,
          total_pixel_matrix_rows: null,
          total_pixel_matrix_columns: null,
          distinction: [],
          warnings: [],
          planes: [
            {
              first: 0,
              count: 3,
              space: 'patient',
              orientation: [1, 0, 0, 0, 1, 0],
              origins_mm: [-10, 20, 5],
              origin_step: [0, 0, 1],
              pixel_spacing_mm: null,
              pixel_spacing_source: null,
            },
          ],
          frames: [
            [1, 1, 5],
            [0, 3, 7.5],
            [2, 2, 10],
          ].map(([file, number, position], at) => ({
            virtual_index: at,
            file_index: file,
            frame_index: 0,
            sop_instance_uid: `1.2.826.0.1.3680043.8.498.1.${number}`,
            instance_number: number,
            position_along_normal_mm: position,
          })),
        },
      ],
    },
  ]);
});

test('series are sorted by study and series UID; objects without both, or without pixels, are in none', async () => {
  const server = await serve(
    writeDicom(ctAt(1, 0, { StudyInstanceUID: '2.2', SeriesInstanceUID: '2.1' })),
    writeDicom(ctAt(2, 0, { StudyInstanceUID: '1.1', SeriesInstanceUID: '2.20' })),
    writeDicom(ctAt(3, 0, { StudyInstanceUID: '1.1', SeriesInstanceUID: '2.10' })),
    writeDicom(ctAt(4, 0, { SeriesInstanceUID: '' })),
    writeDicom(ctAt(5, 0, { StudyInstanceUID: undefined })),
    writeDicom({ ...ctAt(6, 0, { SOPClassUID: '1.2.840.10008.5.1.4.1.1.88.11' }), PixelData: undefined }),
  );
  const series = await readSeries(server);
  expect(
    series.map(({ study_instance_uid, series_instance_uid }) => [study_instance_uid, series_instance_uid]),
  ).toEqual([
    ['1.1', '2.10'],
    ['1.1', '2.20'],
    ['2.2', '2.1'],
  ]);
});

describe('several frames in one file', () => {
  test('the slices of an NM reconstruction stay in file order, and have positions', async () => {
    // PS3.3 C.8.4.15: the slices run against the normal, because their spacing is negative.
    const stack = await readOnlyStack(
      enhancedElements([], {
        SOPClassUID: '1.2.840.10008.5.1.4.1.1.20',
        ImageType: ['ORIGINAL', 'PRIMARY', 'RECON TOMO', 'EMISSION'],
        NumberOfFrames: 3,
        SharedFunctionalGroupsSequence: undefined,
        PerFrameFunctionalGroupsSequence: undefined,
        PixelSpacing: ['4', '4'],
        SpacingBetweenSlices: '-4',
        SliceVector: [1, 2, 3],
        DetectorInformationSequence: [
          { ImagePositionPatient: ['1', '2', '3'], ImageOrientationPatient: ['1', '0', '0', '0', '1', '0'] },
        ],
        PixelData: new Uint8Array(12),
      }),
    );
    expect(stack.frames.map((frame) => [frame.frame_index, frame.position_along_normal_mm])).toEqual([
      [0, null],
      [1, null],
      [2, null],
    ]);
    expect(stack).toMatchObject({
      warnings: [],
      planes: [{ count: 3, origins_mm: [1, 2, 3, 1, 2, -1, 1, 2, -5], origin_step: null, pixel_spacing_mm: [4, 4] }],
    });
  });

  test('frames are sorted by position, then time, however they are stored', async () => {
    // Stored by time, and from the top down within each time. Each position has three times.
    const frames = [3, 1, 2].flatMap((temporalPosition) =>
      [6, 4, 2, 0].map((z): EnhancedFrame => ({ position: [0, 0, z], temporalPosition })),
    );
    const stack = await readOnlyStack(enhancedElements(frames));

    const expected = frames
      .map((frame, index) => ({ index, z: frame.position[2]!, time: frame.temporalPosition! }))
      .toSorted((a, b) => a.z - b.z || a.time - b.time);
    expect(stack.frames.map(({ frame_index }) => frame_index)).toEqual(expected.map(({ index }) => index));
    expect(stack.frames.map((frame) => frame.position_along_normal_mm)).toEqual(expected.map(({ z }) => z));
    expect(stack).toMatchObject({ kind: 'ordinary', warnings: [] });
  });

  test('without a temporal position, frames at one position are sorted by the dimension index', async () => {
    const frames = [3, 1, 2].map((echo): EnhancedFrame => ({ position: [0, 0, 5], dimensions: [1, 7, echo] }));
    const stack = await readOnlyStack(enhancedElements(frames));
    expect(stack.frames.map(({ frame_index }) => frame_index)).toEqual([1, 2, 0]);
    expect(stack.warnings).toEqual([]);
  });

  test('frames at one position that nothing distinguishes are duplicates', async () => {
    const frames = [0, 1, 1, 2].map((z): EnhancedFrame => ({ position: [0, 0, z] }));
    const stack = await readOnlyStack(enhancedElements(frames));
    expect(stack.warnings).toEqual([
      { code: 'duplicate_positions', message: '2 frames have the position of another one', file_indices: [0] },
    ]);
  });

  test('oblique and flipped planes are sorted along their own normal', async () => {
    // Rows along -x, columns between y and z at 36.87 degrees: (-1,0,0) x (0,0.8,0.6) = (0, 0.6, -0.8).
    const orientation = [-1, 0, 0, 0, 0.8, 0.6];
    const steps = [2, -1, 0.5, 4];
    const frames = steps.map((step) => ({ position: [9, 0.6 * step, -0.8 * step], orientation }));
    const stack = await readOnlyStack(enhancedElements(frames));
    expect(stack.frames.map(({ frame_index }) => frame_index)).toEqual([1, 2, 0, 3]);
    for (const [at, step] of [-1, 0.5, 2, 4].entries()) {
      expect(stack.frames[at]?.position_along_normal_mm).toBeCloseTo(step, 6);
    }
  });

  test('frames of several orientations are grouped by orientation, and reported', async () => {
    const sagittal = [0, 1, 0, 0, 0, -1];
    const frames = [
      { position: [0, 0, 5] },
      { position: [3, 0, 0], orientation: sagittal },
      { position: [0, 0, 4] },
      { position: [1, 0, 0], orientation: sagittal },
    ];
    const stack = await readOnlyStack(enhancedElements(frames));
    // The normal of (0,1,0) and (0,0,-1) is (-1,0,0): x = 3 comes before x = 1.
    expect(stack.frames.map(({ frame_index }) => frame_index)).toEqual([2, 0, 1, 3]);
    expect(stack.frames.map((frame) => frame.position_along_normal_mm)).toEqual([4, 5, -3, -1]);
    expect(stack.warnings.map(({ code }) => code)).toEqual(['inconsistent_orientation']);
  });

  test('multi-frame files are distinguished by the traits that all their frames share', async () => {
    const first = { position: [0, 0, 0] };
    const second = { position: [0, 0, 1] };
    const files: readonly (readonly EnhancedFrame[])[] = [
      [first, second].map((frame) => ({ ...frame, bValue: 0, echoTimeMs: 61.5 })),
      [first, second].map((frame) => ({ ...frame, bValue: 800, echoTimeMs: 61.5 })),
      [first, second].map((frame, at) => ({ ...frame, bValue: 800 * at, echoTimeMs: 92 })),
      // Six values are too many to list: their range is given.
      [0, 1, 2, 3, 4, 5].map((at) => ({ ...first, bValue: 1000 - 200 * at, temporalPosition: at + 1 })),
      [first, second].map((frame) => ({ ...frame, orientation: [0, 1, 0, 0, 0, -1] })),
    ];
    const server = await serve(
      ...files.map((frames, i) =>
        writeDicom(enhancedElements(frames, { SOPInstanceUID: `1.2.826.0.1.3680043.8.498.6${i}` })),
      ),
    );
    const stacks = (await readSeries(server)).flatMap((series) => series.stacks);

    expect(stacks.map(({ distinction }) => distinction.map(({ name, value }) => `${name} ${value}`))).toEqual([
      ['orientation axial', 'echo 61.5 ms', 'b_value 0'],
      ['orientation axial', 'echo 61.5 ms', 'b_value 800'],
      ['orientation axial', 'echo 92 ms', 'b_value 0, 800'],
      ['orientation axial', 'b_value 0 to 1000', 'phase 1 to 6'],
      ['orientation sagittal'],
    ]);
  });

  test('a cine stays in stored order and has no positions', async () => {
    const stack = await readOnlyStack(ctAt(1, 5, { NumberOfFrames: 3, PixelData: new Uint16Array(18) }));
    expect(stack.frames.map(({ frame_index }) => frame_index)).toEqual([0, 1, 2]);
    expect(stack.frames.map((frame) => frame.position_along_normal_mm)).toEqual([null, null, null]);
    expect(stack.warnings).toEqual([]);
  });

  test('the planes of a dose grid are along the normal from its origin', async () => {
    const dose = {
      SOPClassUID: '1.2.840.10008.5.1.4.1.1.481.2',
      NumberOfFrames: 3,
      PixelData: new Uint16Array(18),
      // Columns run towards -y: the normal is (0,0,-1), and the grid goes down from z = 40.
      ImageOrientationPatient: [1, 0, 0, 0, -1, 0],
      GridFrameOffsetVector: ['0', '6', '3'],
    };
    const stack = await readOnlyStack(ctAt(1, 40, dose));
    expect(stack.frames.map(({ frame_index }) => frame_index)).toEqual([0, 2, 1]);
    // -1 * (40 - offset).
    expect(stack.frames.map((frame) => frame.position_along_normal_mm)).toEqual([-40, -37, -34]);
    expect(stack.warnings).toEqual([]);
  });

  test('parts of a concatenation are one stack, and a missing part is reported', async () => {
    const stack = await readOnlyStack(part(2, 2, [3, 4]), part(1, 0, [1, 2]));
    expect(stack).toMatchObject({ kind: 'concatenation', concatenation_uid: '1.2.826.0.1.3680043.8.498.59' });
    expect(stack.frames.map(({ file_index, frame_index }) => [file_index, frame_index])).toEqual([
      [1, 0],
      [1, 1],
      [0, 0],
      [0, 1],
    ]);
    expect(stack.frames.map((frame) => frame.position_along_normal_mm)).toEqual([1, 2, 3, 4]);
    expect(stack.warnings).toMatchObject([{ code: 'incomplete_concatenation', file_indices: [0, 1] }]);
  });
});

test('levels and companions of a slide have their own stacks', async () => {
  const server = await serve(
    writeDicom(slideElements({ PyramidUID: '1.2.826.1' })),
    writeDicom(
      slideElements({
        SOPInstanceUID: '1.2.826.2',
        ImageType: ['ORIGINAL', 'PRIMARY', 'LABEL', 'NONE'],
        NumberOfFrames: 1,
        TotalPixelMatrixRows: 6,
        TotalPixelMatrixColumns: 10,
      }),
    ),
  );
  const [series] = await readSeries(server);
  expect(series?.stacks).toMatchObject([
    {
      kind: 'wsi_pyramid_level',
      pyramid_uid: '1.2.826.1',
      image_type_role: 'VOLUME',
      total_pixel_matrix_rows: 14,
      total_pixel_matrix_columns: 25,
      warnings: [],
    },
    { kind: 'wsi_companion', pyramid_uid: null, image_type_role: 'LABEL', total_pixel_matrix_rows: 6 },
  ]);
  expect(series?.stacks.map(({ frames }) => frames.length)).toEqual([9, 1]);
});

/** An endless response, with a count of how often it was cancelled. */
function createEndlessAnswers() {
  const seen = { dropped: 0 };
  async function* writeEndlessly() {
    try {
      for (;;) {
        await new Promise((resume) => setImmediate(resume));
        yield crypto.getRandomValues(new Uint8Array(65_536));
      }
    } finally {
      seen.dropped += 1;
    }
  }
  const write = async () => writeEndlessly();
  const noStacks = {
    findStack: () => Promise.resolve(undefined),
    findJointStack: () => Promise.resolve(undefined),
    findKeyFrames: () => Promise.resolve(undefined),
    inspect: noSeries,
    version: () => '',
  };
  return {
    seen,
    series: {
      read: async () => ({ key: 'endless', write }),
      ...noStacks,
      stop: () => undefined,
      close: () => Promise.resolve(),
    },
  };
}

test.each(['identity', 'gzip'])('work that no client waits for is aborted, sent as %s', async (encoding) => {
  const { seen, series } = createEndlessAnswers();
  const { baseUrl } = await serveWith({ scans: false, domains: { series } });
  const headers = { 'Accept-Encoding': encoding };

  get(`${baseUrl}/api/series`, { headers }, (response) => response.once('data', () => response.destroy()));
  await expect.poll(() => seen.dropped).toBe(1);
  request(`${baseUrl}/api/series`, { method: 'HEAD', headers }, (response) => response.resume()).end();
  await expect.poll(() => seen.dropped).toBe(2);
});

async function* writeOnePiece(body: object) {
  yield new TextEncoder().encode(JSON.stringify(body));
}

test('a list that does not change is written once for each encoding, and again when it changes', async () => {
  let key: string | undefined = 'first';
  let written = 0;
  const write = async () => {
    written += 1;
    return writeOnePiece({ key, text: 'series '.repeat(1_000) });
  };
  const noStacks = {
    findStack: () => Promise.resolve(undefined),
    findJointStack: () => Promise.resolve(undefined),
    findKeyFrames: () => Promise.resolve(undefined),
    inspect: noSeries,
    version: () => '',
  };
  const series = { ...noStacks, read: async () => ({ key, write }), stop: () => {}, close: async () => {} };
  const { baseUrl } = await serveWith({ scans: false, domains: { series } });
  const ask = async (encoding: string) => {
    const response = await fetch(`${baseUrl}/api/series`, { headers: { 'Accept-Encoding': encoding } });
    const { headers } = response;
    return [(await response.json()).key, headers.get('content-encoding'), headers.get('vary'), written];
  };

  expect(await ask('gzip')).toEqual(['first', 'gzip', 'Accept-Encoding', 1]);
  expect(await ask('gzip')).toEqual(['first', 'gzip', 'Accept-Encoding', 1]);
  expect(await ask('identity')).toEqual(['first', null, 'Accept-Encoding', 2]);
  expect(await ask('identity')).toEqual(['first', null, 'Accept-Encoding', 2]);
  key = 'second';
  expect(await ask('gzip')).toEqual(['second', 'gzip', 'Accept-Encoding', 3]);
  key = undefined;
  expect(await ask('gzip')).toEqual([undefined, 'gzip', 'Accept-Encoding', 4]);
  expect(await ask('gzip')).toEqual([undefined, 'gzip', 'Accept-Encoding', 5]);
});

describe('real series', needs(CORPUS), () => {
  // Order and warnings were derived by hand from positions and orientations that another tool prints.
  test.each([
    ['series/ct-head-small', [93], [[]]],
    ['series/ct-tilt-irregular-ge', [28], [['nonuniform_spacing', 'gantry_tilt']]],
    ['series/ct-duplicate-positions', [11], [['missing_positions', 'duplicate_positions', 'nonuniform_spacing']]],
    ['series/broken-volumes/sliceincrement', [4], [['nonuniform_spacing']]],
    ['series/broken-volumes/slicecount', [2], [[]]],
    // Positions are rounded to tenths of a millimetre: the gaps are 6.96 to 7.07 mm, which differ by more than 1 %.
    ['series/mr-brain', [20], [['nonuniform_spacing']]],
    ['series/mr-multi-echo', [3, 2, 2], [['missing_positions', 'nonuniform_spacing'], [], []]],
    ['multiframe/enhanced-mr/IM-0001-0170-0001.dcm', [8], [[]]],
    ['multiframe/enhanced-mr/IM-0001-3835-0001.dcm', [32], [[]]],
    ['multiframe/enhanced-sc', [7], [[]]],
  ])('%s is sorted by its projected positions', async (folder, lengths, codes) => {
    const server = await serve(`${corpus}/${folder}`);
    const stacks = (await readSeries(server)).flatMap((series) => series.stacks);

    expect(stacks.map(({ frames }) => frames.length)).toEqual(lengths);
    expect(stacks.map(({ warnings }) => warnings.map(({ code }) => code))).toEqual(codes);
    for (const { frames } of stacks) {
      const projected = [];
      for (const { file_index, frame_index } of frames) projected.push(await project(server, file_index, frame_index));
      for (const [at, position] of projected.entries()) {
        expect(frames[at]?.position_along_normal_mm).toBeCloseTo(position, 4);
        expect(position).toBeGreaterThan((projected[at - 1] ?? -Infinity) - 1e-6);
      }
    }
  });
});

/** One of three parts of an enhanced image. */
function part(number: number, offset: number, heights: readonly number[]): DataSetInput {
  return enhancedElements(
    heights.map((z) => ({ position: [0, 0, z] })),
    {
      SOPInstanceUID: `1.2.826.0.1.3680043.8.498.50.${number}`,
      ConcatenationUID: '1.2.826.0.1.3680043.8.498.59',
      InConcatenationNumber: number,
      InConcatenationTotalNumber: 3,
      ConcatenationFrameOffsetNumber: offset,
    },
  );
}

/** The numbers of one element, as the tags endpoint reports them. */
async function readNumbers(server: TestServer, file: number, path: string): Promise<number[] | undefined> {
  const response = await server.request(`/api/file/${file}/tags/select?path=${path}`);
  if (response.status !== 200) return undefined;
  const { value }: TagNode = await response.json();
  return value.type === 'numbers' ? value.value.map(Number) : undefined;
}

/** Position of a frame along row cross column, by the definition in PS3.3 C.7.6.2.1.1. */
async function project(server: TestServer, file: number, frame: number): Promise<number> {
  const findNumbers = async (group: string, element: string) =>
    (await readNumbers(server, file, `(5200,9230)/${frame}/${group}/0/${element}`)) ??
    (await readNumbers(server, file, `(5200,9229)/0/${group}/0/${element}`)) ??
    (await readNumbers(server, file, element)) ??
    [];
  const [x = NaN, y = NaN, z = NaN] = await findNumbers('(0020,9113)', '(0020,0032)');
  const orientation = await findNumbers('(0020,9116)', '(0020,0037)');
  const [a = NaN, b = NaN, c = NaN, d = NaN, e = NaN, f = NaN] = orientation;
  const normal = [b * f - c * e, c * d - a * f, a * e - b * d] as const;
  return (normal[0] * x + normal[1] * y + normal[2] * z) / Math.hypot(...normal);
}

async function* noSeries(): AsyncGenerator<never, void> {}
