import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { DataSetInput } from '../../src/server/standard/dicom/dataSetInput.ts';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import type { FilesResponse } from '../../src/shared/contract/files.ts';
import type { PresentationResponse } from '../../src/shared/contract/presentation.ts';
import { imageToCanvas, applyMatrix } from '../../src/web/show/pictures/viewTransform.ts';
import { colorField } from '../../src/web/over/layers/field/colorField.ts';
import { toFieldScale } from '../../src/web/over/layers/field/blendedField.ts';
import { viewOfState } from '../../src/web/over/presentation/stateView.ts';
import { CORPUS, findCorpus, findLayersData, LAYERS_DATA, needs } from '../support/needs.ts';
import { blendingElements, named, stateElements } from '../support/presentationElements.ts';
import { readPng } from '../support/readPng.ts';
import { serveShared, type SharedServer } from '../support/serve.ts';
import { imageOfCase, samplesOfCase, STATE_CASES, toElements } from '../support/stateCases.ts';

type RecordedGraphic = {
  readonly shape: string;
  readonly units?: string;
  readonly points?: readonly number[];
  readonly filled?: boolean;
  readonly value?: string;
  readonly box?: { readonly units: string; readonly corners: readonly number[] };
  readonly anchor?: { readonly units: string; readonly point: readonly number[] };
};

type RecordedState = {
  readonly image: string;
  readonly state: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly graphics: readonly RecordedGraphic[];
};

type Corners = readonly (readonly [number, number])[];

/** Written by makeStates.py, with pydicom, highdicom and numpy. */
const RECORDED: {
  readonly real: { readonly corpus: readonly RecordedState[]; readonly layers: readonly RecordedState[] };
  readonly states: Readonly<Record<string, readonly (readonly number[] | null)[]>>;
  readonly compounds: readonly (readonly number[])[];
  readonly highdicom: {
    readonly file: string;
    readonly pixels: readonly number[];
    readonly graphics: readonly RecordedGraphic[];
  };
  readonly blends: Readonly<Record<string, readonly (readonly number[])[]>>;
  readonly areas: readonly (readonly Corners[])[];
} = JSON.parse(readFileSync(new URL('states.json', import.meta.url), 'utf8'));

async function readState(server: SharedServer, index: number | undefined) {
  const response = await server.request(`/api/file/${index}/presentation`);
  expect(response.status).toBe(200);
  const { state }: PresentationResponse = await response.json();
  return state!;
}

async function showPixels(server: SharedServer, image: number | undefined, state: number | undefined) {
  const response = await server.request(`/api/file/${image}/frame/0?presentation=${state}`);
  expect(response.status).toBe(200);
  return readPng(new Uint8Array(await response.arrayBuffer()));
}

/** Compares the picture and the graphics of a real state with the recorded ones. */
async function expectReal(folder: string, recorded: RecordedState): Promise<void> {
  const [image, state] = [`${folder}/${recorded.image}`, `${folder}/${recorded.state}`];
  const server = await serveShared(image, state);
  const { files }: FilesResponse = await (await server.request('/api/files')).json();
  const indexOf = (path: string) => files.find((file) => file.path === path)?.index;
  const { pixels } = await showPixels(server, indexOf(image), indexOf(state));
  expect({ sha256: createHash('sha256').update(pixels).digest('hex'), bytes: pixels.length }).toEqual({
    sha256: recorded.sha256,
    bytes: recorded.bytes,
  });
  await compareGraphics(server, indexOf(state), recorded.graphics);
}

async function compareGraphics(
  server: SharedServer,
  state: number | undefined,
  recorded: readonly RecordedGraphic[],
): Promise<void> {
  const { graphics, left_out: leftOut } = await readState(server, state);
  const items = graphics.flatMap((part) => part.items);
  expect([items.length, leftOut]).toEqual([recorded.length, 0]);
  for (const [at, expected] of recorded.entries()) {
    const { shape, units, points, filled, text } = items[at]!;
    const isText = shape === 'text';
    const words = { shape, units, filled, value: text?.value, box: text?.box?.units, anchor: text?.anchor?.units };
    expect(words).toEqual({
      shape: expected.shape,
      units: isText ? units : expected.units,
      filled: isText ? filled : expected.filled,
      value: expected.value,
      box: expected.box?.units,
      anchor: expected.anchor?.units,
    });
    const found = [...points, ...(text?.box?.corners ?? []), ...(text?.anchor?.point ?? [])];
    const { points: own = [], box, anchor } = expected;
    expect(distance(found, [...own, ...(box?.corners ?? []), ...(anchor?.point ?? [])])).toBeLessThan(1e-4);
  }
}

