import { describe, expect, test } from 'vitest';
import { writeCsaHeader } from '../../../../test/support/mosaicFiles.ts';
import { readCsaHeader } from './readCsaHeader.ts';

const ELEMENTS = [
  { name: 'EchoLinePosition', texts: ['32'] },
  { name: 'SliceNormalVector', texts: ['0.1', '-0.2', '0.97'] },
  { name: 'Empty', texts: [] },
  { name: 'NumberOfImagesInMosaic', texts: ['48'] },
];
const NAMES = new Set(['SliceNormalVector', 'Empty', 'NumberOfImagesInMosaic', 'Absent']);

describe.each(['new', 'old'] as const)('a CSA header of the %s form', (form) => {
  test('has the texts of each name', () => {
    const { items, problem } = readCsaHeader(writeCsaHeader(ELEMENTS, form), NAMES);
    expect(problem).toBeUndefined();
    expect([...items]).toEqual([
      ['SliceNormalVector', ['0.1', '-0.2', '0.97']],
      ['Empty', []],
      ['NumberOfImagesInMosaic', ['48']],
    ]);
  });

  test('that is cut anywhere gives what comes before, and never fails', () => {
    const whole = writeCsaHeader(ELEMENTS, form);
    for (let length = 0; length < whole.length; length += 1) {
      const { items } = readCsaHeader(whole.slice(0, length), NAMES);
      for (const [name, texts] of items) {
        const known = ELEMENTS.find((element) => element.name === name)!.texts;
        expect(texts.length).toBeLessThanOrEqual(known.length);
      }
    }
  });

  test('whose numbers are the largest possible ends at once', () => {
    const whole = writeCsaHeader(ELEMENTS, form);
    for (let at = 0; at + 4 <= whole.length; at += 4) {
      const changed = whole.slice();
      changed.set([0xff, 0xff, 0xff, 0xff], at);
      expect(() => readCsaHeader(changed, NAMES)).not.toThrow();
    }
  });
});

test('says what is wrong with a header', () => {
  expect(readCsaHeader(new Uint8Array(4), NAMES).problem).toBe('it is too short');
  expect(readCsaHeader(new Uint8Array(200), NAMES).problem).toBe('it has 0 elements');
  const many = writeCsaHeader(ELEMENTS);
  many.set([0xff, 0xff, 0, 0], 8);
  expect(readCsaHeader(many, NAMES).problem).toBe('it has 65535 elements');
});
