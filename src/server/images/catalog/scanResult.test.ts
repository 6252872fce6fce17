import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { pretendSource } from '../../../../test/support/sources.ts';
import { type FieldValues, type FileField, listFields } from '../../../shared/contract/fileFields.ts';
import { SKIP_REASONS } from '../../../shared/contract/skipReasons.ts';
import type { FileDescription } from './dicomFile.ts';
import type { Placement } from './placement.ts';
import { packResults, type ScanResult, unpackResults } from './scanResult.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 6 });
const count = fc.nat();
const positive = fc.double({ min: 1e-6, max: 1e6, noNaN: true });
const finite = fc.double({ noNaN: true, noDefaultInfinity: true });

function optional<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.option(arbitrary, { nil: undefined });
}

const placement: fc.Arbitrary<Placement> = fc.record({
  imageType: text,
  echoNumber: optional(count),
  bValue: optional(finite),
  time: optional(finite),
  position: optional(fc.tuple(finite, finite, finite)),
  // Only a few values, so that consecutive files often share one.
  orientation: optional(fc.constantFrom([1, 0, 0, 0, 1, 0], [0, 1, 0, 0, 0, -1], [0.6, 0.8, 0, -0.8, 0.6, 0])),
  sliceThicknessMm: optional(positive),
  sliceSpacingMm: optional(positive),
  hasFrameGeometry: fc.boolean(),
  concatenation: optional(
    fc.record({ uid: text, number: optional(count), total: optional(count), frameOffset: optional(count) }),
  ),
  slide: optional(
    fc.record({
      pyramidUid: optional(text),
      containerIdentifier: text,
      totalRows: optional(positive),
      totalColumns: optional(positive),
      imagedVolumeWidthMm: optional(positive),
      originMm: optional(fc.tuple(finite, finite)),
      orientation: optional(fc.tuple(finite, finite, finite, finite)),
    }),
  ),
});

const FORMS: Readonly<Record<Exclude<FileField['form'], 'term'>, fc.Arbitrary<unknown>>> = {
  text,
  integer: count,
  number: positive,
  flag: fc.boolean(),
  pair: fc.tuple(positive, positive),
  window: fc.record({ center: finite, width: positive }),
};

function valueOf({ form, terms = [], isOptional }: FileField): fc.Arbitrary<unknown> {
  const value = form === 'term' ? fc.constantFrom(...terms) : FORMS[form];
  return isOptional ? optional(value) : value;
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- values match the forms of the table
const fields = fc.record(
  Object.fromEntries(listFields().map((field) => [field.name, valueOf(field)])),
) as fc.Arbitrary<FieldValues>;

const file: fc.Arbitrary<FileDescription> = fc
  .record({
    fields,
    emptyElements: fc.nat({ max: 2 ** 14 - 1 }),
    placement: optional(placement),
    realPath: fc.string({ minLength: 1 }),
    identity: fc.record({ dev: count, ino: fc.maxSafeNat(), mtimeMs: positive }),
  })
  .map(({ fields: given, identity, realPath, ...others }) => ({
    ...given,
    ...others,
    source: pretendSource(realPath, { ...identity, size: given.fileBytes }),
  }));

const result: fc.Arbitrary<ScanResult> = fc.oneof(
  fc.record({ disposition: fc.constant('selected' as const), file }),
  fc.record({
    disposition: fc.constantFrom('skipped' as const, 'filtered' as const),
    path: text,
    reason: fc.constantFrom(...SKIP_REASONS),
  }),
);

/** Reads from `packed`, whose fields are getters, the fields that `like` has. */
function readLike(packed: unknown, like: unknown): unknown {
  if (!isRecord(packed) || !isRecord(like)) return packed;
  return Object.fromEntries(Object.entries(like).map(([name, value]) => [name, readLike(packed[name], value)]));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

test('results are unpacked as they were packed', () => {
  fc.assert(
    fc.property(fc.array(result, { maxLength: 12 }), (results) => {
      const unpacked = unpackResults(structuredClone(packResults(results)));

      expect(unpacked).toHaveLength(results.length);
      for (const [at, given] of results.entries()) expect(readLike(unpacked[at], given)).toEqual(given);
    }),
  );
});
