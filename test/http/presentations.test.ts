import { Errors } from 'typebox/value';
import { describe, expect, test } from 'vitest';
import type { DataSetInput } from '../../src/server/standard/dicom/dataSetInput.ts';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { type PresentationResponse, PresentationResponse as Schema } from '../../src/shared/contract/presentation.ts';
import { ctRow } from '../support/imageElements.ts';
import { placedImage } from '../support/placedElements.ts';
import {
  blendingElements,
  COLOR_STATE,
  keyObjectElements,
  named,
  PSEUDO_COLOR_STATE,
  stateElements,
} from '../support/presentationElements.ts';
import { grayOf, readPng } from '../support/readPng.ts';
import { serveShared, type SharedServer } from '../support/serve.ts';
import { strictSchema } from '../support/strictSchema.ts';

/** Stored 863, 1064 and 1264 in a row; the file declares -1024 as intercept and the window 50/350. */
const IMAGE = { SOPInstanceUID: '2.25.1', StudyInstanceUID: '2.25.502', SeriesInstanceUID: '2.25.501' };

async function serveState(more: DataSetInput, image: DataSetInput = {}): Promise<SharedServer> {
  const state = stateElements([named('2.25.1')], more);
  return serveShared(writeDicom(ctRow({ ...IMAGE, ...image })), writeDicom(state));
}

async function showBytes(server: SharedServer, query = ''): Promise<Uint8Array> {
  const response = await server.request(`/api/file/0/frame/0?presentation=1${query}`);
  expect(response.status).toBe(200);
  return new Uint8Array(await response.arrayBuffer());
}

async function show(more: DataSetInput, image: DataSetInput = {}, query = ''): Promise<number[]> {
  return grayOf(await showBytes(await serveState(more, image), query));
}

async function read(server: SharedServer, index: number): Promise<PresentationResponse> {
  const response = await server.request(`/api/file/${index}/presentation`);
  expect(response.status).toBe(200);
  const body = await response.json();
  expect(Errors(strictSchema(Schema), body)).toEqual([]);
  return body;
}

async function readState(more: DataSetInput) {
  const server = await serveShared(
    writeDicom(placedImage({ uid: '2.25.1', rows: 4, columns: 4 })),
    writeDicom(stateElements([named('2.25.1')], more)),
  );
  const { state } = await read(server, 1);
  return state!;
}

const HU = { RescaleSlope: '1', RescaleIntercept: '-1024' };
const WINDOW = { SoftcopyVOILUTSequence: [{ WindowCenter: '40', WindowWidth: '401' }] };

const lut = (...entries: number[]) => ({
  LUTDescriptor: [entries.length, 0, 8],
  LUTData: Uint16Array.from(entries),
});

const channel = (...entries: number[]) => Uint16Array.from(entries.map((entry) => entry * 257));

const overlay = (group: string, bits: number) => ({
  [`${group}0010`]: { vr: 'US', value: 1 },
  [`${group}0011`]: { vr: 'US', value: 3 },
  [`${group}0040`]: { vr: 'CS', value: 'G' },
  [`${group}0050`]: { vr: 'SS', value: [1, 1] },
  [`${group}0100`]: { vr: 'US', value: 1 },
  [`${group}0102`]: { vr: 'US', value: 0 },
  [`${group}3000`]: { vr: 'OW', value: Uint8Array.of(bits, 0) },
});