/** The largest difference of two lists; infinite if they are not of the same length. */
function distance(found: readonly number[], expected: readonly number[]): number {
  if (found.length !== expected.length) return Infinity;
  return Math.max(0, ...found.map((value, at) => Math.abs(value - expected[at]!)));
}

describe('real states', needs(CORPUS), () => {
  test.each(RECORDED.real.corpus.map((recorded) => [recorded.state, recorded] as const))(
    '%s: pixels and graphics are those of pydicom and numpy',
    (_name, recorded) => expect(expectReal(findCorpus() ?? '', recorded)).resolves.toBeUndefined(),
  );
});

describe('states of the phantom', needs(LAYERS_DATA), () => {
  test.each(RECORDED.real.layers.map((recorded) => [recorded.state, recorded] as const))(
    '%s: pixels and graphics are those of pydicom and numpy',
    (_name, recorded) => expect(expectReal(findLayersData() ?? '', recorded)).resolves.toBeUndefined(),
  );
});

test('the advanced blending state of the phantom has a CT under a PET', needs(LAYERS_DATA), async () => {
  const folder = `${findLayersData()}/synthetic-phantom`;
  const server = await serveShared(`${folder}/ct`, `${folder}/pet`, `${folder}/pr/advanced_blending_ct_pet.dcm`);
  const { files }: FilesResponse = await (await server.request('/api/files')).json();
  const { blending } = await readState(server, files.find(({ modality }) => modality === 'PR')?.index);
  expect(blending).toMatchObject({
    reason: null,
    steps: [{ inputs: [1, 2], mode: 'FOREGROUND', opacity: expect.closeTo(0.4, 6), result: null }],
    inputs: [
      { number: 1, position: 'UNDERLYING', missing_count: 0, scale: null },
      // A rescale of 0.5 and a window 24,999 wide around 12,499.5: stored values from 0 to 49,998.
      { number: 2, position: 'SUPERIMPOSED', missing_count: 0, scale: { low: 0, high: 49_998 } },
    ],
  });
});

const IDENTITY = { StudyInstanceUID: '2.25.502', SeriesInstanceUID: '2.25.501', Modality: 'CT' };
const CT = '1.2.840.10008.5.1.4.1.1.2';

function writeCase(name: string, uid: string, more: DataSetInput = {}): Uint8Array {
  return writeDicom({ SOPClassUID: CT, SOPInstanceUID: uid, ...IDENTITY, ...imageOfCase(name), ...more });
}

describe('the pixels of a state are those of highdicom and numpy', () => {
  test.each(Object.entries(STATE_CASES.states))('%s', async (name, { image, class: sopClass, elements }) => {
    const state = stateElements([named('2.25.1')], {
      PresentationLUTShape: undefined,
      ...(sopClass !== undefined && { SOPClassUID: sopClass }),
      ...toElements(elements),
    });
    const server = await serveShared(writeCase(image, '2.25.1'), writeDicom(state));
    const { channels, pixels } = await showPixels(server, 0, 1);
    const recorded = RECORDED.states[name]!;
    const found = recorded.map((pixel, at) => pixel && [...pixels.subarray(at * channels, (at + 1) * channels)]);
    expect(found).toEqual(recorded);
  });
});

test('a state of highdicom has its pixels and graphics', async () => {
  const { file, pixels: recorded, graphics } = RECORDED.highdicom;
  const server = await serveShared(writeCase('ramp', '2.25.1'), new Uint8Array(Buffer.from(file, 'base64')));
  expect([...(await showPixels(server, 0, 1)).pixels]).toEqual(recorded);
  await compareGraphics(server, 1, graphics);
});

test('compound graphics are where numpy turns them', async () => {
  const sequence = STATE_CASES.compounds.map((elements, at) => ({
    CompoundGraphicInstanceID: at + 1,
    GraphicDimensions: 2,
    ...toElements(elements),
  }));
  const state = stateElements([named('2.25.1')], {
    GraphicAnnotationSequence: [{ GraphicLayer: 'L', CompoundGraphicSequence: sequence }],
  });
  const server = await serveShared(writeCase('ramp', '2.25.1'), writeDicom(state));
  const { graphics } = await readState(server, 1);
  const items = graphics.flatMap((part) => part.items);
  expect(items.map(({ shape, units }) => [shape, units])).toEqual([
    ['polygon', 'pixel'],
    ['polygon', 'display'],
    ['ellipse', 'pixel'],
    ['polyline', 'matrix'],
  ]);
  for (const [at, points] of RECORDED.compounds.entries()) {
    expect(distance(items[at]!.points, points)).toBeLessThan(1e-4);
  }
});

