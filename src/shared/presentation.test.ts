import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createGrayTables } from './grayTable.ts';
import { NO_RESCALE, toRescale } from './modality.ts';
import { findTablePicture, type FrameToPresent, presentFrame } from './presentation.ts';
import type { SampleArray } from './sampleArray.ts';

describe('gray', () => {
  test('a CT frame is mapped by rescale and window, and reports both', () => {
    const frame = createFrame(Int16Array.of(863, 1064, 1264), {
      modality: toRescale(1, -1024),
      voi: { windows: [{ center: 40, width: 400 }], shape: undefined, tables: [] },
    });
    const { pixels, channels, window } = presentFrame(frame, { kind: 'default' }, createGrayTables());
    expect([...pixels]).toEqual([0, 128, 255]); // -161, 40 and 240 HU
    expect(channels).toBe(1);
    expect(window).toEqual({ center: 40, width: 400, applied: 'linear' });
  });

  test.each([
    ['signed bytes', Int8Array.of(-100, 0, 100)],
    ['signed words', Int16Array.of(-100, 0, 100)],
    ['signed 32-bit integers', Int32Array.of(-100, 0, 100)],
    ['signed 64-bit integers', BigInt64Array.of(-100n, 0n, 100n)],
    ['floats', Float32Array.of(-100, 0, 100)],
    ['doubles', Float64Array.of(-100, 0, 100)],
  ])('full dynamic shows %s from black to white', (_, samples) => {
    const { pixels } = presentFrame(createFrame(samples), { kind: 'full_dynamic' }, createGrayTables());
    // 0 is half-way: 127.5, and halves are rounded up.
    expect([...pixels]).toEqual([0, 128, 255]);
  });

  test('a picture drawn by its table alone equals the presented one', () => {
    const samples = fc.oneof(
      fc.int16Array({ minLength: 2 }),
      fc.uint16Array({ minLength: 2 }),
      fc.int8Array({ minLength: 2 }),
      fc.uint8Array({ minLength: 2 }),
    );
    fc.assert(
      fc.property(samples, fc.boolean(), (values, inverted) => {
        const photometricInterpretation = inverted ? 'MONOCHROME1' : 'MONOCHROME2';
        const frame = createFrame(values, { photometricInterpretation });
        const { pixels, table, ...rest } = findTablePicture(frame, { kind: 'default' }, createGrayTables())!;
        const lookedUp = Uint8Array.from(pixels, (value) => table[value]!);
        const presented = presentFrame(frame, { kind: 'default' }, createGrayTables());
        expect({ ...rest, pixels: lookedUp }).toEqual(presented);
      }),
    );
  });

  test.each([
    ['floats', Float32Array.of(1, 2, 3), {}],
    ['color', Uint8Array.of(1, 2, 3), { photometricInterpretation: 'RGB' }],
    ['shutters', Uint8Array.of(1, 2, 3), { shutters: { shutters: [], presentationValue: 0 } }],
  ])('with %s a picture cannot be drawn by a table alone', (_, samples, more) => {
    expect(findTablePicture(createFrame(samples, more), { kind: 'default' }, createGrayTables())).toBeUndefined();
  });

  test('the window that full dynamic reports gives the same picture if requested', () => {
    const samples = fc.oneof(
      fc.int16Array({ minLength: 2 }),
      fc.uint16Array({ minLength: 2 }),
      fc.float32Array({ minLength: 2, noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 }),
    );
    fc.assert(
      fc.property(samples, (values) => {
        const frame = createFrame(values);
        const tables = createGrayTables();
        const full = presentFrame(frame, { kind: 'full_dynamic' }, tables);
        const { center, width } = full.window!;
        const again = presentFrame(frame, { kind: 'explicit', center, width }, tables);
        expect(again).toEqual(full);
      }),
    );
  });

  test('a VOI LUT reports its input range', () => {
    const table = { firstValue: 10, entries: Uint8Array.of(0, 100, 255, 50), bits: 8 };
    const frame = createFrame(Uint8Array.of(10, 11, 12, 13), {
      voi: { windows: [], shape: undefined, tables: [table] },
    });
    const { pixels, window } = presentFrame(frame, { kind: 'default' }, createGrayTables());
    expect([...pixels]).toEqual([0, 100, 255, 50]);
    expect(window).toEqual({ center: 12, width: 4, applied: 'voi_lut' });
  });

  test('MONOCHROME1 is inverted, and its padding is black', () => {
    const frame = createFrame(Uint16Array.of(0, 50, 100, 4000), {
      photometricInterpretation: 'MONOCHROME1',
      padding: { low: 4000, high: 4000 },
    });
    const { pixels } = presentFrame(frame, { kind: 'full_dynamic' }, createGrayTables());
    expect([...pixels]).toEqual([255, 127, 0, 0]);
  });

  test('float padding is black and does not affect the window', () => {
    const frame = createFrame(Float32Array.of(-1e30, 0, 1), { padding: { low: -Infinity, high: -1e20 } });
    const { pixels, window } = presentFrame(frame, { kind: 'default' }, createGrayTables());
    expect([...pixels]).toEqual([0, 0, 255]);
    expect(window).toEqual({ center: 0.5, width: 1, applied: 'linear_exact' });
  });

  test('samples as words and as 32-bit integers look the same', () => {
    const value = fc.integer({ min: -32_768, max: 32_767 });
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1 }),
        value,
        fc.integer({ min: 1, max: 9999 }),
        (values, center, width) => {
          const choice = { kind: 'explicit', center, width } as const;
          const modality = toRescale(0.37, -11);
          const narrow = presentFrame(createFrame(Int16Array.from(values), { modality }), choice, createGrayTables());
          const wide = presentFrame(createFrame(Int32Array.from(values), { modality }), choice, createGrayTables());
          expect(wide).toEqual(narrow);
        },
      ),
    );
  });
});

