import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFileDescription } from '../../../test/support/createFileDescription.ts';
import { OBJECT_KINDS, SPACING_SOURCES, SUPPORT_STATES } from '../../shared/contract/fileTerms.ts';
import { SKIP_REASONS } from '../../shared/contract/skipReasons.ts';
import type { FileDescription, FileDraft } from './dicomFile.ts';
import type { Placement } from './placement.ts';
import { createUnpacker, packResults } from './scanColumns.ts';
import type { ScanResult } from './scanResult.ts';

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
  time: optional(finite),
  position: optional(fc.tuple(finite, finite, finite)),
  // Of few values, so that files in a row often have the same.
  orientation: optional(fc.constantFrom([1, 0, 0, 0, 1, 0], [0, 1, 0, 0, 0, -1], [0.6, 0.8, 0, -0.8, 0.6, 0])),
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

const file: fc.Arbitrary<FileDescription> = fc.record({
  path: fc.string({ minLength: 1 }),
  label: text,
  patientId: text,
  patientName: text,
  studyInstanceUid: text,
  studyDate: text,
  studyDescription: text,
  seriesInstanceUid: text,
  seriesNumber: text,
  seriesDescription: text,
  modality: text,
  instanceNumber: text,
  sopInstanceUid: text,
  sopClassUid: text,
  sopClassName: optional(text),
  objectKind: fc.constantFrom(...OBJECT_KINDS),
  supportState: fc.constantFrom(...SUPPORT_STATES),
  supportReason: optional(text),
  hasPixels: fc.boolean(),
  frameCount: count,
  rows: count,
  columns: count,
  samplesPerPixel: count,
  bitsAllocated: count,
  bitsStored: count,
  photometricInterpretation: text,
  pixelAspectRatio: optional(positive),
  pixelSpacingMm: optional(fc.tuple(positive, positive)),
  pixelSpacingSource: optional(fc.constantFrom(...SPACING_SOURCES)),
  transferSyntaxUid: text,
  transferSyntaxName: text,
  frameOfReferenceUid: optional(text),
  defaultWindow: optional(fc.record({ center: finite, width: positive })),
  fileBytes: fc.maxSafeNat(),
  placement: optional(placement),
  realPath: fc.string({ minLength: 1 }),
  identity: fc.record({ dev: count, ino: fc.maxSafeNat(), size: fc.maxSafeNat(), mtimeMs: positive }),
});

const result: fc.Arbitrary<ScanResult> = fc.oneof(
  fc.record({ disposition: fc.constant('selected' as const), file }),
  fc.record({
    disposition: fc.constantFrom('skipped' as const, 'filtered' as const),
    path: text,
    reason: fc.constantFrom(...SKIP_REASONS),
  }),
);

function withoutPlace(unpacked: ScanResult<FileDraft>): ScanResult {
  if (unpacked.disposition !== 'selected') return unpacked;
  const { index: _index, revision: _revision, ...described } = unpacked.file;
  return { disposition: 'selected', file: described };
}

test('what is unpacked is what was packed', () => {
  fc.assert(
    fc.property(fc.array(fc.array(result, { maxLength: 6 }), { maxLength: 4 }), (batches) => {
      const unpack = createUnpacker();

      for (const batch of batches) expect(unpack(packResults(batch)).map(withoutPlace)).toEqual(batch);
    }),
  );
});

test('files of one series share their window and spacing', () => {
  const unpack = createUnpacker();
  const series = ['/a', '/b'].map((path) => ({
    disposition: 'selected' as const,
    file: createFileDescription({ path }),
  }));

  const [first, second] = [...unpack(packResults(series.slice(0, 1))), ...unpack(packResults(series.slice(1)))];

  if (first?.disposition !== 'selected' || second?.disposition !== 'selected') throw new Error('both are selected');
  expect(second.file.defaultWindow).toBe(first.file.defaultWindow);
  expect(second.file.pixelSpacingMm).toBe(first.file.pixelSpacingMm);
});