describe('what is blended is what PS3.4 N.2.4.3 says', () => {
  test.each(Object.entries(STATE_CASES.blends))('through %s', async (name, { opacity, under, over }) => {
    const images = [
      { position: 'UNDERLYING', images: [named('2.25.1')], elements: toElements(under) },
      { position: 'SUPERIMPOSED', images: [named('2.25.2')], elements: toElements(over) },
    ] as const;
    const state = blendingElements(images, { RelativeOpacity: opacity, ...toElements(STATE_CASES.palette) });
    // The superimposed image has a rescale of its own, which does not apply: the colors are those of stored values.
    const rescale = { RescaleSlope: '2', RescaleIntercept: '-500' };
    const server = await serveShared(
      writeCase('under', '2.25.1'),
      writeCase('over', '2.25.2', { ...rescale, SeriesInstanceUID: '2.25.503' }),
      writeDicom(state),
    );
    const { pixels: gray } = await showPixels(server, 0, 2);
    const { blending } = await readState(server, 2);
    expect(blending).toMatchObject({
      reason: null,
      inputs: [{ scale: null }, { opacity: expect.closeTo(opacity, 6) }],
    });
    const scale = toFieldScale(
      blending!.inputs[1]!,
      { rescale: { slope: 2, intercept: -500, type: null }, bits_stored: 12, pixel_representation: 0 },
      // A unit in which the field is shown.
      { slope: 0.1, intercept: 7 },
    )!;
    const values = Float32Array.from(samplesOfCase('over'), (sample) => sample * 2 - 500);
    const colors = new Uint32Array(values.length);
    const line = { slope: 0.1, intercept: 7 };
    colorField(colors, values, { ...LOOK, ...scale, line });
    const mixed = [...colors].map((color, at) =>
      [color & 0xff, (color >>> 8) & 0xff, (color >>> 16) & 0xff].map(
        (channel) => channel * opacity + gray[at]! * (1 - opacity),
      ),
    );
    // The gray is rounded to a level before it is mixed, which is half a level at most.
    for (const [at, pixel] of RECORDED.blends[name]!.entries()) {
      for (const [channel, value] of pixel.entries()) {
        expect(Math.abs(mixed[at]![channel]! - value)).toBeLessThanOrEqual(0.5);
      }
    }
  });
});

const LOOK = {
  colorMap: 'gray',
  opacity: 1,
  threshold: undefined,
  isWash: true,
  areLines: false,
  levels: [],
  reference: 0,
  volume: undefined,
} as const;

test('areas are where numpy puts them, for all modes, rotations and flips', async () => {
  const [width, height] = STATE_CASES.areaImage;
  const server = await serveShared(
    writeCase('ramp', '2.25.1'),
    writeDicom(stateElements([named('2.25.1')], { DisplayedAreaSelectionSequence: STATE_CASES.areas.map(toElements) })),
  );
  const { areas } = await readState(server, 1);
  const canvas = { width: STATE_CASES.canvas[0], height: STATE_CASES.canvas[1], pixelRatio: 1 };
  const image = { width, height, aspect: 1 };
  const ways = [false, true].flatMap((isFlipped) =>
    ([0, 90, 180, 270] as const).map((rotation) => ({ rotation, isFlipped })),
  );
  for (const [at, area] of areas.entries()) {
    for (const [way, place] of ways.entries()) {
      const view = viewOfState({ area, ...place }, image, canvas);
      const matrix = imageToCanvas(view, image, canvas);
      const [left = 0, top = 0, right = 0, bottom = 0] = area.corners.map((corner) => corner + 0.5);
      const corners = [
        { x: left, y: top },
        { x: right, y: top },
        { x: right, y: bottom },
        { x: left, y: bottom },
      ].map((corner) => applyMatrix(matrix, corner));
      const found = corners.flatMap(({ x, y }) => [x, y]);
      expect(distance(found, RECORDED.areas[at]![way]!.flat())).toBeLessThan(1e-4);
    }
  }
});
