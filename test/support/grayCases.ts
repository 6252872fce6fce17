import type { DataSetInput } from '../../src/server/standard/dicom/writeDicom.ts';

const UID = '1.2.826.0.1.3680043.10.67';
const [ROWS, COLUMNS] = [37, 53];

type GrayCase = { readonly name: string; readonly elements: DataSetInput };

/** 16-bit values from -500 to 1460, each once, in an order without equal neighbors. */
const SIGNED = Int16Array.from({ length: ROWS * COLUMNS }, (_, i) => ((i * 7919) % (ROWS * COLUMNS)) - 500);
const UNSIGNED = Uint16Array.from(SIGNED, (value) => value + 500);

/** Windows with which each case is shown: its own, the whole range of its values, and two given ones. */
export const GRAY_WINDOWS = ['', 'full', '100w250', '-20.5w33.3'];

/** All the ways in which a file determines the appearance of a gray sample. */
export const GRAY_CASES: readonly GrayCase[] = [
  { name: 'signed values with a window', elements: gray({ WindowCenter: '40', WindowWidth: '400' }) },
  { name: 'a window one value wide', elements: gray({ WindowCenter: '40', WindowWidth: '1' }) },
  { name: 'no window', elements: gray({}) },
  { name: 'bytes', elements: bytes({ WindowCenter: '100', WindowWidth: '150' }) },
  { name: 'signed bytes', elements: bytes({ PixelRepresentation: 1, WindowCenter: '-20', WindowWidth: '90' }) },
  {
    name: 'fractions after rescaling',
    elements: gray({ RescaleSlope: '0.37', RescaleIntercept: '-12.5', WindowCenter: '33.3', WindowWidth: '77.7' }),
  },
  {
    name: 'an exact linear window',
    elements: gray({ WindowCenter: '40', WindowWidth: '400', VOILUTFunction: 'LINEAR_EXACT' }),
  },
  { name: 'a sigmoid window', elements: gray({ WindowCenter: '40', WindowWidth: '400', VOILUTFunction: 'SIGMOID' }) },
  {
    name: 'white as the lowest value',
    elements: gray({ PhotometricInterpretation: 'MONOCHROME1', WindowCenter: '40', WindowWidth: '400' }),
  },
  {
    name: 'padding',
    elements: gray({ PixelPaddingValue: -500, PixelPaddingRangeLimit: -300, WindowCenter: '-200', WindowWidth: '900' }),
  },
  {
    name: 'padding, white as the lowest value, no window',
    elements: gray({ PhotometricInterpretation: 'MONOCHROME1', PixelPaddingValue: -500, PixelPaddingRangeLimit: -300 }),
  },
  {
    name: 'a modality lookup table',
    elements: unsigned({
      ModalityLUTSequence: [
        {
          LUTDescriptor: [256, 100, 16],
          ModalityLUTType: 'US',
          LUTData: Uint16Array.from({ length: 256 }, (_, i) => (i * i) % 1000),
        },
      ],
      WindowCenter: '500',
      WindowWidth: '700',
    }),
  },
  {
    name: 'a VOI lookup table',
    elements: unsigned({
      VOILUTSequence: [
        { LUTDescriptor: [512, 200, 8], LUTData: Uint16Array.from({ length: 512 }, (_, i) => (i * 5) % 256) },
      ],
    }),
  },
  {
    name: 'an overlay',
    elements: gray({
      WindowCenter: '40',
      WindowWidth: '400',
      OverlayRows: ROWS,
      OverlayColumns: COLUMNS,
      OverlayType: 'G',
      OverlayOrigin: [1, 1],
      OverlayBitsAllocated: 1,
      OverlayBitPosition: 0,
      OverlayData: Uint8Array.from({ length: Math.ceil((ROWS * COLUMNS) / 16) * 2 }, (_, i) =>
        i % 3 === 0 ? 0x18 : 0,
      ),
    }),
  },
  {
    name: 'a shutter',
    elements: gray({
      WindowCenter: '40',
      WindowWidth: '400',
      ShutterShape: 'RECTANGULAR',
      ShutterLeftVerticalEdge: '5',
      ShutterRightVerticalEdge: '40',
      ShutterUpperHorizontalEdge: '4',
      ShutterLowerHorizontalEdge: '30',
    }),
  },
];

function gray(different: DataSetInput): DataSetInput {
  return {
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.7',
    SOPInstanceUID: `${UID}.1`,
    Modality: 'OT',
    SamplesPerPixel: 1,
    PhotometricInterpretation: 'MONOCHROME2',
    Rows: ROWS,
    Columns: COLUMNS,
    BitsAllocated: 16,
    BitsStored: 16,
    HighBit: 15,
    PixelRepresentation: 1,
    PixelData: SIGNED,
    ...different,
  };
}

function unsigned(different: DataSetInput): DataSetInput {
  return gray({ PixelRepresentation: 0, PixelData: UNSIGNED, ...different });
}

function bytes(different: DataSetInput): DataSetInput {
  const PixelData = Uint8Array.from(UNSIGNED);
  return unsigned({ BitsAllocated: 8, BitsStored: 8, HighBit: 7, PixelData, ...different });
}