describe('the pixels of a state', () => {
  test('are those of its rescale and its window', async () => {
    // (-161 - 39.5) / 400 + 0.5 = -0.001; 40: 0.50125 * 255 = 127.8; 240: 1.00125.
    expect(await show({ ...HU, ...WINDOW })).toEqual([0, 128, 255]);
  });

  test('are inverted once by INVERSE, whether the image is MONOCHROME1 or not', async () => {
    const inverse = { ...HU, ...WINDOW, PresentationLUTShape: 'INVERSE' };
    // 255 - 127.82 = 127.18.
    expect(await show(inverse)).toEqual([255, 127, 0]);
    expect(await show(inverse, { PhotometricInterpretation: 'MONOCHROME1' })).toEqual([255, 127, 0]);
    expect(await show({ ...HU, ...WINDOW }, { PhotometricInterpretation: 'MONOCHROME1' })).toEqual([0, 128, 255]);
  });

  test('are those of the whole range of the samples without a window: that of the image does not apply', async () => {
    const unsigned = { PixelRepresentation: 0, BitsStored: 12, HighBit: 11, PixelData: Uint16Array.of(0, 1000, 4095) };
    // 1000 / 4095 * 255 = 62.3.
    expect(await show({}, unsigned)).toEqual([0, 62, 255]);
  });

  test('take no rescale from the image', async () => {
    // 863, 1064 and 1264 as they are stored, around 1064.5 - 0.5.
    const window = { SoftcopyVOILUTSequence: [{ WindowCenter: '1064.5', WindowWidth: '401' }] };
    // (863 - 1064) / 400 + 0.5 = -0.0025; 0.5; 1.0.
    expect(await show(window)).toEqual([0, 128, 255]);
  });

  test('go through the modality LUT, the VOI LUT and the presentation LUT in turn', async () => {
    const image = {
      PixelRepresentation: 0,
      BitsAllocated: 8,
      BitsStored: 8,
      HighBit: 7,
      PixelData: Uint8Array.of(0, 1, 2, 0),
      Columns: 4,
    };
    const more = {
      PresentationLUTShape: undefined,
      // 0, 1, 2 to 2, 0, 1; then to 255, 0, 128; then the place in a table of 256 entries that inverts.
      ModalityLUTSequence: [{ ...lut(2, 0, 1), ModalityLUTType: 'US' }],
      SoftcopyVOILUTSequence: [{ VOILUTSequence: [lut(0, 128, 255)] }],
      PresentationLUTSequence: [lut(...Array.from({ length: 256 }, (_, i) => 255 - i))],
    };
    expect(await show(more, image)).toEqual([0, 255, 127, 0]);
  });

  test('have the window of the request, if it names one', async () => {
    const server = await serveState({ ...HU, ...WINDOW });
    const response = await server.request('/api/file/0/frame/0?presentation=1&wc=40&ww=2');
    expect(grayOf(new Uint8Array(await response.arrayBuffer()))).toEqual([0, 255, 255]);
    expect(response.headers.get('x-frame-window-center')).toBe('40');
    const own = await server.request('/api/file/0/frame/0?presentation=1');
    expect([own.headers.get('x-frame-window-center'), own.headers.get('x-frame-window-width')]).toEqual(['40', '401']);
  });

  test('have the window of their own image, if the state has one for each', async () => {
    const state = stateElements([named('2.25.1'), named('2.25.2')], {
      ...HU,
      SoftcopyVOILUTSequence: [
        { ReferencedImageSequence: [named('2.25.2')], WindowCenter: '-161', WindowWidth: '2' },
        { ReferencedImageSequence: [named('2.25.1')], ...WINDOW.SoftcopyVOILUTSequence[0] },
      ],
    });
    const images = ['2.25.1', '2.25.2'].map((uid) => writeDicom(ctRow({ ...IMAGE, SOPInstanceUID: uid })));
    const server = await serveShared(...images, writeDicom(state));
    const pictures = [0, 1].map(async (index) => {
      const response = await server.request(`/api/file/${index}/frame/0?presentation=2`);
      return grayOf(new Uint8Array(await response.arrayBuffer()));
    });
    // -161 is above the center minus 0.5 by half the width minus 1.
    expect(await Promise.all(pictures)).toEqual([
      [0, 128, 255],
      [255, 255, 255],
    ]);
  });

  test('are colors of a palette, over which the gray value of the window runs', async () => {
    const colors = {
      SOPClassUID: PSEUDO_COLOR_STATE,
      PresentationLUTShape: undefined,
      RedPaletteColorLookupTableDescriptor: [3, 0, 16],
      GreenPaletteColorLookupTableDescriptor: [3, 0, 16],
      BluePaletteColorLookupTableDescriptor: [3, 0, 16],
      RedPaletteColorLookupTableData: channel(1, 2, 3),
      GreenPaletteColorLookupTableData: channel(10, 20, 30),
      BluePaletteColorLookupTableData: channel(100, 150, 200),
    };
    const { channels, pixels } = readPng(await showBytes(await serveState({ ...HU, ...WINDOW, ...colors })));
    expect([channels, [...pixels]]).toEqual([3, [1, 10, 100, 2, 20, 150, 3, 30, 200]]);
  });

  test('are covered by its shutters and not by those of the image, in gray or in color', async () => {
    const shutter = {
      ShutterShape: 'RECTANGULAR',
      ShutterLeftVerticalEdge: '2',
      ShutterRightVerticalEdge: '3',
      ShutterUpperHorizontalEdge: '1',
      ShutterLowerHorizontalEdge: '1',
    };
    const other = { ...shutter, ShutterLeftVerticalEdge: '1', ShutterRightVerticalEdge: '2' };
    const state = { ...HU, ...WINDOW, PresentationLUTShape: 'INVERSE', ...shutter, ShutterPresentationValue: 0x4000 };
    expect(await show(state, other)).toEqual([0x40, 127, 0]);
    // L* 54.29, a* 80.81, b* 69.89 is red under D50: 54.29 / 100 * 65535, (80.81 + 128) / 255 * 65535, likewise b*.
    const red = { ...state, ShutterPresentationColorCIELabValue: [35579, 53664, 50858] };
    const { pixels } = readPng(await showBytes(await serveState(red)));
    expect(pixels.slice(3)).toEqual(Uint8Array.of(127, 127, 127, 0, 0, 0));
    expect(pixels[0]).toBeGreaterThan(250);
    expect(Math.max(pixels[1]!, pixels[2]!)).toBeLessThan(20);
  });

  test('show only the overlays that it activates, its own and those of the image, each in the color of its layer', async () => {
    const state = {
      ...HU,
      SoftcopyVOILUTSequence: [{ WindowCenter: '5000', WindowWidth: '2' }],
      GraphicLayerSequence: [
        { GraphicLayer: 'A', GraphicLayerOrder: '1', GraphicLayerRecommendedDisplayGrayscaleValue: 0x8000 },
        { GraphicLayer: 'B', GraphicLayerOrder: '2', GraphicLayerRecommendedDisplayGrayscaleValue: 0xffff },
      ],
      '60001001': { vr: 'CS', value: 'A' },
      '60041001': { vr: 'CS', value: 'B' },
      ...overlay('6004', 0b100),
    };
    expect(await show(state, { ...overlay('6000', 0b001), ...overlay('6002', 0b010) })).toEqual([0x80, 0, 255]);
  });

  test('of a color image keep their colors', async () => {
    const color = {
      SamplesPerPixel: 3,
      PhotometricInterpretation: 'RGB',
      PlanarConfiguration: 0,
      Columns: 2,
      BitsAllocated: 8,
      BitsStored: 8,
      HighBit: 7,
      PixelRepresentation: 0,
      PixelData: Uint8Array.of(255, 0, 0, 10, 20, 30),
    };
    const server = await serveState({ SOPClassUID: COLOR_STATE, PresentationLUTShape: undefined }, color);
    expect([...readPng(await showBytes(server)).pixels]).toEqual([255, 0, 0, 10, 20, 30]);
  });

  test('are refused for images that it does not name, and from files that are no states', async () => {
    const server = await serveShared(
      writeDicom(ctRow({ ...IMAGE, SOPInstanceUID: '2.25.2' })),
      writeDicom(stateElements([named('2.25.1')])),
    );
    const answer = async (query: string) => {
      const response = await server.request(`/api/file/0/frame/0?${query}`);
      return [response.status, (await response.json()).code];
    };
    expect(await answer('presentation=1')).toEqual([422, 'semantic_mapping_unavailable']);
    expect(await answer('presentation=0')).toEqual([400, 'bad_request']);
    expect(await answer('presentation=7')).toEqual([404, 'not_found']);
    expect(await answer('presentation=1&format=source')).toEqual([400, 'invalid_query']);
  });
});

