import { expect, test } from 'vitest';
import { parseDvhWish } from '../../../../shared/dvhWishes.ts';
import { DoseTally } from './doseTally.ts';

function close(gy: number) {
  return expect.closeTo(gy, 1);
}

const HOW = { stepMm: 1, planes: 1 };

/** 10,000 samples of 1 mm³ with doses from 0 to 100 Gy: 10 cm³ in which all doses are equally frequent. */
function addRamp(tally: DoseTally): void {
  const doses = Float64Array.from({ length: 10_000 }, (_, at) => (at + 0.5) / 100);
  tally.add(doses, 0, new Float64Array(10_000).fill(1), 1);
}

test('doses of shares and of volumes are those of a ramp', () => {
  const wishes = ['D100', 'D33.3', 'D5cc', 'D10.1cc', 'V0', 'V25', 'V99.2Gy', 'V100', 'V200'].map((name) =>
    parseDvhWish(name)!,
  );
  const tally = new DoseTally({ topGy: 100, bins: 500, wishes });
  addRamp(tally);
  const dvh = tally.finish(HOW);
  expect(dvh.volumeMm3).toBeCloseTo(10_000, 6);
  expect(dvh.mean).toBeCloseTo(50, 6);
  expect([dvh.minimum, dvh.maximum]).toEqual([0.005, 99.995]);
  // The hottest 98 % are those above 2 Gy, the hottest 2 cm³ of 10 those above 80.
  expect(dvh).toMatchObject({
    d98: close(2),
    d95: close(5),
    d50: close(50),
    d2: close(98),
    d2cc: close(80),
    d01cc: close(99),
  });
  expect(dvh.points.map(({ gy, mm3 }) => [Number(gy.toFixed(2)), Number(mm3.toFixed(0))])).toEqual([
    [0.01, 10_000],
    [66.7, 3_330],
    [50, 5_000],
    [NaN, 10_100],
    [0, 10_000],
    [25, 7_500],
    [99.2, 80],
    [100, 0],
    [200, 0],
  ]);
  expect(dvh.cumulativeMm3).toHaveLength(501);
  expect([0, 250, 499, 500].map((bin) => dvh.cumulativeMm3[bin])).toEqual([10_000, 5_000, 20, 0]);
});

test('samples count by the part of a cell that they stand for, and narrow ones are not the least or highest dose', () => {
  const tally = new DoseTally({ topGy: 70, bins: 16, wishes: [] });
  tally.add(Float64Array.of(99, 10, 20, 70), 1, Float64Array.of(0.5, 1, 0.25), 4);
  const dvh = tally.finish(HOW);
  expect(dvh.volumeMm3).toBeCloseTo(7, 9);
  expect(dvh.mean).toBeCloseTo((0.5 * 10 + 20 + 0.25 * 70) / 1.75, 9);
  expect([dvh.minimum, dvh.maximum]).toEqual([10, 20]);
  expect(dvh.d2cc).toBeNaN();
});

test('a volume without a known dose has a size and nothing else', () => {
  const tally = new DoseTally({ topGy: 70, bins: 16, wishes: [] });
  tally.add(Float64Array.of(NaN, NaN), 0, Float64Array.of(1, 1), 1000);
  expect(tally.finish(HOW)).toMatchObject({ volumeMm3: 2000, insideMm3: 0, mean: NaN, d50: NaN, d01cc: NaN });
});
