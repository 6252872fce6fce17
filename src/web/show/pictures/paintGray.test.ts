import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { WindowChoice } from '../../../shared/chooseVoi.ts';
import { createGrayTables } from '../../../shared/grayTable.ts';
import { presentFrame } from '../../../shared/presentation.ts';
import { rotateBy, WHOLE_IMAGE } from '../../kit/state/viewState.ts';
import type { GrayFrame } from './loadedFrame.ts';
import { createGrayPainter, type GrayPainter } from './paintGray.ts';
import { buildSampleGrid } from './sampleGrid.ts';
import { alignToPixels, imageToCanvas } from './viewTransform.ts';

const [ROWS, COLUMNS] = [5, 7];

function createFrame(samples: GrayFrame['samples'], more: Partial<GrayFrame> = {}): GrayFrame {
  return {
    kind: 'gray',
    rows: ROWS,
    columns: COLUMNS,
    samples,
    isMonochrome1: false,
    modality: { kind: 'rescale', slope: 1, intercept: 0 },
    voi: { windows: [], shape: undefined, tables: [] },
    padding: undefined,
    presentation: 'raw',
    ...more,
  };
}

const ramp = Int16Array.from({ length: ROWS * COLUMNS }, (_, i) => i * 10 - 100);

/** R, G and B of a pixel are equal and A is 255: the number is 0xffgggggg. */
function grayOf(pixels: Uint32Array): number[] {
  return [...pixels].map((pixel) => {
    expect(pixel >>> 0).toBe((0xff000000 + (pixel & 0xff) * 0x010101) >>> 0);
    return pixel & 0xff;
  });
}

function paint(painter: GrayPainter, frame: GrayFrame, choice: WindowChoice, invert = false): Uint32Array {
  const pixels = new Uint32Array(ROWS * COLUMNS);
  painter.paintWhole(frame, painter.pipelineOf(frame, choice, { invert }), pixels);
  return pixels;
}

describe('a gray frame painted here', () => {
  test('is the picture that the server makes, for any samples, rescale, padding and window', () => {
    const arrays = [Uint8Array, Int8Array, Uint16Array, Int16Array, Int32Array, Float32Array, Float64Array];
    fc.assert(
      fc.property(
        fc.constantFrom(...arrays),
        fc.array(fc.integer({ min: -40_000, max: 70_000 }), { minLength: ROWS * COLUMNS, maxLength: ROWS * COLUMNS }),
        fc.record({ slope: fc.constantFrom(1, -2, 0.5, 1.37), intercept: fc.constantFrom(0, -1024, 3.25) }),
        fc.constantFrom(undefined, { low: -5, high: 12 }, { low: 100, high: 100 }),
        fc.constantFrom<WindowChoice>(
          { kind: 'default' },
          { kind: 'full_dynamic' },
          { kind: 'explicit', center: 40, width: 400 },
          { kind: 'explicit', center: 0.5, width: 0.25 },
        ),
        fc.boolean(),
        fc.constantFrom(undefined, 'LINEAR', 'LINEAR_EXACT', 'SIGMOID'),
        (SampleType, values, rescale, padding, choice, isMonochrome1, shape) => {
          const modality = { kind: 'rescale' as const, ...rescale };
          const voi = { windows: [], shape, tables: [] };
          const frame = createFrame(SampleType.from(values), { modality, padding, isMonochrome1, voi });
          const painter = createGrayPainter();

          const painted = paint(painter, frame, choice);

          const photometricInterpretation = isMonochrome1 ? 'MONOCHROME1' : 'MONOCHROME2';
          const served = presentFrame(
            { ...frame, photometricInterpretation, bitsStored: 16 },
            choice,
            createGrayTables(),
          );
          expect(grayOf(painted)).toEqual([...served.pixels]);
        },
      ),
    );
  });

  test('is inverted on demand, and padding stays black', () => {
    const painter = createGrayPainter();
    const frame = createFrame(ramp, { padding: { low: -100, high: -100 } });
    const choice = { kind: 'explicit', center: 0, width: 100 } as const;

    const [upright, inverted] = [false, true].map((invert) => grayOf(paint(painter, frame, choice, invert)));

    expect([upright?.[0], inverted?.[0]]).toEqual([0, 0]);
    expect(inverted?.slice(1)).toEqual(upright?.slice(1).map((level) => 255 - level));
  });

  test.each([
    ['integers', ramp],
    ['floats', Float32Array.from(ramp)],
  ])('sampled at the size of the canvas, %s have the level of the sample under each pixel', (_, samples) => {
    const painter = createGrayPainter();
    const frame = createFrame(samples);
    const pipeline = painter.pipelineOf(frame, { kind: 'full_dynamic' });
    const whole = paint(painter, frame, { kind: 'full_dynamic' });
    const canvas = { width: 21, height: 20 };
    const image = { width: COLUMNS, height: ROWS, aspect: 1 };
    for (const view of [WHOLE_IMAGE, rotateBy(WHOLE_IMAGE, 1), { ...WHOLE_IMAGE, flipHorizontal: true }]) {
      const matrix = alignToPixels(imageToCanvas({ ...view, zoom: 2 }, image, canvas));
      const { offsetsAcross, offsetsDown } = buildSampleGrid(matrix, image, canvas);

      const sampled = new Uint32Array(canvas.width * canvas.height);
      painter.paintSampled(frame, pipeline, { offsetsAcross, offsetsDown }, sampled);

      const expected = [...offsetsDown].flatMap((down) =>
        [...offsetsAcross].map((across) => (down < 0 || across < 0 ? 0xff000000 : whole[down + across])),
      );
      expect([...sampled]).toEqual(expected);
      // Each sample covers 2 x 2 pixels.
      expect([...offsetsDown].filter((offset) => offset >= 0).length).toBe(view.quarterTurns === 1 ? 14 : 10);
    }
  });
});