describe('color', () => {
  test('has no window, whatever is requested', () => {
    const frame = createFrame(Uint8Array.of(1, 2, 3), { photometricInterpretation: 'RGB', bitsStored: 8, columns: 1 });
    const presented = presentFrame(frame, { kind: 'explicit', center: 1, width: 1 }, createGrayTables());
    expect(presented).toMatchObject({ channels: 3, window: undefined });
    expect([...presented.pixels]).toEqual([1, 2, 3]);
  });

  test('is looked up in a palette', () => {
    const palette = { firstValue: 0, colors: Uint8Array.of(9, 8, 7, 6, 5, 4) };
    const frame = createFrame(Uint8Array.of(1, 0), { photometricInterpretation: 'PALETTE COLOR', palette });
    expect([...presentFrame(frame, { kind: 'default' }, createGrayTables()).pixels]).toEqual([6, 5, 4, 9, 8, 7]);
  });

  test('of a supplemental palette keeps the window of the gray part', () => {
    const frame = createFrame(Uint16Array.of(0, 200, 300), {
      supplementalPalette: { firstValue: 300, colors: Uint8Array.of(255, 0, 0) },
      voi: { windows: [{ center: 128, width: 256 }], shape: undefined, tables: [] },
    });
    const { pixels, channels, window } = presentFrame(frame, { kind: 'default' }, createGrayTables());
    expect([channels, window?.center]).toEqual([3, 128]);
    // LINEAR with center 128 and width 256 is the identity on bytes.
    expect([...pixels]).toEqual([0, 0, 0, 200, 200, 200, 255, 0, 0]);
  });

  test('of a supplemental palette does not affect the window of the gray part', () => {
    const frame = createFrame(Uint16Array.of(0, 200, 3000), {
      supplementalPalette: { firstValue: 300, colors: Uint8Array.of(255, 0, 0) },
    });
    // Black at 0 and white at 200.
    expect(presentFrame(frame, { kind: 'full_dynamic' }, createGrayTables()).window).toMatchObject({ width: 201 });
  });

  test.each(['CMYK', 'HSV', 'PALETTE COLOR'])(
    '%s that cannot be shown is refused by name',
    (photometricInterpretation) => {
      const frame = createFrame(Uint8Array.of(1), { photometricInterpretation });
      expect(() => presentFrame(frame, { kind: 'default' }, createGrayTables())).toThrow(photometricInterpretation);
    },
  );
});

test('overlays are drawn over shutters', () => {
  const frame = createFrame(Uint8Array.of(200, 200, 200), {
    voi: { windows: [{ center: 128, width: 256 }], shape: undefined, tables: [] },
    shutters: { shutters: [{ shape: 'rectangular', left: 1, right: 1, upper: 1, lower: 1 }], presentationValue: 0 },
    overlays: [{ rows: 1, columns: 1, origin: [1, 3], mask: Uint8Array.of(1) }],
  });
  expect([...presentFrame(frame, { kind: 'default' }, createGrayTables()).pixels]).toEqual([200, 0, 255]);
});

test('the samples themselves are never changed', () => {
  const samples = Uint8Array.of(1, 2, 3);
  presentFrame(
    createFrame(samples, {
      photometricInterpretation: 'RGB',
      columns: 1,
      overlays: [{ rows: 1, columns: 1, origin: [1, 1], mask: Uint8Array.of(1) }],
    }),
    { kind: 'default' },
    createGrayTables(),
  );
  expect([...samples]).toEqual([1, 2, 3]);
});

function createFrame(samples: SampleArray, more: Partial<FrameToPresent> = {}): FrameToPresent {
  return {
    rows: 1,
    columns: samples.length,
    samples,
    photometricInterpretation: 'MONOCHROME2',
    bitsStored: samples.BYTES_PER_ELEMENT * 8,
    modality: NO_RESCALE,
    voi: { windows: [], shape: undefined, tables: [] },
    ...more,
  };
}