const area = (corners: readonly number[], more: DataSetInput) => ({
  DisplayedAreaTopLeftHandCorner: corners.slice(0, 2),
  DisplayedAreaBottomRightHandCorner: corners.slice(2),
  ...more,
});

const compound = (id: number, type: string, more: DataSetInput = {}) => ({
  CompoundGraphicInstanceID: id,
  CompoundGraphicUnits: 'PIXEL',
  CompoundGraphicType: type,
  GraphicDimensions: 2,
  GraphicData: [1, 1, 3, 2],
  ...more,
});

const input = (number: number, uid: string) => ({
  BlendingInputNumber: number,
  StudyInstanceUID: '2.25.502',
  SeriesInstanceUID: '2.25.501',
  ReferencedImageSequence: [named(uid)],
  SoftcopyVOILUTSequence: [{ WindowCenter: '40', WindowWidth: '400' }],
});

const ADVANCED = '1.2.840.10008.5.1.4.1.1.11.8';
const step = (mode: string, inputs: readonly number[], more: DataSetInput = {}) => ({
  BlendingMode: mode,
  BlendingDisplayInputSequence: inputs.map((number) => ({ BlendingInputNumber: number })),
  ...more,
});

describe('what a state says', () => {
  test('has its name, its author, its images, and those that are missing with the reason', async () => {
    const server = await serveShared(
      writeDicom(placedImage({ uid: '2.25.1', rows: 4, columns: 4 })),
      writeDicom(
        placedImage({ uid: '2.25.2', rows: 2, columns: 2 }, { NumberOfFrames: 3, PixelData: new Uint8Array(12) }),
      ),
      writeDicom(stateElements([named('2.25.1'), named('2.25.2', 3, 1, 9), named('2.25.3'), named('2.25.1', 7)])),
    );
    const { state, images, missing, key_objects: selection } = await read(server, 2);
    expect(state).toMatchObject({
      kind: 'grayscale',
      label: 'STATE',
      description: 'A state for tests',
      creator: 'Doe^Jane',
      date: '20250114',
      modality: null,
      presentation_lut: 'identity',
    });
    expect(selection).toBeNull();
    expect(images).toEqual([
      { file_index: 0, frame_indices: null },
      { file_index: 1, frame_indices: [0, 2] },
    ]);
    expect(missing.map(({ sop_instance_uid, reason }) => [sop_instance_uid, reason])).toEqual([
      ['2.25.3', 'not_open'],
      ['2.25.1', 'no_such_frame'],
    ]);
  });

  test('has areas by their outer corners, whichever of the two corners is named first', async () => {
    const { areas } = await readState({
      DisplayedAreaSelectionSequence: [
        area([1, 1, 4, 4], { PresentationSizeMode: 'SCALE TO FIT', PresentationPixelAspectRatio: ['2', '1'] }),
        area([9, -3, 2, 7], { PresentationSizeMode: 'TRUE SIZE', PresentationPixelSpacing: ['0.6', '0.3'] }),
        area([1, 1, 2, 2], { PresentationSizeMode: 'MAGNIFY', PresentationPixelMagnificationRatio: 2.5 }),
      ],
    });
    const none = { applies_to: null, spacing_mm: null, magnification: null, pixel_aspect_ratio: null };
    expect(areas).toEqual([
      { ...none, mode: 'scale_to_fit', corners: [-0.5, -0.5, 3.5, 3.5], pixel_aspect_ratio: 2 },
      { ...none, mode: 'true_size', corners: [0.5, -4.5, 8.5, 6.5], spacing_mm: [0.6, 0.3], pixel_aspect_ratio: 2 },
      { ...none, mode: 'magnify', corners: [-0.5, -0.5, 1.5, 1.5], magnification: 2.5 },
    ]);
  });

  const GRAPHIC = { GraphicAnnotationUnits: 'PIXEL', GraphicDimensions: 2, GraphicType: 'POLYLINE' };

  test('has graphics of every type, half a pixel from where PIXEL units put them', async () => {
    const objects = [
      { ...GRAPHIC, GraphicType: 'POINT', GraphicData: [1, 2] },
      { ...GRAPHIC, GraphicData: [0, 0, 4, 4], GraphicFilled: 'Y' },
      { ...GRAPHIC, GraphicType: 'INTERPOLATED', GraphicData: [1, 1, 2, 1, 3, 2] },
      { ...GRAPHIC, GraphicType: 'CIRCLE', GraphicData: [2, 2, 3, 2] },
      { ...GRAPHIC, GraphicType: 'ELLIPSE', GraphicData: [0, 2, 4, 2, 2, 1, 2, 3] },
      { ...GRAPHIC, GraphicAnnotationUnits: 'DISPLAY', GraphicData: [0.25, 0.5, 1, 1] },
    ];
    const { graphics } = await readState({
      GraphicAnnotationSequence: [{ GraphicLayer: 'L', GraphicObjectSequence: objects }],
    });
    expect(graphics[0]!.items.map(({ shape, units, points, filled }) => [shape, units, points, filled])).toEqual([
      ['point', 'pixel', [0.5, 1.5], false],
      ['polyline', 'pixel', [-0.5, -0.5, 3.5, 3.5], true],
      ['interpolated', 'pixel', [0.5, 0.5, 1.5, 0.5, 2.5, 1.5], false],
      ['circle', 'pixel', [1.5, 1.5, 2.5, 1.5], false],
      ['ellipse', 'pixel', [-0.5, 1.5, 3.5, 1.5, 1.5, 0.5, 1.5, 2.5], false],
      ['polyline', 'display', [0.25, 0.5, 1, 1], false],
    ]);
  });

  test('has layers in their order, with the colors that it recommends, and lines with their own', async () => {
    const { layers, graphics } = await readState({
      GraphicLayerSequence: [
        { GraphicLayer: 'TOP', GraphicLayerOrder: '9', GraphicLayerRecommendedDisplayGrayscaleValue: 0xffff },
        // White: L* 100, a* and b* 0, which is 128 / 255 * 65535.
        {
          GraphicLayer: 'LOW',
          GraphicLayerOrder: '1',
          GraphicLayerRecommendedDisplayCIELabValue: [65535, 32896, 32896],
        },
        { GraphicLayer: 'MIDDLE', GraphicLayerOrder: '5', GraphicLayerDescription: 'Lines' },
      ],
      GraphicAnnotationSequence: [
        {
          GraphicLayer: 'TOP',
          GraphicObjectSequence: [
            {
              ...GRAPHIC,
              GraphicData: [1, 1, 2, 2],
              LineStyleSequence: [{ LineThickness: 3, LineDashingStyle: 'DASHED', PatternOnOpacity: 0.5 }],
            },
          ],
        },
      ],
    });
    expect(layers).toEqual([
      { name: 'LOW', description: null, color: [255, 255, 255] },
      { name: 'MIDDLE', description: 'Lines', color: null },
      { name: 'TOP', description: null, color: [255, 255, 255] },
    ]);
    expect(graphics[0]!.items[0]).toMatchObject({ part: 2, style: { width_px: 3, dashed: true, opacity: 0.5 } });
  });

  test('has texts in its own character set, with their lines, boxes and anchors', async () => {
    const { graphics } = await readState({
      SpecificCharacterSet: 'ISO_IR 100',
      GraphicAnnotationSequence: [
        {
          GraphicLayer: 'L',
          TextObjectSequence: [
            {
              BoundingBoxAnnotationUnits: 'PIXEL',
              UnformattedTextValue: 'Läsion\r\nzwei',
              BoundingBoxTopLeftHandCorner: [1, 2],
              BoundingBoxBottomRightHandCorner: [3, 4],
              BoundingBoxTextHorizontalJustification: 'RIGHT',
              AnchorPointAnnotationUnits: 'DISPLAY',
              AnchorPoint: [0.5, 0.25],
              AnchorPointVisibility: 'Y',
            },
          ],
        },
      ],
    });
    expect(graphics[0]!.items[0]).toMatchObject({
      shape: 'text',
      text: {
        value: 'Läsion\nzwei',
        box: { corners: [0.5, 1.5, 2.5, 3.5], units: 'pixel', align: 'right' },
        anchor: { point: [0.5, 0.25], units: 'display', marked: true },
      },
    });
  });

  test('has a compound graphic only if no simple graphics stand for it', async () => {
    const { graphics } = await readState({
      GraphicAnnotationSequence: [
        {
          GraphicLayer: 'L',
          GraphicObjectSequence: [{ ...GRAPHIC, GraphicData: [1, 1, 3, 1], CompoundGraphicInstanceID: 1 }],
          CompoundGraphicSequence: [
            compound(1, 'RECTANGLE'),
            // A quarter turn counterclockwise around the first corner: right becomes up, down becomes right.
            compound(2, 'RECTANGLE', { RotationAngle: 90, RotationPoint: [1, 1] }),
            compound(3, 'ELLIPSE'),
          ],
        },
      ],
    });
    expect(graphics[0]!.items.map(({ shape, points }) => [shape, points])).toEqual([
      ['polyline', [0.5, 0.5, 2.5, 0.5]],
      ['polygon', [0.5, 0.5, 0.5, -1.5, 1.5, -1.5, 1.5, 0.5]],
      ['ellipse', [0.5, 1, 2.5, 1, 1.5, 0.5, 1.5, 1.5]],
    ]);
  });

  test('leaves out graphics without a valid place, and says how many', async () => {
    const server = await serveShared(
      writeDicom(placedImage({ uid: '2.25.1', rows: 4, columns: 4 })),
      writeDicom(
        stateElements([named('2.25.1')], {
          GraphicAnnotationSequence: [
            {
              GraphicLayer: 'L',
              GraphicObjectSequence: [
                { ...GRAPHIC, GraphicData: [1, Number.NaN, 2, 2] },
                { ...GRAPHIC, GraphicData: [1, 1, Infinity, 2] },
                { ...GRAPHIC, GraphicData: [1, 1, 2] },
                { ...GRAPHIC, GraphicType: 'STAR', GraphicData: [1, 1, 2, 2] },
                { ...GRAPHIC, GraphicType: 'ELLIPSE', GraphicData: [1, 1, 2, 2] },
                { ...GRAPHIC, GraphicData: [1, 1, 2, 2] },
              ],
              TextObjectSequence: [{ UnformattedTextValue: 'nowhere' }],
            },
          ],
        }),
      ),
    );
    const { state, warnings } = await read(server, 1);
    expect([state!.left_out, state!.graphics[0]!.items.length]).toEqual([6, 1]);
    expect(warnings).toEqual([
      { code: 'invalid_graphics', message: '6 of its graphics are not drawn: they have no valid type, place or text.' },
    ]);
  });

  test('has graphics and texts on the matrix of a tiled image', async () => {
    const { graphics, left_out: leftOut } = await readState({
      GraphicAnnotationSequence: [
        {
          GraphicLayer: 'L',
          GraphicObjectSequence: [{ ...GRAPHIC, GraphicAnnotationUnits: 'MATRIX', GraphicData: [100, 200, 300, 400] }],
          TextObjectSequence: [
            {
              BoundingBoxAnnotationUnits: 'MATRIX',
              UnformattedTextValue: 'here',
              BoundingBoxTopLeftHandCorner: [10, 20],
              BoundingBoxBottomRightHandCorner: [30, 40],
            },
          ],
        },
      ],
    });
    expect(leftOut).toBe(0);
    expect(graphics[0]!.items).toMatchObject([
      { shape: 'polyline', units: 'matrix', points: [99.5, 199.5, 299.5, 399.5] },
      { shape: 'text', text: { box: { units: 'matrix', corners: [9.5, 19.5, 29.5, 39.5] } } },
    ]);
  });

  test('has no areas that are nowhere, and says so; sizes that are no sizes do not count', async () => {
    const server = await serveShared(
      writeDicom(placedImage({ uid: '2.25.1', rows: 4, columns: 4 })),
      writeDicom(
        stateElements([named('2.25.1')], {
          DisplayedAreaSelectionSequence: [
            area([-2147483648, 1, 4, 4], {}),
            area([1, 1, 4, 4], {
              PresentationSizeMode: 'MAGNIFY',
              PresentationPixelSpacing: ['1e300', '1e-300'],
              PresentationPixelMagnificationRatio: 1e30,
            }),
          ],
          SoftcopyVOILUTSequence: Array.from({ length: 4097 }, () => ({ WindowCenter: '40', WindowWidth: '400' })),
          ShutterShape: 'POLYGONAL',
          VerticesOfThePolygonalShutter: Array.from({ length: 8194 }, (_, at) => String(at % 7)),
        }),
      ),
    );
    const { state, warnings } = await read(server, 1);
    expect(state!.areas).toMatchObject([
      { mode: 'magnify', magnification: null, spacing_mm: null, pixel_aspect_ratio: null },
    ]);
    expect([state!.shutters, state!.vois.length]).toEqual([[], 4096]);
    expect(warnings.map(({ code }) => code)).toEqual(['invalid_areas', 'shutter_too_large', 'cut_short']);
  });

  test('is for all of 8,192 images in each of its lists', async () => {
    const images = Array.from({ length: 8192 }, (_, at) => named(`2.25.${at}`));
    const server = await serveShared(
      writeDicom(placedImage({ uid: '2.25.8191', rows: 4, columns: 4 })),
      writeDicom(
        stateElements(images, {
          SoftcopyVOILUTSequence: [{ ReferencedImageSequence: images, WindowCenter: '40', WindowWidth: '400' }],
          DisplayedAreaSelectionSequence: [area([1, 1, 4, 4], { ReferencedImageSequence: images })],
        }),
      ),
    );
    const { state, images: open, missing, missing_count: count, warnings } = await read(server, 1);
    const only = [{ file_index: 0, frame_indices: null }];
    expect([open, state!.vois[0]!.applies_to, state!.areas[0]!.applies_to]).toEqual([only, only, only]);
    expect([missing.length, count, warnings]).toEqual([1024, 8191, []]);
  });

  test('of a blending state has its inputs, whose underlying images it shows in gray', async () => {
    const under = { RescaleSlope: '1', RescaleIntercept: '-1024', ...WINDOW };
    const inputs = [
      { position: 'SUPERIMPOSED', images: [named('2.25.2')], elements: WINDOW },
      { position: 'UNDERLYING', images: [named('2.25.1')], elements: under },
    ] as const;
    const palette = ['Red', 'Green', 'Blue'].flatMap((color) => [
      [`${color}PaletteColorLookupTableDescriptor`, [2, 0, 16]],
      [`${color}PaletteColorLookupTableData`, channel(0, color === 'Red' ? 255 : 0)],
    ]);
    const colors = {
      ReferencedSpatialRegistrationSequence: [named('2.25.2')],
      RelativeOpacity: 0.25,
      ...Object.fromEntries(palette),
    };
    const server = await serveShared(
      // White is low: that is for the state to say.
      writeDicom(ctRow({ ...IMAGE, PhotometricInterpretation: 'MONOCHROME1' })),
      writeDicom(ctRow({ ...IMAGE, SOPInstanceUID: '2.25.2', SeriesInstanceUID: '2.25.503' })),
      writeDicom(blendingElements(inputs, colors)),
      writeDicom({ ...blendingElements(inputs), SOPInstanceUID: '2.25.940' }),
      writeDicom({ ...blendingElements(inputs.slice(1), colors), SOPInstanceUID: '2.25.941' }),
    );
    const { state, images } = await read(server, 2);
    expect(images.map(({ file_index }) => file_index)).toEqual([1, 0]);
    expect(state!.blending).toMatchObject({
      reason: null,
      registration: { sop_instance_uid: '2.25.2', file_index: 1 },
      inputs: [
        // From 40 - 0.5 - 200 to 40 - 0.5 + 200; black and red.
        { position: 'SUPERIMPOSED', opacity: 0.25, scale: { low: -160.5, high: 239.5, colors: 'AAAA/wAA' } },
        { position: 'UNDERLYING', scale: null },
      ],
    });
    const showBy = async (index: number, by: number) => server.request(`/api/file/${index}/frame/0?presentation=${by}`);
    expect(grayOf(new Uint8Array(await (await showBy(0, 2)).arrayBuffer()))).toEqual([0, 128, 255]);
    const refusal = await showBy(1, 2);
    expect([refusal.status, (await refusal.json()).code]).toEqual([422, 'semantic_mapping_unavailable']);
    expect((await read(server, 3)).state!.blending!.reason).toBe('it has no valid palette for the superimposed images');
    expect((await read(server, 4)).state!.blending!.reason).toContain('one underlying and one superimposed');
  });

  describe('of an advanced blending state', () => {
    test('has its inputs and steps', async () => {
      const { kind, blending } = await readState({
        SOPClassUID: ADVANCED,
        AdvancedBlendingSequence: [
          input(1, '2.25.1'),
          {
            ...input(2, '2.25.77'),
            RescaleSlope: '2',
            RescaleIntercept: '10',
            ThresholdSequence: [
              {
                ThresholdType: 'RANGE_INCL',
                ThresholdValueSequence: [{ ThresholdValue: 110 }, { ThresholdValue: 50 }],
              },
              { ThresholdType: 'GREATER_THAN', ThresholdValueSequence: [{ ThresholdValue: 500 }] },
            ],
          },
        ],
        BlendingDisplaySequence: [step('FOREGROUND', [2, 1], { RelativeOpacity: 0.25 })],
      });
      expect(kind).toBe('blending');
      expect(blending).toMatchObject({
        mode: 'FOREGROUND',
        reason: null,
        steps: [{ inputs: [2, 1], mode: 'FOREGROUND', opacity: 0.25, result: null }],
        inputs: [
          {
            number: 1,
            position: 'UNDERLYING',
            images: [{ file_index: 0, frame_indices: null }],
            missing_count: 0,
            scale: null,
            ranges: null,
          },
          {
            number: 2,
            position: 'SUPERIMPOSED',
            images: [],
            missing_count: 1,
            // The window is 399 wide around 39.5: from -160 to 239, which are the stored values (w - 10) / 2.
            scale: { low: -85, high: 114.5 },
            ranges: [
              { low: 20, high: 50, includes_ends: true },
              { low: 245, high: null, includes_ends: false },
            ],
          },
        ],
      });
    });

    test.each<[string, readonly DataSetInput[], RegExp]>([
      ['without a last step', [step('EQUAL', [1, 2], { BlendingInputNumber: 3 })], /one last step/],
      ['that uses an input that is not there', [step('EQUAL', [1, 9])], /an input 9/],
      ['whose steps form a circle', [step('EQUAL', [3]), step('EQUAL', [3], { BlendingInputNumber: 3 })], /each other/],
      ['without an opacity', [step('FOREGROUND', [1, 2])], /no opacity/],
      ['of an unknown mode', [step('MULTIPLY', [1, 2])], /“MULTIPLY” is unknown/],
    ])('%s says why it cannot be applied', async (_, steps, reason) => {
      const { blending } = await readState({
        SOPClassUID: ADVANCED,
        AdvancedBlendingSequence: [input(1, '2.25.1'), input(2, '2.25.2')],
        BlendingDisplaySequence: steps,
      });
      expect(blending!.reason).toMatch(reason);
    });

    test('shows the images of a whole series under others, in the colors of their input', async () => {
      const palette = ['Red', 'Green', 'Blue'].flatMap((color) => [
        [`${color}PaletteColorLookupTableDescriptor`, [256, 0, 16]],
        [
          `${color}PaletteColorLookupTableData`,
          Uint16Array.from({ length: 256 }, (_, at) => (color === 'Green' ? 0 : at * 257)),
        ],
      ]);
      const { ReferencedImageSequence: _images, ...whole } = input(2, '2.25.1');
      const server = await serveShared(
        writeDicom(ctRow(IMAGE)),
        writeDicom(ctRow({ ...IMAGE, SOPInstanceUID: '2.25.2', SeriesInstanceUID: '2.25.503' })),
        writeDicom(
          stateElements([], {
            SOPClassUID: ADVANCED,
            ReferencedSeriesSequence: undefined,
            PresentationLUTShape: undefined,
            AdvancedBlendingSequence: [
              { ...input(1, '2.25.2'), SeriesInstanceUID: '2.25.503' },
              {
                ...whole,
                ...WINDOW,
                SeriesInstanceUID: IMAGE.SeriesInstanceUID ?? '2.25.501',
                RescaleSlope: '1',
                RescaleIntercept: '-1024',
                GeometryForDisplay: 'TRUE',
                PaletteColorLookupTableSequence: [Object.fromEntries(palette)],
              },
            ],
            BlendingDisplaySequence: [step('EQUAL', [1, 2])],
          }),
        ),
      );
      const { state } = await read(server, 2);
      expect(state!.blending!.reason).toBeNull();
      expect(state!.blending!.inputs.map(({ position, images: found }) => [position, found])).toEqual([
        ['SUPERIMPOSED', [{ file_index: 1, frame_indices: null }]],
        ['UNDERLYING', [{ file_index: 0, frame_indices: null }]],
      ]);
      const response = await server.request('/api/file/0/frame/0?presentation=2');
      const { pixels } = readPng(new Uint8Array(await response.arrayBuffer()));
      // The gray levels of the plain state above, in red and blue.
      expect([...pixels]).toEqual([0, 0, 0, 128, 0, 128, 255, 0, 255]);
    });
  });
});

