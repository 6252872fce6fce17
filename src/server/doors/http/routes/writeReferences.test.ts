import { expect, test } from 'vitest';
import { createFileDescription } from '../../../../../test/support/createFileDescription.ts';
import type { Reference } from '../../../../shared/contract/references.ts';
import type { FrameIndices, ResolvedReference } from '../../../images/references/references.ts';
import { PIECE_LENGTH } from '../../../machine/workers/jsonPieces.ts';
import { writeReferences } from './writeReferences.ts';

test('a list of references that repeat a large object is truncated and says so', () => {
  const frames = Array.from({ length: 1_000_000 }, (_, frame) => frame);

  const { references, isCut } = write(Array.from({ length: 40 }, () => referenceTo(frames)));

  // Of 40 times a million frames, a response lists at most two and a half million.
  expect([references.length, isCut]).toEqual([2, true]);
  expect(references[1]?.matches[0]?.frame_indices).toEqual(frames);
});

test('a long list is written in texts that are never long', () => {
  const frames = Array.from({ length: 200_000 }, (_, frame) => frame);

  const { texts, isCut } = write([referenceTo(frames)]);

  expect(isCut).toBe(false);
  expect(Math.max(...texts.map(({ length }) => length))).toBeLessThan(2 * PIECE_LENGTH);
});

test('an object without references gives an empty list', () => {
  expect(write([])).toMatchObject({ references: [], isCut: false });
});

function write(from: readonly ResolvedReference[]) {
  const writer = writeReferences(from);
  const texts: string[] = [];
  for (;;) {
    const { done, value } = writer.next();
    if (done === true) {
      const references: Reference[] = JSON.parse(texts.join(''));
      return { references, texts, isCut: value };
    }
    texts.push(value);
  }
}

function referenceTo(frameIndices: FrameIndices): ResolvedReference {
  return {
    relationship: 'source_image',
    sopClassUid: undefined,
    sopInstanceUid: '2.25.1',
    seriesInstanceUid: undefined,
    frameNumbers: [],
    segmentNumbers: [],
    matches: [{ file: { ...createFileDescription(), index: 0, revision: 1 }, frameIndices }],
  };
}
