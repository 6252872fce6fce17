import { describe, expect, test } from 'vitest';
import type { MarkMask } from '../../../../shared/contract/marks.ts';
import { createMaskBits, decodeMask, encodeMask } from '../../../../shared/maskRuns.ts';
import { NO_RESCALE } from '../../../../shared/modality.ts';
import type { MaskJob, MaskWork } from './maskJob.ts';
import { runMaskJob } from './runMaskJob.ts';

const SIZE = { columns: 12, rows: 6 };
const SPACING = { column: 1, row: 1, positions: [0, 2, 4, 6, 8] };

/** Rows of a picture, `#` inside. */
function draw(...lines: readonly string[]): MarkMask | undefined {
  const mask = createMaskBits(SIZE.columns, SIZE.rows);
  for (const [row, line] of lines.entries()) {
    for (let column = 0; column < line.length; column += 1) {
      if (line[column] === '#') mask.bits[row * SIZE.columns + column] = 1;
    }
  }
  return encodeMask(mask);
}

function show(mask: MarkMask | null | undefined): readonly string[] {
  const { bits, columns, rows } = createMaskBits(SIZE.columns, SIZE.rows);
  if (mask) decodeMask(mask, { bits, columns, rows });
  const lines = Array.from({ length: rows }, (_, row) =>
    Array.from(bits.subarray(row * columns, (row + 1) * columns), (bit) => (bit === 1 ? '#' : '.')).join(''),
  );
  return lines.map((line) => line.replace(/\.+$/, ''));
}

function run(masks: MaskJob['masks'], work: MaskWork, samples?: Int16Array) {
  const job: MaskJob = { ...SIZE, spacing: SPACING, masks, work };
  const result = runMaskJob(job, samples && { samples, modality: NO_RESCALE });
  if ('problem' in result) throw new Error(result.problem);
  return result;
}

const BOX = draw('', '.####', '.#..#', '.####');

describe('on one slice', () => {
  test('a region is added to what is there, and only what is new is counted', () => {
    const samples = new Int16Array(72).fill(5);
    // A wall of another value in column 6.
    for (let row = 0; row < 6; row += 1) samples[row * 12 + 6] = 90;
    const { changed, added, inside } = run([BOX], { kind: 'region', seed: 10, low: 0, high: 10 }, samples);
    // The five columns to the right of the wall, and the 10 pixels of the box.
    expect([changed.length, added, inside]).toEqual([1, 30, 40]);
    expect(show(changed[0]?.[1])).toEqual([
      '.......#####',
      '.####..#####',
      '.#..#..#####',
      '.####..#####',
      '.......#####',
      '.......#####',
    ]);
  });

  test('a threshold adds the values of a shape', () => {
    const samples = Int16Array.from({ length: 72 }, (_, at) => at % 12);
    const within = draw('############', '############');
    const { changed } = run([undefined], { kind: 'threshold', within, low: 3, high: 4 }, samples);
    expect(show(changed[0]?.[1]).slice(0, 3)).toEqual(['...##', '...##', '']);
  });

  test('a hole is filled, and filling again changes nothing', () => {
    const { changed, added, removed } = run([BOX], { kind: 'holes' });
    expect([added, removed]).toEqual([2, 0]);
    expect(run([changed[0]?.[1] ?? undefined], { kind: 'holes' }).changed).toEqual([]);
  });

  test('masks are combined where they lie, also beyond each other', () => {
    const other = draw('', '', '...####', '...####');
    const lines = (kind: 'unite' | 'subtract' | 'intersect') =>
      show(run([BOX], { kind, others: [other] }).changed[0]?.[1]).slice(1, 4);
    expect(lines('unite')).toEqual(['.####', '.#.####', '.######']);
    expect(lines('subtract')).toEqual(['.####', '.#', '.##']);
    expect(lines('intersect')).toEqual(['', '....#', '...##']);
  });

  test('a mask without a pixel in common with another one is gone', () => {
    expect(run([BOX], { kind: 'intersect', others: [undefined] })).toEqual({
      changed: [[0, null]],
      added: 0,
      removed: 10,
      inside: 0,
    });
  });
});

describe('on a volume', () => {
  test('a mask grows into slices that are near enough, by the shape of a ball', () => {
    const dot = draw('', '', '', '.....#');
    // √(2.5² − 2²) = 1.5 mm are left in the slice 2 mm away: its 8 neighbors, as √2 < 1.5. 4 mm away is too far.
    const { changed } = run([undefined, undefined, dot, undefined, undefined], { kind: 'grow', radius: 2.5 });
    expect(changed.map(([slice]) => slice)).toEqual([1, 2, 3]);
    expect(show(changed[0]?.[1])).toEqual(['', '', '....###', '....###', '....###', '']);
    expect(show(changed[1]?.[1])).toEqual(['', '....###', '...#####', '...#####', '...#####', '....###']);
  });

  test('a hole that another slice opens is none, and one in the first slice is open', () => {
    const solid = draw('', '.####', '.####', '.####');
    const open = run([solid, BOX, BOX], { kind: 'holes' });
    expect(open.changed).toEqual([]);
    const closed = run([solid, BOX, solid], { kind: 'holes' });
    expect(closed.changed.map(([slice]) => slice)).toEqual([1]);
  });

  test('parts are counted through the slices', () => {
    const [left, both] = [draw('##'), draw('##...####')];
    const { changed } = run([left, both, left], { kind: 'largest' });
    // Six pixels on the left, four on the right.
    expect(show(changed[0]?.[1])).toEqual(['##', '', '', '', '', '']);
    expect(run([left, both, left], { kind: 'islands', least: 5 }).changed).toEqual(changed);
    expect(run([left, both, left], { kind: 'islands', least: 4 }).changed).toEqual([]);
  });

  test('nothing becomes of no mask', () => {
    expect(run([undefined, undefined], { kind: 'smooth', radius: 3 }).changed).toEqual([]);
  });
});

const wideJob = (work: MaskWork, mask: MarkMask): MaskJob => ({
  columns: 20_000,
  rows: 20_000,
  spacing: SPACING,
  masks: [mask],
  work,
});

test('what would take too much memory or time is refused with a sentence', () => {
  const wide: MarkMask = { left: 0, top: 0, width: 20_000, height: 20_000, runs: [0, 4e8] };
  expect(runMaskJob(wideJob({ kind: 'holes' }, wide), undefined)).toEqual({
    problem: 'This mask reaches through too many pixels: at most 100 million at a time',
  });
  const smaller = { ...wide, width: 9_000, height: 9_000, runs: [0, 81e6] };
  expect(runMaskJob(wideJob({ kind: 'smooth', radius: 900 }, smaller), undefined)).toHaveProperty('problem');
});
