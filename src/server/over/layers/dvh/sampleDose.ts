import { ViewerError } from '../../../../shared/contract/errors.ts';
import { pixelToPatient, type Vector3 } from '../../../../shared/geometry.ts';
import type { PlaneGrid, PlaneSampling } from '../../../../shared/planeGrid.ts';
import { isFloatSamples } from '../../../../shared/sampleArray.ts';
import { samplePlane } from '../../../images/volumes/samplePlane.ts';
import { viewSamples } from '../../../images/volumes/sampleView.ts';
import type { LoadedSamples } from '../../../images/volumes/volumeTasks.ts';
import { createLevelSampler } from './sampleLevel.ts';

/** The longest distance of samples, and its part of the distance of the samples of the dose. */
const MOST_STEP_MM = 1;
const STEPS_PER_SAMPLE = 3;
/** Samples that are made at once. */
const BAND_SAMPLES = 2 ** 18;
const LINEAR: PlaneSampling = { interpolation: 'linear', projection: 'max', slabMm: 0 };

/** Reads a dose, or the sum of several, in planes that are wider than memory should hold at once. */
export interface DoseSampler {
  /** The distance of samples that shows what the doses have. */
  readonly stepMm: number;
  /** Those of the grid of the first dose. */
  readonly rowDirection: Vector3;
  readonly columnDirection: Vector3;
  /**
   * Calls back with bands of rows of a plane: the doses in Gray, row by row, NaN where one of them is unknown, and the
   * first row. The doses are valid until the call ends.
   */
  eachBand(plane: PlaneGrid, take: (doses: Float64Array, firstRow: number, rows: number) => void): void;
}

export function createDoseSampler(doses: readonly LoadedSamples[], throwIfCancelled: () => void): DoseSampler {
  const [first, ...others] = doses.map(sampleOne);
  if (first === undefined) throw new Error('no dose');
  return {
    ...first,
    stepMm: Math.min(first.stepMm, ...others.map(({ stepMm }) => stepMm)),
    eachBand(plane, take) {
      const most = Math.max(1, Math.floor(BAND_SAMPLES / plane.columns));
      for (let row = 0; row < plane.rows; row += most) {
        throwIfCancelled();
        const rows = Math.min(most, plane.rows - row);
        const grid = { ...plane, rows, position: pixelToPatient(plane, { row, column: 0 }) };
        const sum = first.sample(grid);
        for (const other of others) {
          const values = other.sample(grid);
          for (let at = 0; at < values.length; at += 1) sum[at]! += values[at]!;
        }
        take(sum, row, rows);
      }
    },
  };
}

function sampleOne(dose: LoadedSamples) {
  const { table, sample, buffer, rescales, paddings } = dose;
  const samples = viewSamples(sample.storage, buffer);
  const volume = { table, samples, rescales, paddings };
  const isPlain = rescales === undefined && paddings === undefined && !isFloatSamples(samples);
  const { slope, intercept } = rescaleOf(dose);
  const sampleLevel = isPlain ? createLevelSampler(table, samples, { slope, intercept }) : () => undefined;
  const spacingMm = Math.min(table.rowSpacingMm, table.columnSpacingMm);

  function sampleAny(grid: PlaneGrid): Float64Array {
    const { values } = samplePlane(volume, grid, LINEAR);
    if (slope !== 1 || intercept !== 0) {
      for (let at = 0; at < values.length; at += 1) values[at] = values[at]! * slope + intercept;
    }
    return values;
  }

  return {
    stepMm: Math.min(MOST_STEP_MM, spacingMm / STEPS_PER_SAMPLE),
    rowDirection: table.rowDirection,
    columnDirection: table.columnDirection,
    sample: (grid: PlaneGrid): Float64Array => sampleLevel(grid) ?? sampleAny(grid),
  };
}

/** Implements `findHighestDoseTask`. */
export function findHighestDose(dose: LoadedSamples): number {
  const samples = viewSamples(dose.sample.storage, dose.buffer);
  const { slope, intercept } = rescaleOf(dose);
  const perSlice = dose.table.rows * dose.table.columns;
  let highest = -Infinity;
  for (let place = 0; place < dose.table.positionsMm.length; place += 1) {
    let most = -Infinity;
    for (let at = place * perSlice; at < (place + 1) * perSlice; at += 1) if (samples[at]! > most) most = samples[at]!;
    const own = dose.rescales && { slope: dose.rescales.slopes[place]!, intercept: dose.rescales.intercepts[place]! };
    highest = Math.max(highest, most * (own?.slope ?? slope) + (own?.intercept ?? intercept));
  }
  return Number.isFinite(highest) ? highest : NaN;
}

/** From sampled values to Gray; files with different scalings are sampled in Gray already. */
function rescaleOf({ sample, rescales }: LoadedSamples) {
  const same = { slope: 1, intercept: 0 };
  return rescales === undefined && !sample.isModality ? (sample.rescale ?? same) : same;
}

/** The refusal of a structure whose samples would take too long. */
export function tooMany(what: string): ViewerError {
  return new ViewerError('layer_too_large', `the dose of ${what} cannot be measured, because it has too many points`);
}
