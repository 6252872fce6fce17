import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DataSetInput } from '../../src/server/standard/dicom/dataSetInput.ts';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { ctElements } from '../support/ctElements.ts';
import { encodeRle } from '../support/encodeRle.ts';
import { enhancedElements } from '../support/enhancedElements.ts';
import { colorRow, ctRow } from '../support/imageElements.ts';
import { AXIAL, placedImage, segmentationElements } from '../support/placedElements.ts';
import { blendingElements, keyObjectElements, named, stateElements } from '../support/presentationElements.ts';
import { slideElements } from '../support/slideElements.ts';
import { SYNTHETIC_COLUMNS, SYNTHETIC_ROWS, syntheticImage } from '../support/syntheticImage.ts';

const SYNTAXES = ['1.2.840.10008.1.2', '1.2.840.10008.1.2.1', '1.2.840.10008.1.2.2', '1.2.840.10008.1.2.1.99'];
const RLE = '1.2.840.10008.1.2.5';

/** Transfer syntaxes of streams, by the prefix of the stream's name. */
const STREAM_SYNTAXES = [
  ['htj2k-lossless', '1.2.840.10008.1.2.4.201'],
  ['htj2k-lossy', '1.2.840.10008.1.2.4.203'],
  ['j2k-lossless', '1.2.840.10008.1.2.4.90'],
  ['j2k-lossy', '1.2.840.10008.1.2.4.91'],
  ['jpeg-baseline', '1.2.840.10008.1.2.4.50'],
  ['jpeg-extended', '1.2.840.10008.1.2.4.51'],
  ['jpeg-lossless-sv1', '1.2.840.10008.1.2.4.70'],
  ['jpeg-lossless', '1.2.840.10008.1.2.4.57'],
  ['jpegls-lossless', '1.2.840.10008.1.2.4.80'],
  ['jpegls-near', '1.2.840.10008.1.2.4.81'],
  ['jxl-lossless', '1.2.840.10008.1.2.4.110'],
  ['jxl-recompressed', '1.2.840.10008.1.2.4.111'],
  ['jxl-lossy', '1.2.840.10008.1.2.4.112'],
] as const;

export type GeneratedFile = { readonly name: string; readonly bytes: Uint8Array };

/** One file of every kind that the server handles differently, in every encoding that the writer supports. */
export function* generatedFiles(streams: string): Generator<GeneratedFile> {
  for (const transferSyntaxUid of SYNTAXES) {
    for (const sequenceLength of ['defined', 'undefined'] as const) {
      for (const [name, elements] of Object.entries(objects())) {
        const bytes = writeDicom(elements, { transferSyntaxUid, sequenceLength });
        yield { name: `${name} ${transferSyntaxUid} ${sequenceLength}`, bytes };
      }
    }
  }
  yield { name: 'rle', bytes: writeRle() };
  for (const name of readdirSync(streams).toSorted()) {
    const syntax = STREAM_SYNTAXES.find(([prefix]) => name.startsWith(prefix))?.[1];
    if (syntax !== undefined) yield { name, bytes: writeStream(join(streams, name), name, syntax) };
  }
}

function objects(): Record<string, DataSetInput> {
  return {
    ct: ctElements(),
    ctRow: ctRow(),
    color: colorRow(),
    palette: colorRow({
      SamplesPerPixel: 1,
      PhotometricInterpretation: 'PALETTE COLOR',
      ...lookupTable('Red'),
      ...lookupTable('Green'),
      ...lookupTable('Blue'),
    }),
    overlay: ctRow({ OverlayRows: 1, OverlayColumns: 3, OverlayOrigin: [1, 1], OverlayData: Uint8Array.of(5, 0) }),
    lookUp: ctRow({ VOILUTSequence: [{ LUTDescriptor: [4, 0, 8], LUTData: Uint16Array.of(0, 80, 160, 255) }] }),
    enhanced: enhancedElements([0, 2, 4].map((z) => ({ position: [0, 0, z] }))),
    slide: slideElements(),
    placed: placedImage({ uid: '2.25.7', rows: 2, columns: 2, plane: AXIAL }),
    segmentation: segmentationElements({
      rows: 2,
      columns: 2,
      type: 'BINARY',
      frames: [{ samples: [0, 1, 1, 0], source: { uid: '2.25.7', preserved: true }, plane: AXIAL }],
    }),
    state: stateElements([named('2.25.1'), named('2.25.2', 1, 3)], {
      ...STATE_LOOK,
      ModalityLUTSequence: [TABLE],
      PresentationLUTSequence: [TABLE],
      PresentationLUTShape: undefined,
    }),
    blending: blendingElements(
      [
        { position: 'UNDERLYING', images: [named('2.25.1')], elements: { ModalityLUTSequence: [TABLE] } },
        { position: 'SUPERIMPOSED', images: [named('2.25.2')], elements: { SoftcopyVOILUTSequence: [VOI] } },
      ],
      { RelativeOpacity: 0.5, ...lookupTable('Red'), ...lookupTable('Green'), ...lookupTable('Blue') },
    ),
    keyObjects: keyObjectElements([named('2.25.1'), named('2.25.2', 2)]),
    labelMap: segmentationElements({ rows: 2, columns: 2, type: 'LABELMAP', frames: [{ samples: [0, 1, 1, 0] }] }),
  };
}

