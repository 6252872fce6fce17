import { constants, deflateRawSync } from 'node:zlib';
import type { DataSetInput } from '../../../src/server/standard/dicom/dataSetInput.ts';
import { writeDicom } from '../../../src/server/standard/dicom/writeDicom.ts';
import { AXIAL, placedImage, segmentationElements } from '../../support/placedElements.ts';
import { enhancedElements } from '../../support/enhancedElements.ts';
import { explicit, join, part10 } from '../../support/rawElements.ts';
import { documented, type HostileFile, shown } from '../hostileFile.ts';

const DEFLATED = '1.2.840.10008.1.2.1.99';
const MIB = 2 ** 20;
const PIXEL_DATA = 0x7fe00010;
const ENCAPSULATED_DOCUMENT = 0x00420011;
const MESH = { document: 'shown', mesh: 'document_too_large' } as const;
const NARRATIVE = { document: 'shown', narrative: 'document_too_large' } as const;

/**
 * Files of less than 64 KiB that are deflated, and hold as much as takes long to read: meshes and texts of very many
 * parts, frames that are huge and nearly empty, and very many masks in one place.
 */
export const longWork: readonly HostileFile[] = [
  documented('an OBJ of 5 million points', MESH, () => mesh('v 0 0 0\n', 40 * MIB)),
  documented('an OBJ of 24 million comments', MESH, () => mesh('#\n', 48 * MIB)),
  documented('an OBJ of 48 million empty lines', MESH, () => mesh('\n', 48 * MIB)),
  documented('an OBJ of 400,000 triangles', MESH, () => mesh('f 1 1 1\n', 3_200_000, 'v 0 0 0\n')),
  documented('an OBJ of faces of 2,000 corners', MESH, () =>
    mesh(`f${' 1'.repeat(2_000)}\n`, 900_000, `v 0 0 0\n${'# nothing\n'.repeat(3_000_000)}`),
  ),
  documented('an STL of 2 million corners in text', MESH, () => mesh('vertex 0 0 0\n', 26_000_000, 'solid a\n')),
  documented('a CDA table of 190,000 cells', { document: 'shown', narrative: 'shown' }, () =>
    narrative('<td/>', 190_000),
  ),
  documented('a CDA table of 190,000 cells with spans', NARRATIVE, () =>
    narrative('<td rowspan="9" styleCode="b">a</td>', 190_000),
  ),
  documented('a CDA table of 190,000 cells with 8 attributes', NARRATIVE, () =>
    narrative('<td a="1" b="2" c="3" d="4" e="5" f="6" g="7" h="8"/>', 190_000),
  ),
  documented('a CDA text of 3 million references to characters', NARRATIVE, () => narrative('&#65;', 3_000_000)),
  shown('a segmentation of one frame of 224 million bits', () =>
    masks({ rows: 14_000, columns: 16_000, frames: 1 }, sparse(28_000_000)),
  ),
  shown('a segmentation of one frame of 80 million bits', () =>
    masks({ rows: 8_000, columns: 10_000, frames: 1 }, sparse(10_000_000)),
  ),
  shown('a segmentation of one frame of 28 million fractions', () =>
    masks({ rows: 4_000, columns: 7_000, frames: 1, type: 'FRACTIONAL' }, sparse(28_000_000)),
  ),
  shown('a label map of one frame of 28 million labels', () =>
    masks({ rows: 4_000, columns: 7_000, frames: 1, type: 'LABELMAP' }, sparse(28_000_000)),
  ),
  shown('a segmentation of 500 frames in one place', () =>
    masks({ rows: 512, columns: 512, frames: 500 }, new Uint8Array(500 * 32_768).fill(255)),
  ),
  shown('a segmentation of 500 segments in one place', () =>
    masks({ rows: 512, columns: 512, frames: 500, segments: 500 }, new Uint8Array(500 * 32_768).fill(255)),
  ),
  shown('a segmentation of 60 fractions in one place', () =>
    masks({ rows: 512, columns: 512, frames: 60, type: 'FRACTIONAL' }, new Uint8Array(60 * 262_144).fill(255)),
  ),
  shown('a segmentation of 2,000 frames in one place, each of two samples', () =>
    masks({ rows: 64, columns: 64, frames: 2_000, segments: 250 }, cornersOf(2_000, 512)),
  ),
  shown('an image of 60 million pixels of one byte', () => blank({ Rows: 6_000, Columns: 10_000 }, 60_000_000)),
  shown('an image of 30 million pixels of two bytes', () =>
    blank({ Rows: 3_000, Columns: 10_000, BitsAllocated: 16, BitsStored: 16, HighBit: 15 }, 60_000_000),
  ),
  shown('an image of 20 million colors', () =>
    blank(
      { Rows: 2_000, Columns: 10_000, SamplesPerPixel: 3, PhotometricInterpretation: 'RGB', PlanarConfiguration: 0 },
      60_000_000,
    ),
  ),
  shown('a volume of 120 frames of 512 x 512 pixels', () => volume(120, 512)),
];

