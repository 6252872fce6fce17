import type { DataSetInput } from '../../../src/server/standard/dicom/dataSetInput.ts';
import { writeDicom } from '../../../src/server/standard/dicom/writeDicom.ts';
import { blendingElements, keyObjectElements, named, stateElements } from '../../support/presentationElements.ts';
import { explicit, item, join, part10 } from '../../support/rawElements.ts';
import { type HostileFile, presentation, words } from '../hostileFile.ts';

/** Descriptors of tables that are not what their data are: number of entries, first value, bits. */
const LIES: readonly (readonly [name: string, descriptor: readonly number[], entries: readonly number[]])[] = [
  ['65,536 entries in two bytes', [0, 0, 16], [1]],
  ['no bits', [2, 0, 0], [1, 2]],
  ['65,535 bits', [2, 65_535, 65_535], [1, 2]],
  ['no entries', [2, 0, 16], []],
  ['half a descriptor', [2], [1, 2]],
];

/** Presentation states and key object selections with too much of everything, and with places that are none. */
export const presentations: readonly HostileFile[] = [
  presentation('100,000 graphics', () => raw(repeated(graphic('POLYLINE', floats(1, 1, 2, 2)), 100_000))),
  presentation('a graphic of two million points', () =>
    raw(item(graphic('POLYLINE', Buffer.alloc(16_000_000, floats(1, 2))))),
  ),
  presentation('five graphics of 100,000 points', () =>
    raw(repeated(graphic('INTERPOLATED', Buffer.alloc(800_000, floats(1, 2, 3, 4))), 5)),
  ),
  presentation('graphics with points that are no numbers', () =>
    raw(
      join(
        ...[Number.NaN, Infinity, -Infinity, 3.4e38, -3.4e38].map((bad) =>
          item(graphic('POLYLINE', floats(1, bad, 2, 2))),
        ),
        item(graphic('POLYLINE', new Uint8Array(6))),
        item(graphic('NOTHING', floats(1, 1))),
      ),
    ),
  ),
  presentation('a text of four megabytes', () =>
    raw(item(new Uint8Array(0)), item(explicit(0x00700006, 'UN', Buffer.alloc(4_000_000, 'text ')))),
  ),
  presentation('300 texts of 10,000 letters', () =>
    raw(
      item(new Uint8Array(0)),
      repeated(
        join(
          explicit(0x00700004, 'CS', 'PIXEL '),
          explicit(0x00700006, 'ST', Buffer.alloc(10_000, 'x')),
          explicit(0x00700014, 'FL', floats(1, 1)),
        ),
        300,
      ),
    ),
  ),
  presentation('a state that names 20,000 images', () =>
    writeDicom(
      state(
        {},
        Array.from({ length: 20_000 }, (_, i) => named(`2.25.${i}`)),
      ),
    ),
  ),
  presentation('a state that names one frame a million times', () => {
    const numbers = { vr: 'UN', value: Buffer.alloc(2_000_000, '1\\') };
    return writeDicom(state({}, [{ ...named('2.25.1'), ReferencedFrameNumber: numbers }]));
  }),
  presentation(
    'a state that names itself',
    () => writeDicom(state({}, [named('2.25.900'), named('2.25.900')])),
    'semantic_mapping_unavailable',
  ),
  presentation('5,000 areas, each for 20 images', () => {
    const ReferencedImageSequence = Array.from({ length: 20 }, (_, i) => named(`2.25.${i}`));
    const areas = Array.from({ length: 5_000 }, () => ({
      ReferencedImageSequence,
      DisplayedAreaTopLeftHandCorner: [-2147483648, -2147483648],
      DisplayedAreaBottomRightHandCorner: [2147483647, 2147483647],
    }));
    return writeDicom(state({ DisplayedAreaSelectionSequence: areas }));
  }),
  ...[
    ['a million corners', 1_000_000],
    ['5,000 corners', 5_000],
  ].map(([name, count]) =>
    presentation(`a polygonal shutter of ${name}`, () => {
      const corners = { vr: 'UN', value: Buffer.alloc(4 * Number(count), '1\\2\\') };
      return writeDicom(state({ ShutterShape: 'POLYGONAL', VerticesOfThePolygonalShutter: corners }));
    }),
  ),
  presentation('shutters whose numbers are none', () =>
    writeDicom(
      state({
        ShutterShape: ['CIRCULAR', 'RECTANGULAR', 'POLYGONAL', 'BITMAP', 'STAR'],
        CenterOfCircularShutter: text('NaN\\1e999'),
        RadiusOfCircularShutter: text('-1e308 '),
        ShutterLeftVerticalEdge: text('Infinity'),
        ShutterRightVerticalEdge: text('-2147483649 '),
        ShutterUpperHorizontalEdge: text('NaN '),
        ShutterLowerHorizontalEdge: text('1e308 '),
        VerticesOfThePolygonalShutter: text('1\\NaN\\1e308\\-1e308\\2\\3 '),
        ShutterOverlayGroup: 0x6000,
      }),
    ),
  ),
  presentation('areas with corners that are none, and sizes that are too large', () =>
    writeDicom(
      state({
        DisplayedAreaSelectionSequence: [
          [text('NaN\\1'), text('1\\Infinity')],
          [text('1e308\\1e308 '), text('-1e308\\-1e308 ')],
          [
            [-2147483648, -1],
            [2147483647, 1],
          ],
          [
            [1, 1],
            [0, 0],
          ],
        ].map(([first, last]) => ({
          DisplayedAreaTopLeftHandCorner: first,
          DisplayedAreaBottomRightHandCorner: last,
          PresentationSizeMode: 'MAGNIFY',
          PresentationPixelSpacing: ['1e308', '1e-308'],
          PresentationPixelMagnificationRatio: 3e38,
        })),
      }),
    ),
  ),
  ...LIES.map(([name, descriptor, entries]) =>
    presentation(`tables of ${name}`, () => {
      const table = {
        LUTDescriptor: { vr: 'US', value: words(...descriptor) },
        LUTData: { vr: 'OW', value: words(...entries) },
      };
      return writeDicom(
        state({
          ModalityLUTSequence: [table],
          SoftcopyVOILUTSequence: [{ VOILUTSequence: [table, table] }],
          PresentationLUTSequence: [table],
        }),
      );
    }),
  ),
  ...LIES.map(([name, descriptor, entries]) =>
    presentation(`a blending state with tables of ${name}`, () => {
      const table = {
        LUTDescriptor: { vr: 'US', value: words(...descriptor) },
        LUTData: { vr: 'OW', value: words(...entries) },
      };
      const palette = ['Red', 'Green', 'Blue'].flatMap((color) => [
        [`${color}PaletteColorLookupTableDescriptor`, { vr: 'US', value: words(...descriptor) }],
        [`${color}PaletteColorLookupTableData`, { vr: 'OW', value: words(...entries) }],
      ]);
      const elements = { ModalityLUTSequence: [table], SoftcopyVOILUTSequence: [{ VOILUTSequence: [table] }] };
      return writeDicom(
        blendingElements(
          [
            { position: 'UNDERLYING', images: [named('2.25.1')], elements },
            { position: 'SUPERIMPOSED', images: [named('2.25.1')], elements },
          ],
          { RelativeOpacity: Number.NaN, ...Object.fromEntries(palette) },
        ),
      );
    }),
  ),
  presentation('a window without end', () =>
    writeDicom(
      state({
        RescaleSlope: '1e308',
        RescaleIntercept: '-1e308',
        SoftcopyVOILUTSequence: [{ WindowCenter: '1e308', WindowWidth: '-1e308' }],
      }),
    ),
  ),
  presentation('a blending state of 5,000 inputs that blend each other', () =>
    writeDicom(
      blendingElements(
        Array.from({ length: 5_000 }, (_, at) => ({
          position: at % 2 === 0 ? ('UNDERLYING' as const) : ('SUPERIMPOSED' as const),
          images: [named('2.25.1'), named('2.25.900')],
        })),
      ),
    ),
  ),
  presentation('an advanced blending state of 5,000 inputs and steps that use each other', () =>
    writeDicom(
      state({
        SOPClassUID: '1.2.840.10008.5.1.4.1.1.11.8',
        AdvancedBlendingSequence: Array.from({ length: 5_000 }, (_, at) => ({
          BlendingInputNumber: at % 50,
          SeriesInstanceUID: '2.25.501',
          ReferencedImageSequence: [named('2.25.1'), named('2.25.900')],
          RescaleSlope: at % 2 === 0 ? '0' : '1e-308',
          RescaleIntercept: '1e308',
          ThresholdSequence: Array.from({ length: 20 }, () => ({
            ThresholdType: 'RANGE_EXCL',
            ThresholdValueSequence: [{ ThresholdValue: Infinity }, { ThresholdValue: NaN }],
          })),
        })),
        BlendingDisplaySequence: Array.from({ length: 5_000 }, (_, at) => ({
          BlendingInputNumber: at,
          BlendingMode: 'EQUAL',
          BlendingDisplayInputSequence: Array.from({ length: 20 }, (_unused, one) => ({
            BlendingInputNumber: (at + one) % 5_000,
          })),
        })),
      }),
    ),
  ),
  ...['2.25.930', '2.25.931'].map((uid, at) =>
    presentation(
      `state ${at + 1} of two that name each other`,
      () => writeDicom({ ...state({}, [named(at === 0 ? '2.25.931' : '2.25.930'), named(uid)]), SOPInstanceUID: uid }),
      'semantic_mapping_unavailable',
    ),
  ),
  presentation('5,000 layers', () =>
    writeDicom(
      state({
        GraphicLayerSequence: Array.from({ length: 5_000 }, (_, i) => ({
          GraphicLayer: `L${i}`,
          GraphicLayerOrder: String(-i),
        })),
      }),
    ),
  ),
  presentation(
    'a key object selection that names 20,000 images',
    () => writeDicom(keyObjectElements(Array.from({ length: 20_000 }, (_, i) => named(`2.25.${i}`)))),
    'bad_request',
  ),
  presentation(
    'key objects below key objects',
    () => {
      let content: DataSetInput = { ValueType: 'IMAGE', ReferencedSOPSequence: [named('2.25.1')] };
      for (let depth = 0; depth < 60; depth += 1) content = { ValueType: 'CONTAINER', ContentSequence: [content] };
      return writeDicom({ ...keyObjectElements([]), ContentSequence: [content] });
    },
    'bad_request',
  ),
];

