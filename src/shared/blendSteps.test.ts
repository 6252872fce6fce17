import { expect, test } from 'vitest';
import { type BlendStep, createBlendWeights } from './blendSteps.ts';

const equal = (inputs: readonly number[], result: number | null = null): BlendStep => ({
  inputs,
  mode: 'EQUAL',
  opacity: null,
  result,
});
const over = (first: number, second: number, opacity: number, result: number | null = null): BlendStep => ({
  inputs: [first, second],
  mode: 'FOREGROUND',
  opacity,
  result,
});
const all = () => true;
const only =
  (...places: readonly number[]) =>
  (place: number) =>
    places.includes(place);

test('the first of two inputs has the opacity, and the second the rest', () => {
  const weights = createBlendWeights([over(1, 2, 0.4)], [1, 2]);
  expect(weights(all)).toEqual([0.4, 0.6]);
  // One that has no value has no share, and the other is the result. PS3.4 N.2.6.
  expect(weights(only(0))).toEqual([1, 0]);
  expect(weights(only(1))).toEqual([0, 1]);
  expect(weights(only())).toBeUndefined();
});

test('equal inputs share a pixel with those that have a value there', () => {
  const weights = createBlendWeights([equal([1, 2, 3])], [1, 2, 3]);
  expect(weights(all)).toEqual([1 / 3, 1 / 3, 1 / 3]);
  expect(weights(only(0, 2))).toEqual([0.5, 0, 0.5]);
  expect(weights(only(1))).toEqual([0, 1, 0]);
});

test('a step uses the result of another one, in any order', () => {
  // 0.25 of (1 and 2 equally) over 3: 0.125, 0.125, 0.75.
  const weights = createBlendWeights([over(4, 3, 0.25), equal([1, 2], 4)], [1, 2, 3]);
  expect(weights(all)).toEqual([0.125, 0.125, 0.75]);
  expect(weights(only(0, 2))).toEqual([0.25, 0, 0.75]);
  expect(weights(only(2))).toEqual([0, 0, 1]);
});

test('a result that is used twice is computed once, however many steps there are', () => {
  // Each step mixes the one before with itself; on their own they would be 2^60 operations.
  const steps = Array.from({ length: 60 }, (_, at) => equal(at === 0 ? [1, 2] : [at + 9, at + 9], at + 10));
  expect(createBlendWeights([...steps, equal([69])], [1, 2])(all)).toEqual([0.5, 0.5]);
});

test.each<[string, readonly BlendStep[], readonly number[], RegExp]>([
  ['no steps', [], [1], /one last step/],
  ['two last steps', [equal([1]), equal([1])], [1], /one last step/],
  ['a circle', [equal([4]), equal([5], 4), equal([4], 5)], [1], /results of each other/],
  ['an input that is not there', [equal([1, 7])], [1], /an input 7/],
  ['an unknown mode', [{ ...equal([1]), mode: 'ADD' }], [1], /“ADD” is unknown/],
  ['no mode', [{ ...equal([1]), mode: null }], [1], /mode is missing/],
  ['three inputs over each other', [{ ...over(1, 2, 0.5), inputs: [1, 2, 3] }], [1, 2, 3], /must have two/],
  ['no opacity', [{ ...over(1, 2, 0.5), opacity: null }], [1, 2], /no opacity/],
  ['an opacity beyond 1', [over(1, 2, 1.5)], [1, 2], /no opacity/],
  ['a number twice', [equal([1])], [1, 1], /the same number/],
  ['a result with the number of an input', [equal([1]), equal([1], 1)], [1], /the same number/],
  ['a step without inputs', [equal([])], [1], /no inputs/],
])('%s is refused with the reason', (_, steps, numbers, reason) => {
  expect(() => createBlendWeights(steps, numbers)).toThrow(reason);
});
