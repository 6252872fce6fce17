import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { LayerResponse } from '../../../../shared/contract/layerAnswers.ts';
import { countBetween } from '../../../../shared/valueBins.ts';
import type { ColorMapName } from '../../../kit/state/colorMaps.ts';
import { filterOf, type ValueFilter } from '../../../kit/state/layers.ts';
import { definePart, type Page, usePage } from '../../../kit/state/page.ts';
import type { RegionDescription } from '../graphics/regionClient.ts';
import type { PointsLook } from '../points/pointsLook.ts';

/** A measurement that groups of annotations have in common. */
export type SharedMeasurement = {
  /** Example: `Area (µm²)`. */
  readonly title: string;
  readonly unit: string;
  readonly low: number;
  readonly high: number;
  /** By part, its place among the values of an annotation. */
  readonly placeOf: ReadonlyMap<number, number>;
  /** By part, all of its values, and how many there are in equal parts of that range. */
  readonly valuesOf: ReadonlyMap<number, MeasuredValues>;
};

type MeasuredValues = {
  readonly range: readonly [number, number];
  readonly count: number;
  readonly bins: readonly number[];
};

/** The measurements with values, each once for all groups that have it. */
export function listMeasurements({ parts }: Pick<LayerResponse, 'parts'>): readonly SharedMeasurement[] {
  const found = new Map<string, Found>();
  for (const { part, measurements } of parts) {
    for (const [place, { name, unit, range, count, bins }] of measurements.entries()) {
      if (range === null) continue;
      const title = unit === '' ? name : `${name} (${unit})`;
      const known = found.get(title) ?? createFound(unit);
      found.set(title, known);
      known.low = Math.min(known.low, range[0]);
      known.high = Math.max(known.high, range[1]);
      if (known.placeOf.has(part)) continue;
      known.placeOf.set(part, place);
      known.valuesOf.set(part, { range, count, bins });
    }
  }
  return [...found].map(([title, one]) => ({ title, ...one }));
}

type Found = {
  readonly unit: string;
  low: number;
  high: number;
  readonly placeOf: Map<number, number>;
  readonly valuesOf: Map<number, MeasuredValues>;
};

function createFound(unit: string): Found {
  return { unit, low: Infinity, high: -Infinity, placeOf: new Map(), valuesOf: new Map() };
}

/** By layer, the title of the measurement that colors its annotations. */
export const measurementChoicesOf = definePart((page) => {
  const store = createStore<ReadonlyMap<number, string>>(() => new Map());
  page.onRestart(() => store.setState(new Map(), true));
  return store;
});

export function useMeasurementChoice(layer: number): string | undefined {
  return useStore(measurementChoicesOf(usePage()), (choices) => choices.get(layer));
}

/** Colors annotations by a measurement; undefined for the colors of their groups. */
export function chooseMeasurement(page: Page, layer: number, title: string | undefined): void {
  measurementChoicesOf(page).setState((choices) => {
    const next = new Map(choices);
    if (title === undefined) next.delete(layer);
    else next.set(layer, title);
    return next;
  }, true);
}

export const ANNOTATION_COLORS: ColorMapName = 'viridis';

/** About how many annotations have a value between two others, and how many have one at all. */
export function countInRange(
  { valuesOf }: SharedMeasurement,
  { low, high }: ValueFilter,
): { readonly shown: number; readonly all: number } {
  let [shown, all] = [0, 0];
  for (const { range, count, bins } of valuesOf.values()) {
    shown += countBetween(bins, range, [low, high]);
    all += count;
  }
  return { shown, all };
}

const looks = new WeakMap<
  RegionDescription,
  { readonly title: string | undefined; readonly filter: ValueFilter | undefined; readonly look: PointsLook }
>();

/** The same object while the choices are the same. Undefined if measured values change nothing. */
export function lookOfAnnotations(page: Page, description: RegionDescription): PointsLook | undefined {
  const title = measurementChoicesOf(page).getState().get(description.fileIndex);
  const filter = filterOf(page, description.fileIndex);
  if (title === undefined && filter === undefined) return undefined;
  const known = looks.get(description);
  if (known !== undefined && known.title === title && known.filter === filter) return known.look;
  const measurements = listMeasurements(description.response);
  const colored = measurements.find((one) => one.title === title);
  const filtered = measurements.find((one) => one.title === filter?.title);
  const look: PointsLook = {
    colors: colored && { ...colored, colorMap: ANNOTATION_COLORS },
    // A link may name a measurement that there is no more.
    filter: filtered && filter && { ...filtered, low: filter.low, high: filter.high, rangeOf: rangesOf(filtered) },
  };
  looks.set(description, { title, filter, look });
  return look;
}

function rangesOf({ valuesOf }: SharedMeasurement): ReadonlyMap<number, readonly [number, number]> {
  return new Map([...valuesOf].map(([part, { range }]) => [part, range]));
}
