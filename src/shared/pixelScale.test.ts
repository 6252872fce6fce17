import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  angleBetween,
  angleOfLines,
  areaBetween,
  chooseScale,
  type FrameScale,
  lengthBetween,
  type ScaledRegion,
} from './pixelScale.ts';

const mm = (perPixel: number) => ({ unit: 'mm', perPixel }) as const;
const at = (x: number, y: number) => ({ x, y });

test('a length takes the spacing of rows down and that of columns across', () => {
  // 3 columns of 2 mm and 4 rows of 0.5 mm: 6 mm and 2 mm.
  expect(lengthBetween(at(1, 1), at(4, 5), [0.5, 2])).toBeCloseTo(Math.sqrt(40), 12);
});

test('an angle is that of the patient, not that of the pixels', () => {
  // On pixels twice as high as wide, one right and one down is a slope of 2.
  expect(angleBetween(at(1, 0), at(0, 0), at(1, 1), 2)).toBeCloseTo((Math.atan(2) * 180) / Math.PI, 12);
  expect(angleBetween(at(1, 0), at(0, 0), at(1, 1), 1)).toBeCloseTo(45, 12);
});

test('a straight line is 180 degrees and a fold none', () => {
  expect(angleBetween(at(0, 0), at(1, 0), at(5, 0), 1)).toBe(180);
  expect(angleBetween(at(5, 0), at(1, 0), at(3, 0), 1)).toBe(0);
});

test('an area is that of both spacings', () => {
  // 3 columns of 2 mm by 4 rows of 0.5 mm.
  expect(areaBetween(at(4, 5), at(1, 1), [0.5, 2])).toBe(12);
});

describe('the scale of a measurement', () => {
  const file: FrameScale = { spacingMm: [0.375, 0.25], source: 'imager', aspect: 1.5, regions: [] };
  const motion = { x: { unit: 's', perPixel: 0.01 }, y: mm(0.5) } as const;
  const regions: readonly ScaledRegion[] = [
    { from: at(0, 0), to: at(100, 80), x: mm(0.25), y: mm(0.5), isLow: true },
    { from: at(0, 80), to: at(100, 120), ...motion, isLow: true },
  ];

  test('is that of the file, with its source', () => {
    expect(chooseScale(file, [at(1, 1)])).toEqual({
      spacing: [0.375, 0.25],
      unit: 'mm',
      source: 'imager',
      aspect: 1.5,
    });
  });

  test('is in pixels where the file declares none, with the aspect that it declares', () => {
    expect(chooseScale({ ...file, spacingMm: undefined, source: undefined }, [at(1, 1)])).toEqual({
      spacing: [1, 1],
      unit: 'px',
      source: undefined,
      aspect: 1.5,
    });
  });

  test('is that of the ultrasound region that all points are in', () => {
    expect(chooseScale({ ...file, regions }, [at(10, 10), at(90, 79)])).toEqual({
      spacing: [0.5, 0.25],
      unit: 'mm',
      source: 'ultrasound_region',
      aspect: 2,
    });
  });

  test('is in pixels in a region of time, across regions and beside them', () => {
    for (const points of [[at(5, 90)], [at(5, 5), at(5, 90)], [at(150, 5)]]) {
      expect(chooseScale({ ...file, regions }, points).unit).toBe('px');
    }
    expect(chooseScale({ ...file, regions }, [at(5, 90)]).axes).toEqual(motion);
    expect(chooseScale({ ...file, regions }, [at(150, 5)]).axes).toBeUndefined();
  });

  // As some scanners write it: a first region without units over the whole image, of low priority like the others.
  test('is that of a region that says what its axes are, before one of the same priority that does not', () => {
    const whole: ScaledRegion = { from: at(0, 0), to: at(200, 200), x: undefined, y: undefined, isLow: true };
    expect(chooseScale({ ...file, regions: [whole, ...regions] }, [at(10, 10)]).spacing).toEqual([0.5, 0.25]);
    const over: ScaledRegion = { ...whole, isLow: false };
    expect(chooseScale({ ...file, regions: [...regions, over] }, [at(10, 10)]).unit).toBe('px');
    const inset: ScaledRegion = { from: at(5, 5), to: at(20, 20), x: mm(1), y: mm(2), isLow: false };
    expect(chooseScale({ ...file, regions: [...regions, inset] }, [at(10, 10)]).spacing).toEqual([2, 1]);
    expect(chooseScale({ ...file, regions: [...regions, inset] }, [at(10, 10), at(50, 50)]).spacing).toEqual([
      0.5, 0.25,
    ]);
  });
});

describe('the angle between two lines', () => {
  const anyPoint = fc.record({ x: fc.integer({ min: -50, max: 50 }), y: fc.integer({ min: -50, max: 50 }) });

  test('is that of the lines in the patient, however they were drawn', () => {
    // 30 columns and 20 rows of 1.5: 45°.
    expect(angleOfLines([at(0, 0), at(30, 20)], [at(50, 50), at(90, 50)], 1.5)).toBeCloseTo(45);
    expect(angleOfLines([at(30, 20), at(0, 0)], [at(50, 50), at(90, 50)], 1.5)).toBeCloseTo(45);
    // Between end plates that lean towards each other by 20° and 15°.
    const [a, b] = [(20 * Math.PI) / 180, (15 * Math.PI) / 180];
    const upper = [at(0, 0), at(40 * Math.cos(a), 40 * Math.sin(a))] as const;
    const lower = [at(0, 90), at(40 * Math.cos(b), 90 - 40 * Math.sin(b))] as const;
    expect(angleOfLines(upper, lower, 1)).toBeCloseTo(35);
  });

  test('is that between the arms of an angle, but never obtuse', () => {
    fc.assert(
      fc.property(anyPoint, anyPoint, anyPoint, (a, vertex, b) => {
        const between = angleBetween(a, vertex, b, 1.25);
        expect(angleOfLines([vertex, a], [b, vertex], 1.25)).toBeCloseTo(Math.min(between, 180 - between), 9);
      }),
    );
  });
});
