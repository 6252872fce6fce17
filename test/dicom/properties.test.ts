import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ViewerError } from '../../src/shared/contract/errors.ts';
import { bufferSource } from '../../src/server/bytes/origins/byteSource.ts';
import type { DataSet } from '../../src/server/standard/dicom/dataSet.ts';
import { createHeaderScanner } from '../../src/server/standard/dicom/headerScanner.ts';
import { readDicom } from '../../src/server/standard/dicom/readDataSet.ts';
import * as Tag from '../../src/server/standard/dicom/tag.ts';
import { findTag } from '../../src/server/standard/dicom/dictionary.ts';
import { writeTagTree } from '../../src/server/standard/dicom/tagTree.ts';
import { type DataSetInput, writeDicom, type WriteOptions } from '../../src/server/standard/dicom/writeDicom.ts';
import { leavesOf } from '../support/leavesOf.ts';

const SYNTAXES = ['1.2.840.10008.1.2.1', '1.2.840.10008.1.2', '1.2.840.10008.1.2.2', '1.2.840.10008.1.2.1.99'];

const writing: fc.Arbitrary<WriteOptions> = fc.record({
  transferSyntaxUid: fc.constantFrom(...SYNTAXES),
  sequenceLength: fc.constantFrom('defined', 'undefined'),
});

// Text that is the same after reading with any VR: no backslash, and no space at either end.
const text = (maxLength: number) =>
  fc.string({ unit: 'grapheme', maxLength }).map((value) => value.replace(/[\\\p{C}]/gu, '').trim());
const uid = fc.array(fc.nat(9999), { minLength: 1, maxLength: 8 }).map((parts) => `1.2.${parts.join('.')}`);
const float = fc.float({ noNaN: true, noDefaultInfinity: true });

/** DS allows 16 characters, so a position is written with as many digits as fit. */
const position = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 }).map(toDecimalString);

// Elements with the same VR in every transfer syntax.
const leaves = {
  SpecificCharacterSet: fc.constant('ISO_IR 192'),
  SOPInstanceUID: uid,
  PatientID: text(20).map((value) => value.slice(0, 64)),
  PatientName: text(20).map((value) => value.replace(/[=^]/g, '')),
  ImageComments: text(200),
  TextValue: text(500),
  Rows: fc.nat(65_535),
  PixelRepresentation: fc.nat(1),
  InstanceNumber: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  ImagePositionPatient: fc.array(position, { minLength: 1, maxLength: 3 }),
  RecommendedDisplayCIELabValue: fc.array(fc.nat(65_535), { maxLength: 5 }),
  DoubleFloatRealWorldValueFirstValueMapped: fc.double({ noNaN: true, noDefaultInfinity: true }),
  ReferencePixelX0: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  PhysicalDeltaX: float,
  FrameIncrementPointer: fc.constantFrom(0x00181063, 0x00181065),
  ICCProfile: fc.uint8Array({ maxLength: 40 }),
};

const items = (content: fc.Arbitrary<DataSetInput>) => fc.array(content, { maxLength: 2 });
const nest = (content: fc.Arbitrary<DataSetInput>): fc.Arbitrary<DataSetInput> =>
  fc.record(
    { ...leaves, ReferencedImageSequence: items(content), PerFrameFunctionalGroupsSequence: items(content) },
    { requiredKeys: ['SpecificCharacterSet'] },
  );
const dataSets = nest(
  nest(fc.record({ SOPInstanceUID: leaves.SOPInstanceUID, Rows: leaves.Rows }, { requiredKeys: [] })),
);

/** The values that were read, in the structure of the input. */
function toInput(dataSet: DataSet, written: DataSetInput): DataSetInput {
  const input: { [keyword: string]: DataSetInput[string] } = {};
  for (const [keyword, value] of Object.entries(written)) {
    const tag = findTag(keyword) ?? 0;
    if (!dataSet.has(tag)) continue;
    if (isItems(value)) input[keyword] = dataSet.items(tag).map((item, index) => toInput(item, value[index] ?? {}));
    else if (value instanceof Uint8Array) input[keyword] = dataSet.bytes(tag, 1_000_000)?.subarray(0, value.length);
    else if (Array.isArray(value)) input[keyword] = [...dataSet.numbers(tag, 1000)];
    else if (typeof value === 'number') input[keyword] = dataSet.number(tag);
    else input[keyword] = dataSet.string(tag) ?? '';
  }
  return input;
}

function isItems(value: DataSetInput[string]): value is readonly DataSetInput[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'object');
}

function toDecimalString(value: number): number {
  for (let digits = 17; digits > 0; digits -= 1) {
    const rounded = Number(value.toPrecision(digits));
    if (String(rounded).length <= 16) return rounded;
  }
  return value;
}

describe('reading and writing', () => {
  test('what was written is read again, in every syntax', () => {
    fc.assert(
      fc.property(dataSets, writing, (elements, options) => {
        const { dataSet, flags } = readDicom(bufferSource(writeDicom(elements, options)));
        expect(toInput(dataSet, elements)).toEqual(elements);
        expect(flags).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  test('a file that is cut keeps every element before the cut', () => {
    fc.assert(
      fc.property(dataSets, writing, fc.double({ min: 0, max: 1, noNaN: true }), (elements, options, where) => {
        fc.pre(options.transferSyntaxUid !== SYNTAXES[3]);
        const file = writeDicom({ ...elements, PixelData: Uint16Array.of(1, 2, 3) }, options);
        const cut = Math.floor(132 + where * (file.length - 132));
        const whole = leavesOf(readDicom(bufferSource(file)).dataSet);
        const part = new Map(
          leavesOf(readDicom(bufferSource(file.subarray(0, cut))).dataSet).map((leaf) => [leaf.path, leaf]),
        );
        const before = whole.filter((leaf) => leaf.end <= cut);
        expect(before.map((leaf) => part.get(leaf.path))).toEqual(before);
      }),
      { numRuns: 100 },
    );
  });
});

describe('hostile bytes give a value or a ViewerError', () => {
  const scanner = createHeaderScanner([Tag.PatientName, Tag.Rows, Tag.PerFrameFunctionalGroupsSequence]);

  /** An unexpected error; undefined if there was none. */
  function readEverything(bytes: Uint8Array): unknown {
    try {
      scanner.scan(bufferSource(bytes));
      writeTagTree(bufferSource(bytes), { depth: 8, items: 256 });
      return undefined;
    } catch (error) {
      return error instanceof ViewerError ? undefined : error;
    }
  }

  test('random bytes, with and without DICM', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), fc.boolean(), (bytes, prefixed) => {
        if (prefixed)
          bytes.set(Buffer.from('DICM').subarray(0, Math.max(0, bytes.length - 128)), Math.min(128, bytes.length));
        expect(readEverything(bytes)).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });

  test('a good file with bytes overwritten', () => {
    const patches = fc.array(
      fc.tuple(fc.double({ min: 0, max: 0.999, noNaN: true }), fc.constantFrom(0, 1, 0x7f, 0xfe, 0xff)),
      {
        minLength: 1,
        maxLength: 12,
      },
    );
    fc.assert(
      fc.property(dataSets, writing, patches, (elements, options, changes) => {
        const file = writeDicom(elements, options);
        for (const [where, byte] of changes) file[Math.floor(where * file.length)] = byte;
        expect(readEverything(file)).toBeUndefined();
      }),
      { numRuns: 150 },
    );
  });
});
