import { constants, deflateRawSync } from 'node:zlib';
import type { DataSetInput } from '../../../src/server/standard/dicom/dataSetInput.ts';
import { writeDicom } from '../../../src/server/standard/dicom/writeDicom.ts';
import { enhancedElements } from '../../support/enhancedElements.ts';
import { AXIAL, segmentationElements } from '../../support/placedElements.ts';
import { explicit, item, join, part10, sequenceEnd, UNDEFINED } from '../../support/rawElements.ts';
import { slideElements } from '../../support/slideElements.ts';
import { type HostileFile, refused, shown } from '../hostileFile.ts';

const DEFLATED = '1.2.840.10008.1.2.1.99';
const RLE = '1.2.840.10008.1.2.5';
const MIB = 2 ** 20;
const MANY = 400_000_000;
const ONE_BIT = { Rows: 1, Columns: 1, BitsAllocated: 1, BitsStored: 1, HighBit: 0 };
const ONE_BYTE = { Rows: 1, Columns: 1, BitsAllocated: 8, BitsStored: 8, HighBit: 7 };
const IN_A_SERIES = { StudyInstanceUID: '2.25.1', SeriesInstanceUID: '2.25.5', SOPInstanceUID: '2.25.6' };

/**
 * Small files that declare very many frames, segments, tiles or sources. They are deflated and have bytes for millions
 * of them.
 */
export const declaredCounts: readonly HostileFile[] = [
  shown('400 million frames of one bit', () =>
    deflated(enhanced({ ...ONE_BIT, NumberOfFrames: MANY }), zeros(0x7fe00010, 'OB', 8 * MIB)),
  ),
  shown('60 million frames of one byte', () =>
    deflated(enhanced({ ...ONE_BYTE, NumberOfFrames: 60_000_000 }), zeros(0x7fe00010, 'OB', 8 * MIB)),
  ),
  shown('a segmentation of 400 million frames of one bit', () =>
    deflated(segmentation({ ...ONE_BIT, NumberOfFrames: MANY }), zeros(0x7fe00010, 'OB', 8 * MIB)),
  ),
  shown('a segmentation of fractions and 60 million frames', () =>
    deflated(
      segmentation({ ...ONE_BYTE, NumberOfFrames: 60_000_000, SegmentationType: 'FRACTIONAL' }),
      zeros(0x7fe00010, 'OB', 8 * MIB),
    ),
  ),
  shown('a slide of 400 million tiles', () =>
    deflated(
      slideElements({
        ...ONE_BIT,
        NumberOfFrames: MANY,
        TotalPixelMatrixRows: 20_000,
        TotalPixelMatrixColumns: 20_000,
        PixelData: undefined,
      }),
      zeros(0x7fe00010, 'OB', 8 * MIB),
    ),
  ),
  shown('a slide whose matrix has 2^62 samples', () =>
    writeDicom(
      slideElements({ SOPInstanceUID: '2.25.7', TotalPixelMatrixRows: 2 ** 31, TotalPixelMatrixColumns: 2 ** 31 }),
    ),
  ),
  refused('400 million frames of RLE in empty fragments', 'pixel_decode_failed', () => {
    const empty = Buffer.alloc(8 * 5000, item());
    return part10(
      join(
        header(enhanced({ ...ONE_BYTE, NumberOfFrames: MANY })),
        explicit(0x7fe00010, 'OB', join(item(), empty), UNDEFINED),
        sequenceEnd(),
      ),
      RLE,
    );
  }),
  refused('400 million frames of a video', 'unsupported_transfer_syntax', () =>
    part10(
      join(
        header(enhanced({ ...ONE_BYTE, NumberOfFrames: MANY })),
        explicit(0x7fe00010, 'OB', join(item(), item(new Uint8Array(50_000))), UNDEFINED),
        sequenceEnd(),
      ),
      '1.2.840.10008.1.2.4.102',
    ),
  ),
  shown('a segmentation of 200,000 segments', () =>
    deflated(
      segmentation({ SegmentSequence: undefined }),
      repeated(0x00620002, item(join(explicit(0x00620004, 'US', Uint8Array.of(1, 0)))), 200_000),
      PIXELS_OF_SEGMENTATION,
    ),
  ),
  shown('a segmentation whose frames share 100,000 sources', () =>
    deflated(
      segmentation({ NumberOfFrames: 65_536, PixelData: undefined }),
      explicit(0x52009229, 'SQ', item(explicit(0x00089124, 'SQ', item(repeatedSources(100_000))))),
      zeros(0x7fe00010, 'OB', MIB),
    ),
  ),
  shown('an image of a million items for its frames', () =>
    deflated(
      enhanced({ NumberOfFrames: MANY, PerFrameFunctionalGroupsSequence: undefined, PixelData: undefined }),
      repeated(0x52009230, item(), 1_000_000),
      zeros(0x7fe00010, 'OB', 8 * MIB),
    ),
  ),
  shown('16 overlays of 65535 x 65535', () =>
    deflated(
      enhanced({ PerFrameFunctionalGroupsSequence: undefined, PixelData: undefined }),
      ...Array.from({ length: 16 }, (_, plane) => overlay(0x6000 + 2 * plane, 65_535, MIB)),
      zeros(0x7fe00010, 'OB', 8),
    ),
  ),
];

