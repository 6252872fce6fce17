import { expect, test } from 'vitest';
import { createCloudTile, createGrainTile, createRandom, hash } from './noise.ts';

test('the same seed gives the same numbers, another seed others', () => {
  expect(draw(3)).toEqual(draw(3));
  expect(draw(3)).not.toEqual(draw(4));
});

test('random numbers and lattice numbers spread over 0 to 1', () => {
  const random = createRandom(1);
  const drawn = Array.from({ length: 10_000 }, () => random());
  const hashed = Array.from({ length: 10_000 }, (_, i) => hash(i % 100, Math.floor(i / 100), 5));

  for (const values of [drawn, hashed]) {
    expect(Math.min(...values)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...values)).toBeLessThan(1);
    // The mean of n uniform numbers has a standard deviation of 0.29 / sqrt(n), here 0.003.
    expect(meanOf(values)).toBeCloseTo(0.5, 1);
  }
});

test('grain has mean 0 and deviation 1', () => {
  const { values } = createGrainTile(256, 7);

  expect(meanOf([...values])).toBeCloseTo(0, 1);
  expect(Math.sqrt(meanOf([...values].map((value) => value * value)))).toBeCloseTo(1, 1);
});

test('clouds repeat without a seam', () => {
  const side = 64;
  const { values } = createCloudTile(side, { seed: 9, cells: 4, octaves: 2 });
  const stepsAcross = (column: number) =>
    Math.max(
      ...Array.from({ length: side }, (_, row) =>
        Math.abs(values[row * side + column]! - values[row * side + ((column + 1) % side)]!),
      ),
    );

  const inside = Math.max(...Array.from({ length: side - 1 }, (_, column) => stepsAcross(column)));

  expect(stepsAcross(side - 1)).toBeLessThanOrEqual(inside);
});

function draw(seed: number): number[] {
  return Array.from({ length: 5 }, createRandom(seed));
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