/** A deflated image of zeros. */
function blank(different: DataSetInput, bytes: number): Uint8Array {
  const elements = placedImage(
    { uid: '2.25.7004', rows: 1, columns: 1, plane: AXIAL },
    { ...different, PixelData: undefined },
  );
  return deflated(elements, explicit(PIXEL_DATA, 'OB', new Uint8Array(bytes)));
}

function volume(frames: number, size: number): Uint8Array {
  const elements = enhancedElements(
    Array.from({ length: frames }, (_, at) => ({ position: [0, 0, at] as const })),
    { SOPInstanceUID: '2.25.7005', Rows: size, Columns: size, NumberOfFrames: frames, PixelData: undefined },
  );
  return deflated(elements, explicit(PIXEL_DATA, 'OW', new Uint8Array(2 * frames * size * size)));
}

function mesh(line: string, bytes: number, before = ''): Uint8Array {
  const start = Buffer.from(before);
  const text = Buffer.concat([start, Buffer.alloc(bytes - (bytes % line.length), line)]);
  const head = { SOPClassUID: '1.2.840.10008.5.1.4.1.1.104.4', SOPInstanceUID: '2.25.7001' };
  return deflated(head, explicit(ENCAPSULATED_DOCUMENT, 'OB', text));
}

function narrative(cell: string, count: number): Uint8Array {
  const head = { SOPClassUID: '1.2.840.10008.5.1.4.1.1.104.2', SOPInstanceUID: '2.25.7002' };
  const [open, close] = ['<table><tr>', '</tr></table>'];
  const xml =
    `<ClinicalDocument><component><structuredBody><component><section><title>S</title><text>${open}` +
    `${cell.repeat(count)}${close}</text></section></component></structuredBody></component></ClinicalDocument>`;
  return deflated(head, explicit(ENCAPSULATED_DOCUMENT, 'OB', Buffer.from(xml)));
}

type Masks = {
  readonly rows: number;
  readonly columns: number;
  readonly frames: number;
  readonly segments?: number;
  readonly type?: 'BINARY' | 'FRACTIONAL' | 'LABELMAP';
};

/** Frames that all lie in the same plane. */
function masks({ rows, columns, frames, segments = 1, type = 'BINARY' }: Masks, pixels: Uint8Array): Uint8Array {
  const numbers = Array.from({ length: segments }, (_, at) => at + 1);
  const frame = (at: number): DataSetInput => ({
    PlanePositionSequence: [{ ImagePositionPatient: ['0', '0', '0'] }],
    SegmentIdentificationSequence: type === 'LABELMAP' ? undefined : [{ ReferencedSegmentNumber: 1 + (at % segments) }],
  });
  const placed = { samples: [], plane: AXIAL };
  const elements = segmentationElements(
    { rows, columns, type, segmentNumbers: numbers, frames: [placed] },
    {
      SOPInstanceUID: '2.25.7003',
      NumberOfFrames: frames,
      SharedFunctionalGroupsSequence: [
        {
          PixelMeasuresSequence: [{ PixelSpacing: ['1', '1'], SliceThickness: '10', SpacingBetweenSlices: '10' }],
          PlaneOrientationSequence: [{ ImageOrientationPatient: ['1', '0', '0', '0', '1', '0'] }],
        },
      ],
      PerFrameFunctionalGroupsSequence: Array.from({ length: frames }, (_, at) => frame(at)),
      PixelData: undefined,
    },
  );
  return deflated(elements, explicit(PIXEL_DATA, 'OB', pixels));
}

/** Zeros, except for the first and last sample. */
function sparse(bytes: number): Uint8Array {
  const samples = new Uint8Array(bytes);
  samples[0] = 1;
  samples[bytes - 1] = 128;
  return samples;
}

/** Frames of this many bytes, each with its first and last bit. */
function cornersOf(frames: number, frameBytes: number): Uint8Array {
  const samples = new Uint8Array(frames * frameBytes);
  for (let frame = 0; frame < frames; frame += 1) {
    samples[frame * frameBytes] = 1;
    samples[(frame + 1) * frameBytes - 1] = 128;
  }
  return samples;
}

function deflated(elements: DataSetInput, last: Uint8Array): Uint8Array {
  const head = writeDicom(elements, { meta: false });
  return part10(deflateRawSync(join(head, last), { level: 9, finishFlush: constants.Z_FINISH }), DEFLATED);
}
