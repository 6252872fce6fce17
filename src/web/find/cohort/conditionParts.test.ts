import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addCondition,
  conditionsOn,
  passes,
  readRange,
  replaceConditionOn,
  splitCondition,
  writeChoice,
  writeContains,
  writeRange,
} from './conditionParts.ts';

const NAMES = ['Modality', 'Rows', 'EchoTime', '0019,xx0C@SIEMENS MR HEADER'];

function partsOf(where: string) {
  const parts = splitCondition(where, NAMES);
  if (parts === undefined) throw new Error(`${where} is no condition`);
  return parts;
}

describe('what a facet says replaces what was said of its column alone', () => {
  test.each([
    ['', "Modality = 'MR'", "Modality = 'MR'"],
    ['Rows > 5', "Modality = 'MR'", "Rows > 5 and Modality = 'MR'"],
    ["Modality = 'CT' and Rows > 5", "Modality = 'MR'", "Rows > 5 and Modality = 'MR'"],
    ["Modality = 'CT' and Rows > 5", undefined, 'Rows > 5'],
    ["Modality = 'CT'", undefined, ''],
    // Alternatives hold together.
    ['Rows > 5 or EchoTime < 1', "Modality = 'MR'", "(Rows > 5 or EchoTime < 1) and Modality = 'MR'"],
    ['(Rows > 5) or (EchoTime < 1)', "Modality = 'MR'", "((Rows > 5) or (EchoTime < 1)) and Modality = 'MR'"],
    ["Modality = 'a or b' and Rows > 5", "Modality = 'MR'", "Rows > 5 and Modality = 'MR'"],
    // It says something of another column as well.
    ["(Modality = 'CT' or Rows > 5)", "Modality = 'MR'", "(Modality = 'CT' or Rows > 5) and Modality = 'MR'"],
  ])('%j with %j is %j', (where, next, expected) => {
    expect(replaceConditionOn(partsOf(where), 'Modality', next)).toBe(expected);
  });

  test('a condition is added to alternatives, and the result means both', () => {
    const where = addCondition(partsOf("Rows > 5 or Modality = 'CT'"), 'EchoTime < 1');
    const [, added] = partsOf(where);
    expect(partsOf(where)).toHaveLength(2);
    expect(added?.text).toBe('EchoTime < 1');
  });

  test('what is no condition yet has no parts', () => {
    expect(splitCondition('Rows >', NAMES)).toBeUndefined();
    expect(splitCondition('Unknown = 1', NAMES)).toBeUndefined();
  });
});

describe('conditions on one column', () => {
  const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));

  test('a row passes the choice of values exactly if it has one of them', () => {
    const text = fc.oneof(fc.string({ unit: 'grapheme-ascii' }), fc.constant(null));
    fc.assert(
      fc.property(fc.uniqueArray(text, { minLength: 1, maxLength: 4 }), text, (values, other) => {
        const own = conditionsOn(partsOf(writeChoice('Modality', values)), 'Modality');
        expect(own).toHaveLength(1);
        expect(passes(own, 'Modality', other)).toBe(values.includes(other));
      }),
    );
  });

  test.each(NAMES)('a choice of %s is a condition on it', (name) => {
    fc.assert(
      fc.property(value, (one) => {
        expect(conditionsOn(partsOf(writeChoice(name, [one])), name)).toHaveLength(1);
      }),
    );
  });

  test.each([
    [{ low: 1.5, high: 3 }, 'EchoTime between 1.5 and 3'],
    [{ low: -2e-7, high: undefined }, 'EchoTime >= -2e-7'],
    [{ low: undefined, high: 4 }, 'EchoTime <= 4'],
  ])('the range %j is written as %j, and read again', (range, text) => {
    expect(writeRange('EchoTime', range)).toBe(text);
    expect(readRange(partsOf(text))).toEqual(range);
  });

  test('ranges of several conditions are read together, and others are none', () => {
    expect(readRange(partsOf('EchoTime >= 1 and EchoTime<=5 and EchoTime >= 2'))).toEqual({ low: 2, high: 5 });
    expect(readRange(partsOf('EchoTime = 1'))).toEqual({ low: undefined, high: undefined });
    expect(writeRange('EchoTime', { low: undefined, high: undefined })).toBeUndefined();
    const named = writeRange(NAMES[3]!, { low: 1, high: 2 })!;
    expect(readRange(partsOf(named))).toEqual({ low: 1, high: 2 });
  });

  test('a text that a value contains is found with quotes in it', () => {
    const own = partsOf(writeContains('Modality', "it's"));
    expect(passes(own, 'Modality', "say it's so")).toBe(true);
    expect(passes(own, 'Modality', 'its')).toBe(false);
  });
});