describe('key object selections', () => {
  const images = ['2.25.1', '2.25.2'].map((uid) => writeDicom(placedImage({ uid, rows: 4, columns: 4 })));

  test('have their title, their description and their images', async () => {
    const selection = keyObjectElements([named('2.25.2'), named('2.25.8')]);
    const server = await serveShared(...images, writeDicom(selection));
    const { key_objects: found, state, images: open, missing } = await read(server, 2);
    expect(found).toMatchObject({
      title: { value: '113000', scheme: 'DCM', meaning: 'Of Interest' },
      description: 'Look here',
      is_rejection: false,
    });
    expect([state, open, missing.length]).toEqual([null, [{ file_index: 1, frame_indices: null }], 1]);
  });

  test.each(['113001', '113037', '113038', '113039'])('with the title %s reject their images', async (value) => {
    const server = await serveShared(
      ...images,
      writeDicom(keyObjectElements([named('2.25.1')], { title: [value, 'Rejected'] })),
    );
    expect((await read(server, 2)).key_objects?.is_rejection).toBe(true);
  });

  test('are what the endpoint describes besides states, and nothing else', async () => {
    const server = await serveShared(...images);
    const response = await server.request('/api/file/0/presentation');
    expect([response.status, (await response.json()).code]).toEqual([400, 'bad_request']);
  });
});