function state(more: DataSetInput, images: readonly DataSetInput[] = [named('2.25.1')]): DataSetInput {
  return stateElements(images, more);
}

/** Numbers as text, of whatever VR. */
function text(value: string): { readonly vr: string; readonly value: Uint8Array } {
  return { vr: 'UN', value: Buffer.from(value) };
}

function floats(...values: readonly number[]): Buffer {
  return Buffer.from(Float32Array.from(values).buffer);
}

/** In explicit VR a number has 64 KiB at most; as unknown it may be longer. */
function graphic(type: string, points: Uint8Array): Uint8Array {
  return join(
    explicit(0x00700005, 'CS', 'PIXEL '),
    explicit(0x00700022, points.length < 0x10000 ? 'FL' : 'UN', points),
    explicit(0x00700023, 'CS', type.length % 2 === 0 ? type : `${type} `),
  );
}

function repeated(content: Uint8Array, count: number): Uint8Array {
  const first = item(content);
  return Buffer.alloc(first.length * count, first);
}

/** A state with one list of annotations, as bytes. */
function raw(graphics: Uint8Array, texts: Uint8Array = new Uint8Array(0)): Uint8Array {
  const annotation = item(
    join(explicit(0x00700002, 'CS', 'L '), explicit(0x00700008, 'SQ', texts), explicit(0x00700009, 'SQ', graphics)),
  );
  const later = ['ContentLabel', 'ContentDescription', 'PresentationCreationDate', 'PresentationCreationTime'];
  const none = Object.fromEntries(
    [...later, 'ContentCreatorName', 'PresentationLUTShape'].map((key) => [key, undefined]),
  );
  return part10(join(writeDicom(state(none), { meta: false }), explicit(0x00700001, 'SQ', annotation)));
}
