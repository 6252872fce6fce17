import { describe, expect, test } from 'vitest';
import { readWindow, writeWindow } from './typedWindow.ts';

const HU = { slope: 1, intercept: 0, unit: 'HU' };
/** One SUV is 5,000 Bq/ml. */
const SUV = { slope: 1 / 5_000, intercept: 0, unit: 'g/ml' };
const BEFORE = { center: 40, width: 400 };

describe('a typed window', () => {
  test('is taken as it is in modality units', () => {
    expect(readWindow({ center: '-600', width: '1500' }, HU, BEFORE)).toEqual({
      window: { center: -600, width: 1500 },
    });
  });

  test('is converted from the unit that is shown', () => {
    // SUV 0 to 10 is 0 to 50,000 Bq/ml.
    expect(readWindow({ center: '5', width: '10' }, SUV, BEFORE)).toEqual({
      window: { center: 25_000, width: 50_000 },
    });
    expect(writeWindow({ center: 25_000, width: 50_000 }, SUV)).toEqual({ center: '5', width: '10' });
  });

  test('has a positive width where the unit falls with the values', () => {
    const falling = { slope: -2, intercept: 100, unit: '' };
    expect(writeWindow({ center: 30, width: 8 }, falling)).toEqual({ center: '40', width: '16' });
    expect(readWindow({ center: '20', width: '16' }, falling, BEFORE)).toEqual({ window: { center: 40, width: 8 } });
  });

  test('keeps a number that was not touched to its last digit', () => {
    const before = { center: 1 / 3, width: 2 / 3 };
    const typed = writeWindow(before, HU);
    expect(readWindow({ ...typed, width: '1' }, HU, before)).toEqual({ window: { center: 1 / 3, width: 1 } });
  });

  test('may have a decimal comma, spaces and a long minus', () => {
    expect(readWindow({ center: ' −0,5 ', width: '1e3' }, HU, BEFORE)).toEqual({
      window: { center: -0.5, width: 1000 },
    });
  });

  test.each([
    [{ center: 'x', width: '1' }, 'center', '“x” is not a number.'],
    [{ center: '1,000.5', width: '1' }, 'center', '“1,000.5” is not a number.'],
    [{ center: '1', width: ' ' }, 'width', 'Enter a width.'],
    [{ center: '1', width: '0' }, 'width', 'The width must be greater than 0.'],
    [{ center: '1', width: '-4' }, 'width', 'The width must be greater than 0.'],
    [{ center: 'Infinity', width: '1' }, 'center', '“Infinity” is not a number.'],
  ])('says what is wrong with %o', (typed, field, problem) => {
    expect(readWindow(typed, HU, BEFORE)).toEqual({ field, problem });
  });
});
