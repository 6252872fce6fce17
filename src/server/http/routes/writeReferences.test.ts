import { expect, test } from 'vitest';
import { createFileDescription } from '../../../../test/support/createFileDescription.ts';
import type { Reference } from '../../../shared/contract/references.ts';
import type { FrameIndices, ResolvedReference } from '../../references/references.ts';
import { writeReferences } from './writeReferences.ts';

test('references that name a large object again and again are a list that ends, and says that there is more', () => {
  const frames = Array.from({ length: 1_000_000 }, (_, frame) => frame);

  const { references, isCut } = write(Array.from({ length: 40 }, () => referenceTo(frames)));

  // Of 40 times a million frames, a response lists at most two and a half million.
  expect([references.length, isCut]).toEqual([2, true]);
  expect(references[1]?.matches[0]?.frame_indices).toEqual(frames);
});

test('a long list is written in pieces that are never long', () => {
  const frames = Array.from({ length: 200_000 }, (_, frame) => frame);

  const { pieces, isCut } = write([referenceTo(frames)]);

  expect(isCut).toBe(false);
  expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(2 * 64 * 1024 + 1_000);
});

test('no reference is an empty list', () => {
  expect(write([])).toMatchObject({ references: [], isCut: false });
});

function write(from: readonly ResolvedReference[]) {
  const writer = writeReferences(from);
  const pieces: string[] = [];
  for (;;) {
    const { done, value } = writer.next();
    if (done === true) {
      const references: Reference[] = JSON.parse(pieces.join(''));
      return { references, pieces, isCut: value };
    }
    pieces.push(value);
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
