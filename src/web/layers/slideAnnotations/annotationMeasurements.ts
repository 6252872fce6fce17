import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { LayerResponse } from '../../../shared/contract/layerAnswers.ts';
import type { ColorMapName } from '../../state/colorMaps.ts';
import { definePart, type Page, usePage } from '../../state/page.ts';
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
};

/** The measurements with values, each once for all groups that have it. */
export function listMeasurements({ parts }: Pick<LayerResponse, 'parts'>): readonly SharedMeasurement[] {
  const found = new Map<string, { unit: string; low: number; high: number; placeOf: Map<number, number> }>();
  for (const { part, measurements } of parts) {
    for (const [place, { name, unit, range }] of measurements.entries()) {
      if (range === null) continue;
      const title = unit === '' ? name : `${name} (${unit})`;
      const known = found.get(title) ?? { unit, low: Infinity, high: -Infinity, placeOf: new Map<number, number>() };
      found.set(title, known);
      known.low = Math.min(known.low, range[0]);
      known.high = Math.max(known.high, range[1]);
      if (!known.placeOf.has(part)) known.placeOf.set(part, place);
    }
  }
  return [...found].map(([title, one]) => ({ title, ...one }));
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

const looks = new WeakMap<RegionDescription, { readonly title: string; readonly look: PointsLook | undefined }>();

/** The same object while the choice is the same. Undefined for the colors of groups. */
export function lookOfAnnotations(page: Page, description: RegionDescription): PointsLook | undefined {
  const title = measurementChoicesOf(page).getState().get(description.fileIndex);
  if (title === undefined) return undefined;
  const known = looks.get(description);
  if (known?.title === title) return known.look;
  const measurement = listMeasurements(description.response).find((one) => one.title === title);
  const look = measurement && { ...measurement, colorMap: ANNOTATION_COLORS };
  looks.set(description, { title, look });
  return look;
}