const PIXELS_OF_SEGMENTATION = explicit(0x7fe00010, 'OB', Uint8Array.of(3, 0));

function enhanced(different: DataSetInput): DataSetInput {
  return enhancedElements([{ position: [0, 0, 0] }, { position: [0, 0, 1] }], { ...IN_A_SERIES, ...different });
}

function segmentation(different: DataSetInput): DataSetInput {
  return segmentationElements(
    { rows: 1, columns: 1, type: 'BINARY', frames: [1, 1].map((sample) => ({ samples: [sample], plane: AXIAL })) },
    { ...IN_A_SERIES, ...different },
  );
}

function header(elements: DataSetInput): Uint8Array {
  return writeDicom({ ...elements, PixelData: undefined }, { meta: false });
}

type Part = { readonly length: number; readonly deflated: Uint8Array };

/** The elements, followed by parts that are given as bytes or are already deflated. */
function deflated(elements: DataSetInput, ...parts: readonly (Uint8Array | Part)[]): Uint8Array {
  const pieces = [header(elements), ...parts].map((part) => ('deflated' in part ? part.deflated : flush(part)));
  return part10(join(...pieces, deflateRawSync(new Uint8Array(0))), DEFLATED);
}

function flush(bytes: Uint8Array): Uint8Array {
  return deflateRawSync(bytes, { finishFlush: constants.Z_FULL_FLUSH });
}

/** An element of this many zeros. A block that ends with a full flush can be repeated. */
function zeros(tag: number, vr: string, bytes: number): Part {
  const piece = Math.min(bytes, MIB);
  const blocks = Buffer.alloc(flush(new Uint8Array(piece)).length * (bytes / piece), flush(new Uint8Array(piece)));
  return { length: bytes, deflated: join(flush(explicit(tag, vr, '', bytes)), blocks) };
}

/** A sequence that repeats one item. */
function repeated(tag: number, content: Uint8Array, count: number): Uint8Array {
  return explicit(tag, 'SQ', Buffer.alloc(content.length * count, content));
}

function repeatedSources(count: number): Uint8Array {
  const source = item(join(explicit(0x00081155, 'UI', '2.25.9\0'.padEnd(8, '\0'))));
  return explicit(0x00082112, 'SQ', Buffer.alloc(source.length * count, source));
}

function overlay(group: number, size: number, bytes: number): Uint8Array {
  const tag = (element: number) => group * 0x10000 + element;
  const side = new Uint8Array(Uint16Array.of(size).buffer);
  return join(
    explicit(tag(0x0010), 'US', side),
    explicit(tag(0x0011), 'US', side),
    explicit(tag(0x0040), 'CS', 'G '),
    explicit(tag(0x0050), 'SS', Uint8Array.of(1, 0, 1, 0)),
    explicit(tag(0x0100), 'US', Uint8Array.of(1, 0)),
    explicit(tag(0x0102), 'US', Uint8Array.of(0, 0)),
    explicit(tag(0x3000), 'OW', new Uint8Array(bytes).fill(255)),
  );
}
