import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { FilesResponse } from '../../src/shared/contract/files.ts';
import type { LayerResponse } from '../../src/shared/contract/layerAnswers.ts';
import { decodeMasks } from '../../src/shared/maskLayers.ts';
import { type DataSetInput, writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { corpus } from '../support/corpus.ts';
import { CORPUS, needs } from '../support/needs.ts';
import { segmentationElements } from '../support/placedElements.ts';
import { serveShared, type SharedServer } from '../support/serve.ts';
import { placeLevel, slideElements } from '../support/slideElements.ts';

type RecordedMasks = {
  readonly path: string;
  readonly slide: string;
  readonly rows: number;
  readonly columns: number;
  /** The pixels of each mask, counted row by row. */
  readonly segments: readonly (readonly [number: number, pixels: readonly number[]])[];
};

const RECORDED: readonly RecordedMasks[] = JSON.parse(
  readFileSync(new URL('slideMasks.json', import.meta.url), 'utf8'),
);

async function open(server: SharedServer) {
  const { files }: FilesResponse = await (await server.request('/api/files')).json();
  const slide = files.find(({ modality }) => modality === 'SM')!;
  const layer = files.find(({ modality }) => modality === 'SEG')!.index;
  const description: LayerResponse = await (await server.request(`/api/layer/${layer}`)).json();
  /** Pixels of the masks in a part of the slide as `segment row column`, in order. */
  const masks = async (part: { x: number; y: number; width: number; height: number }) => {
    const query = new URLSearchParams(Object.entries(part).map(([name, value]) => [name, String(value)]));
    const response = await server.request(`/api/layer/${layer}/region?file=${slide.index}&${query}`);
    const found: string[] = [];
    for (const { segment, top, left, columns, samples } of decodeMasks(await response.arrayBuffer()).layers) {
      for (const [at, value] of samples.entries()) {
        if (value > 0)
          found.push(`${segment} ${part.y + top + Math.floor(at / columns)} ${part.x + left + (at % columns)}`);
      }
    }
    return found.toSorted();
  };
  return { slide, description, masks };
}

describe('masks of real slides', needs(CORPUS), () => {
  test.each(RECORDED)('lie where highdicom places them: $path', async ({ path, slide, columns, segments }) => {
    const server = await serveShared(`${corpus}/${slide}`, `${corpus}/${path}`);
    const { slide: opened, description, masks } = await open(server);
    expect(description.placement.status).toBe('direct');
    expect(description.targets).toEqual([{ file_index: opened.index, frame_indices: [0] }]);
    const part = { x: 10, y: 20, width: 40, height: 30 };
    const expected = segments.flatMap(([segment, pixels]) =>
      pixels.flatMap((pixel) => {
        const [row, column] = [Math.floor(pixel / columns), pixel % columns];
        return row >= 20 && column >= 10 ? [`${segment} ${row} ${column}`] : [];
      }),
    );
    expect(expected.length).toBeGreaterThan(20);
    expect(await masks(part)).toEqual(expected.toSorted());
  });

  test('are compared with nothing, and the answer says why', async () => {
    const { path, slide } = RECORDED[0]!;
    const server = await serveShared(`${corpus}/${slide}`, `${corpus}/${path}`);
    const { files }: FilesResponse = await (await server.request('/api/files')).json();
    const layer = files.find(({ modality }) => modality === 'SEG')!.index;
    const response = await server.request(`/api/compare?truth=${layer}&test=marks`);
    const { code, error } = await response.json();
    expect([response.status, code]).toEqual([422, 'volume_unavailable']);
    expect(error).toMatch(/lies over a slide, and nothing is compared there: tiles are no slices of a volume/);
  });

  test('whose offsets and origin are wrong say so', async () => {
    const { path, slide } = RECORDED[0]!;
    const { description } = await open(await serveShared(`${corpus}/${slide}`, `${corpus}/${path}`));
    const messages = description.warnings.map(({ message }) => message);
    expect(messages).toEqual([
      expect.stringMatching(/^the offsets of \d+ tiles on the slide differ .* rows and columns are used/),
      // 0.000499 mm in x and y, which is the size of a pixel.
      expect.stringMatching(/^the declared origin is 1 pixel away from that of the slide/),
    ]);
  });
});

const SPACE = '2.25.900';
/** 25 x 14 pixels of 0.5 mm; the middle of the first one is at (20, 10) mm. */
const SLIDE = slideElements({ FrameOfReferenceUID: SPACE, ...placeLevel(20, 10, '0.5') });
const SLIDE_UID = '1.2.826.0.1.3680043.8.498.70';

type Tile = {
  /** Counted from 1, as declared. */
  readonly column: number;
  readonly row: number;
  readonly offsetMm: readonly [x: number, y: number];
};

/** A segmentation of tiles of 2 x 2 samples that are all set. */
function sparse(tiles: readonly Tile[], matrix: DataSetInput, declared: readonly string[] = []): DataSetInput {
  const frames = tiles.map(() => ({ samples: [1, 1, 1, 1] }));
  return segmentationElements(
    { rows: 2, columns: 2, type: 'BINARY', frames, declared },
    {
      FrameOfReferenceUID: SPACE,
      DimensionOrganizationType: 'TILED_SPARSE',
      ...matrix,
      PerFrameFunctionalGroupsSequence: tiles.map(({ column, row, offsetMm: [x, y] }) => ({
        SegmentIdentificationSequence: [{ ReferencedSegmentNumber: 1 }],
        PlanePositionSlideSequence: [
          {
            ColumnPositionInTotalImagePixelMatrix: column,
            RowPositionInTotalImagePixelMatrix: row,
            XOffsetInSlideCoordinateSystem: String(x),
            YOffsetInSlideCoordinateSystem: String(y),
          },
        ],
      })),
    },
  );
}

const ALL = { x: 0, y: 0, width: 25, height: 14 };
const matrixOf = (columns: number, rows: number): DataSetInput => ({
  TotalPixelMatrixColumns: columns,
  TotalPixelMatrixRows: rows,
});

/** Two rows of two pixels, or more. */
function square(row: number, column: number, size = 2): string[] {
  const sides = Array.from({ length: size }, (_, at) => at);
  return sides.flatMap((down) => sides.map((across) => `1 ${row + down} ${column + across}`)).toSorted();
}

describe('tiles of a sparse segmentation', () => {
  test('lie by rows and columns over a slide with the same matrix, whatever their offsets', async () => {
    // Row 5, column 11, counted from 1; the offset is that of row 9, column 3: (20 + 2 * 0.5, 10 + 8 * 0.5).
    const wrong = sparse([{ column: 11, row: 5, offsetMm: [21, 14] }], {
      ...placeLevel(20, 10, '0.5'),
      ...matrixOf(25, 14),
    });
    const { description, masks } = await open(await serveShared(writeDicom(SLIDE), writeDicom(wrong)));
    expect(await masks(ALL)).toEqual(square(4, 10));
    expect(description.placement).toMatchObject({
      status: 'direct',
      reason: 'the slide has the same frame of reference and the same total pixel matrix',
    });
    expect(description.warnings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^the offset of 1 tile on the slide .* rows and columns are used/),
    ]);
  });

  test('lie by offsets over a slide with another matrix, and a contradiction is told', async () => {
    // The matrix of a part of the slide that begins at column 4 and row 2: (20 + 2, 10 + 1) mm.
    const part = { ...placeLevel(22, 11, '0.5'), ...matrixOf(10, 10) };
    const right = sparse([{ column: 3, row: 5, offsetMm: [23, 13] }], part);
    const good = await open(await serveShared(writeDicom(SLIDE), writeDicom(right)));
    expect(await good.masks(ALL)).toEqual(square(6, 6));
    expect(good.description.warnings).toEqual([]);

    const wrong = sparse([{ column: 3, row: 5, offsetMm: [24, 14] }], part);
    const bad = await open(await serveShared(writeDicom(SLIDE), writeDicom(wrong)));
    expect(await bad.masks(ALL)).toEqual(square(8, 8));
    expect(bad.description.warnings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/the offsets are used, because no open slide has the same total pixel matrix$/),
    ]);
  });

  test('of another place lie there, although the sizes of the matrices are equal, unless they name the slide', async () => {
    // It begins 4 columns to the right, so that its first pixel is that of column 4.
    const moved = { ...placeLevel(22, 10, '0.5'), ...matrixOf(25, 14) };
    const tile = { column: 1, row: 1, offsetMm: [22, 10] } as const;
    const elsewhere = await open(await serveShared(writeDicom(SLIDE), writeDicom(sparse([tile], moved))));
    expect(await elsewhere.masks(ALL)).toEqual(square(0, 4));
    const named = sparse([tile], moved, [SLIDE_UID]);
    const { description, masks } = await open(await serveShared(writeDicom(SLIDE), writeDicom(named)));
    expect(await masks(ALL)).toEqual(square(0, 0));
    expect(description.warnings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^the declared origin is 4 pixels away/),
    ]);
  });

  test.each([
    // The middle of the first sample, which has 2 x 2 pixels, or that of the first pixel.
    ['the middle of its own first sample', 20.25, 10.25],
    ['the middle of the first pixel of the slide', 20, 10],
  ])('of half the resolution begin at the corner of the slide, if its origin is %s', async (_, x, y) => {
    // Half of 26 x 14 pixels. Row 2, column 3: pixels of rows 2 to 5 and columns 4 to 7.
    const even = slideElements({
      FrameOfReferenceUID: SPACE,
      ...placeLevel(20, 10, '0.5'),
      TotalPixelMatrixColumns: 26,
    });
    const coarse = sparse([{ column: 3, row: 2, offsetMm: [x + 2, y + 1] }], {
      ...placeLevel(x, y, '1'),
      ...matrixOf(13, 7),
    });
    const { description, masks } = await open(await serveShared(writeDicom(even), writeDicom(coarse)));
    expect(await masks({ ...ALL, width: 26 })).toEqual(square(2, 4, 4));
    expect(description.warnings).toEqual([]);
  });

  test('without offsets lie by rows and columns from the origin of their matrix', async () => {
    const written = sparse([{ column: 3, row: 5, offsetMm: [0, 0] }], {
      ...placeLevel(22, 11, '0.5'),
      ...matrixOf(10, 10),
    });
    const without = {
      ...written,
      PerFrameFunctionalGroupsSequence: [
        {
          SegmentIdentificationSequence: [{ ReferencedSegmentNumber: 1 }],
          PlanePositionSlideSequence: [
            { ColumnPositionInTotalImagePixelMatrix: 3, RowPositionInTotalImagePixelMatrix: 5 },
          ],
        },
      ],
    };
    const { masks } = await open(await serveShared(writeDicom(SLIDE), writeDicom(without)));
    expect(await masks(ALL)).toEqual(square(6, 6));
  });
});