const TABLE: DataSetInput = { LUTDescriptor: [4, 0, 8], LUTData: Uint16Array.of(0, 80, 160, 255) };
const VOI: DataSetInput = {
  VOILUTSequence: [TABLE],
  WindowCenter: '40',
  WindowWidth: '400',
  VOILUTFunction: 'SIGMOID',
};

/** What a state may say besides its tables. */
const STATE_LOOK: DataSetInput = {
  SoftcopyVOILUTSequence: [{ ReferencedImageSequence: [named('2.25.1')], ...VOI }],
  ShutterShape: ['RECTANGULAR', 'CIRCULAR', 'POLYGONAL'],
  ShutterLeftVerticalEdge: '1',
  ShutterRightVerticalEdge: '2',
  ShutterUpperHorizontalEdge: '1',
  ShutterLowerHorizontalEdge: '2',
  CenterOfCircularShutter: ['1', '2'],
  RadiusOfCircularShutter: '2',
  VerticesOfThePolygonalShutter: ['1', '1', '1', '3', '3', '3'],
  ShutterPresentationColorCIELabValue: [35579, 53664, 50858],
  DisplayedAreaSelectionSequence: [
    {
      DisplayedAreaTopLeftHandCorner: [1, 1],
      DisplayedAreaBottomRightHandCorner: [2, 2],
      PresentationSizeMode: 'MAGNIFY',
      PresentationPixelSpacing: ['1', '2'],
      PresentationPixelMagnificationRatio: 2,
    },
  ],
  GraphicLayerSequence: [{ GraphicLayer: 'L', GraphicLayerOrder: '1' }],
  GraphicAnnotationSequence: [
    {
      GraphicLayer: 'L',
      ReferencedImageSequence: [named('2.25.2', 3)],
      GraphicObjectSequence: [
        { GraphicAnnotationUnits: 'PIXEL', GraphicType: 'POLYLINE', GraphicData: [1, 1, 2, 2] },
        { GraphicAnnotationUnits: 'MATRIX', GraphicType: 'ELLIPSE', GraphicData: [1, 2, 3, 2, 2, 1, 2, 3] },
      ],
      TextObjectSequence: [
        {
          UnformattedTextValue: 'text',
          BoundingBoxAnnotationUnits: 'DISPLAY',
          BoundingBoxTopLeftHandCorner: [0, 0],
          BoundingBoxBottomRightHandCorner: [1, 1],
          AnchorPointAnnotationUnits: 'PIXEL',
          AnchorPoint: [1, 1],
        },
      ],
      CompoundGraphicSequence: [
        {
          CompoundGraphicInstanceID: 1,
          CompoundGraphicUnits: 'PIXEL',
          CompoundGraphicType: 'RECTANGLE',
          GraphicData: [1, 1, 2, 2],
          RotationAngle: 30,
          RotationPoint: [1, 1],
        },
      ],
    },
  ],
};

function lookupTable(color: 'Red' | 'Green' | 'Blue'): DataSetInput {
  return {
    [`${color}PaletteColorLookupTableDescriptor`]: [256, 0, 16],
    [`${color}PaletteColorLookupTableData`]: Uint16Array.from({ length: 256 }, (_, i) => i * 257),
  };
}

function imageElements(bits: number, samplesPerPixel: number, signed: boolean): DataSetInput {
  const bitsAllocated = bits > 8 ? 16 : 8;
  return {
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.7',
    SOPInstanceUID: '2.25.8',
    Modality: 'OT',
    SamplesPerPixel: samplesPerPixel,
    PhotometricInterpretation: samplesPerPixel === 1 ? 'MONOCHROME2' : 'RGB',
    ...(samplesPerPixel > 1 && { PlanarConfiguration: 0 }),
    Rows: SYNTHETIC_ROWS,
    Columns: SYNTHETIC_COLUMNS,
    BitsAllocated: bitsAllocated,
    BitsStored: bits,
    HighBit: bits - 1,
    PixelRepresentation: signed ? 1 : 0,
  };
}

function writeRle(): Uint8Array {
  const samples = Uint16Array.from(syntheticImage({ bits: 12 }));
  const fragment = encodeRle(new Uint8Array(samples.buffer), 2, 1);
  const elements = { ...imageElements(12, 1, false), NumberOfFrames: 2 };
  return writeDicom(
    { ...elements, PixelData: { fragments: [fragment, fragment], offsetTable: 'basic' } },
    { transferSyntaxUid: RLE },
  );
}

/** The name of a stream describes its content: `j2k-lossless_12s_gray.j2k`. */
function writeStream(path: string, name: string, transferSyntaxUid: string): Uint8Array {
  const [, bits = '8', sign] = /_(\d+)([us])_/.exec(name) ?? [];
  const stream = readFileSync(path);
  const fragment = new Uint8Array(stream.length + (stream.length % 2));
  fragment.set(stream);
  const elements = imageElements(Number(bits), name.includes('gray') ? 1 : 3, sign === 's');
  return writeDicom({ ...elements, PixelData: { fragments: [fragment] } }, { transferSyntaxUid });
}
