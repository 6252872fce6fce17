import { expect, test } from 'vitest';
import { buffersOf, packStack, type StackRecord, unpackStack } from './stackRecord.ts';

const STACK: StackRecord = {
  kind: 'ordinary',
  imageTypeRole: undefined,
  length: 3,
  fileIndices: Uint32Array.of(4, 5, 6),
  frameIndices: Uint32Array.of(0, 0, 0),
  points: Float64Array.of(0, 0, 0, 0, 0, 2, NaN, NaN, NaN),
  positionsMm: Float64Array.of(0, 2, NaN),
  orientations: [
    { rowDirection: [1, 0, 0], columnDirection: [0, 1, 0] },
    { rowDirection: [0, 1, 0], columnDirection: [0, 0, -1] },
  ],
  orientationOf: Int32Array.of(0, 1, -1),
  spacings: [
    { spacingMm: [0.5, 0.25], source: 'imager' },
    { spacingMm: undefined, source: undefined },
  ],
  spacingOf: Int32Array.of(0, 0, 1),
  thicknessesMm: Float64Array.of(2, 2, NaN),
  sliceSpacingsMm: Float64Array.of(2.5, 2.5, NaN),
  instanceNumbers: Float64Array.of(1, 2, NaN),
  isList: false,
  space: 'patient',
  frameOfReferenceUid: '1.2.3',
  doubts: ['no_position'],
  problem: undefined,
  isPending: false,
};

test('a stack is the same after it was sent to another thread', () => {
  const packed = packStack(structuredClone(STACK));
  expect(unpackStack(structuredClone(packed, { transfer: buffersOf(packed) }))).toMatchObject(STACK);
});

test('a packed stack has no objects for single frames, however different they are', () => {
  const { doubts, ...packed } = packStack(STACK);
  expect(doubts).toHaveLength(1);
  expect(Object.values(packed).filter((value) => typeof value === 'object' && !ArrayBuffer.isView(value))).toEqual([]);
});

test('stacks with frames in other places have other keys', () => {
  const moved = { ...STACK, points: STACK.points.map((coordinate) => coordinate + 1) };
  expect(packStack(moved).key).not.toBe(packStack(STACK).key);
  expect(packStack({ ...STACK }).key).toBe(packStack(STACK).key);
});
