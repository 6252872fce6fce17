import { dot, inPlaneAxes, normalOf, type Vector3 } from '../../../../shared/geometry.ts';
import type { PlaneGrid } from '../../../../shared/planeGrid.ts';
import { findSegment, INDEX_TOLERANCE, listSegments, type PositionTable } from '../../../../shared/positionTable.ts';
import type { NumberSamples } from '../../../../shared/sampleArray.ts';

/** A direction may leave that of the volume by this part of a sample over the whole plane. */
const ALONG = 1e-6;
/** Samples of a slice that is mixed: 8 MiB. */
const MOST_MIXED = 2 ** 20;

/**
 * The rescaled samples of a plane, row by row, linearly; NaN outside of the volume. The next call overwrites them.
 * Undefined unless the plane lies along the slices, its rows along theirs, and it has as many samples as a slice: then
 * two slices are mixed once for all samples, and two rows once for all samples of a row. The result is that of
 * `samplePlane` but for the rounding of numbers.
 */
export type LevelSampler = (plane: PlaneGrid) => Float64Array | undefined;

/** For samples that are whole numbers without padding. */
export function createLevelSampler(
  table: PositionTable,
  samples: NumberSamples,
  { slope, intercept }: { readonly slope: number; readonly intercept: number },
): LevelSampler {
  const { rows, columns, rowSpacingMm, columnSpacingMm } = table;
  const size = rows * columns;
  if (size > MOST_MIXED) return () => undefined;
  const segments = listSegments(table);
  const normal = normalOf(table);
  const { alongRow, downColumn } = inPlaneAxes(table);
  const slice = new Float64Array(size);
  // The last sample twice, so that each has one to its right.
  const line = new Float64Array(columns + 1);
  let buffer = new Float64Array();
  let mixed: { readonly lower: number; readonly upper: number; readonly part: number } | undefined;

  function mixSlices(lower: number, upper: number, part: number): void {
    if (mixed?.lower === lower && mixed.upper === upper && mixed.part === part) return;
    mixed = { lower, upper, part };
    const [under, over] = [lower * size, upper * size];
    for (let at = 0; at < size; at += 1) {
      const value = samples[under + at]!;
      slice[at] = (value + part * (samples[over + at]! - value)) * slope + intercept;
    }
  }

  function mixRows(y: number): void {
    const { whole, part } = split(y, rows);
    const [above, below] = [whole * columns, Math.min(whole + 1, rows - 1) * columns];
    for (let column = 0; column < columns; column += 1) {
      const value = slice[above + column]!;
      line[column] = value + part * (slice[below + column]! - value);
    }
    line[columns] = line[columns - 1]!;
  }

  function isLevel(plane: PlaneGrid): boolean {
    const [width, height] = [plane.columns * plane.columnSpacingMm, plane.rows * plane.rowSpacingMm];
    return (
      isAcross(plane.rowDirection, normal, width / table.spacingMm) &&
      isAcross(plane.columnDirection, normal, height / table.spacingMm) &&
      isAcross(plane.rowDirection, downColumn, width / rowSpacingMm) &&
      isAcross(plane.columnDirection, alongRow, height / columnSpacingMm)
    );
  }

  return (plane) => {
    if (plane.rows * plane.columns < size || !isLevel(plane)) return undefined;
    if (buffer.length < plane.rows * plane.columns) buffer = new Float64Array(plane.rows * plane.columns);
    const values = buffer.subarray(0, plane.rows * plane.columns).fill(NaN);
    const z = dot(normal, plane.position);
    const segment = segments[findSegment(segments, z)]!;
    const { lower, upper } = segment;
    if (lower < 0) return values;
    mixSlices(lower, upper, lower === upper ? 0 : snap((z - segment.lowerMm) * segment.placesPerMm));
    const yStart = dot(downColumn, plane.position) / rowSpacingMm - segment.rowStart - segment.rowStep * z;
    const xStart = dot(alongRow, plane.position) / columnSpacingMm - segment.columnStart - segment.columnStep * z;
    const yStep = (dot(downColumn, plane.columnDirection) * plane.rowSpacingMm) / rowSpacingMm;
    const xStep = (dot(alongRow, plane.rowDirection) * plane.columnSpacingMm) / columnSpacingMm;
    for (let row = 0; row < plane.rows; row += 1) {
      const y = yStart + row * yStep;
      if (!isReached(y, rows)) continue;
      mixRows(y);
      for (let i = 0, to = row * plane.columns; i < plane.columns; i += 1, to += 1) {
        const x = xStart + i * xStep;
        if (!isReached(x, columns)) continue;
        // As `split` does it, which for every sample would take as long as the rest.
        const inside = x < 0 ? 0 : x > columns - 1 ? columns - 1 : x;
        const whole = (inside + INDEX_TOLERANCE) | 0;
        const part = inside - whole < INDEX_TOLERANCE ? 0 : inside - whole;
        values[to] = line[whole]! + part * (line[whole + 1]! - line[whole]!);
      }
    }
    return values;
  };
}

/** Whether a direction does not leave an axis of the volume over so many samples. */
function isAcross(direction: Vector3, axis: Vector3, samples: number): boolean {
  return Math.abs(dot(direction, axis)) * samples <= ALONG;
}

/** A sample reaches half a step to each side of its centre. */
function isReached(index: number, count: number): boolean {
  return index >= -0.5 - INDEX_TOLERANCE && index < count - 0.5 - INDEX_TOLERANCE;
}

function split(index: number, count: number): { readonly whole: number; readonly part: number } {
  const inside = Math.min(Math.max(index, 0), count - 1);
  const whole = Math.floor(inside + INDEX_TOLERANCE);
  return { whole, part: inside - whole < INDEX_TOLERANCE ? 0 : inside - whole };
}

function snap(part: number): number {
  return part < INDEX_TOLERANCE ? 0 : part > 1 - INDEX_TOLERANCE ? 1 : part;
}
