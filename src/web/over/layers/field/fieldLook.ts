import { createStore } from 'zustand/vanilla';
import { useStore } from 'zustand';
import type { Line } from '../../../../shared/valueMapping.ts';
import { type ColorMapName, colorTableOf } from '../../../kit/state/colorMaps.ts';
import { type CombinedDoses, combinedOf, useCombined } from '../../../kit/state/layers.ts';
import { definePart, type Page, usePage } from '../../../kit/state/page.ts';
import type { Watched } from '../../../kit/ui/followStores.ts';
import { litLevelsOf } from '../litLevels.ts';
import type { FieldDescription } from './describeField.ts';

/** How a field is drawn. Values are in its unit. */
export type FieldLook = {
  readonly colorMap: ColorMapName;
  /** Colors that are declared somewhere, in place of those of a map. */
  readonly palette: FieldPalette | undefined;
  /** From 0, only the image, to 1, only the field. */
  readonly opacity: number;
  /** How it shares pixels with other fields; undefined if it covers those below it. */
  readonly mix: FieldMix | undefined;
  /** The values of the first and the last color. */
  readonly low: number;
  readonly high: number;
  /** Lower values are transparent; undefined if none are. */
  readonly threshold: number | undefined;
  /** Whether areas are colored. */
  readonly isWash: boolean;
  /** Whether lines of equal value are drawn. */
  readonly areLines: boolean;
  readonly levels: readonly number[];
  /** Index of the reference value that is 100 %. */
  readonly reference: number;
};

export type FieldMix = {
  /** The same object for all fields that are mixed. */
  readonly group: MixGroup;
  /** Its place among them. */
  readonly place: number;
  /** Values in one of these ranges are shown; undefined if all are. */
  readonly ranges: readonly ShownValues[] | undefined;
};

export type MixGroup = {
  /** The share of each field at a pixel, by those that have a value there, as bits. The image has the rest. */
  readonly weights: readonly (readonly number[])[];
};

export type ShownValues = { readonly low: number; readonly high: number; readonly hasEnds: boolean };

export type FieldPalette = {
  readonly title: string;
  /** Opaque RGBA pixels, as little-endian numbers; any number of them. */
  readonly colors: Uint32Array;
};

export function fieldColorsOf({ palette, colorMap }: Pick<FieldLook, 'palette' | 'colorMap'>): Uint32Array {
  return palette?.colors ?? colorTableOf(colorMap);
}

/** What a painter needs: the look, and how values in packets become values of the look. */
export type FieldPaint = FieldLook & {
  readonly line: Line;
  readonly isDose: boolean;
  /** The value of a line that is drawn brightly at the moment, which is no part of the look. */
  readonly litLevel?: () => number | undefined;
};

/** Looks that the user has changed, by layer. */
export const fieldLooksOf = definePart((page) => {
  const store = createStore<ReadonlyMap<number, FieldLook>>(() => new Map());
  page.onRestart(() => store.setState(new Map(), true));
  return store;
});

export function fieldLookOf(page: Page, description: FieldDescription): FieldLook {
  const { fileIndex } = description;
  return fieldLooksOf(page).getState().get(fileIndex) ?? firstLookOf(description, combinedOf(page, fileIndex));
}

export function useFieldLook(description: FieldDescription): FieldLook {
  const changed = useStore(fieldLooksOf(usePage()), (looks) => looks.get(description.fileIndex));
  const combined = useCombined(description.fileIndex);
  return changed ?? firstLookOf(description, combined);
}

export function setFieldLook(page: Page, description: FieldDescription, change: Partial<FieldLook>): void {
  const next = { ...fieldLookOf(page, description), ...change };
  fieldLooksOf(page).setState((looks) => new Map(looks).set(description.fileIndex, next), true);
}

/** The look that the user has given to a layer; undefined if it has its first one. */
export function findFieldLook(page: Page, layer: number): FieldLook | undefined {
  return fieldLooksOf(page).getState().get(layer);
}

/** Gives a layer a look that it had before; undefined for its first one. */
export function restoreFieldLook(page: Page, layer: number, look: FieldLook | undefined): void {
  fieldLooksOf(page).setState((looks) => {
    const next = new Map(looks);
    if (look === undefined) next.delete(layer);
    else next.set(layer, look);
    return next;
  }, true);
}

/** Changes with every look, and with the lines that are lit. */
export function fieldChangesOf(page: Page): Watched {
  const stores: readonly Watched[] = [fieldLooksOf(page), litLevelsOf(page)];
  return {
    subscribe(listener) {
      const stops = stores.map((store) => store.subscribe(listener));
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}

const paints = new WeakMap<FieldLook, FieldPaint>();

/** The same object while the look is the same. */
export function paintOf(page: Page, description: FieldDescription): FieldPaint {
  const look = fieldLookOf(page, description);
  const { line, sort, fileIndex } = description;
  const litLevel = () => litLevelsOf(page).getState().get(fileIndex);
  const known = paints.get(look) ?? { ...look, line, isDose: sort === 'dose', litLevel };
  paints.set(look, known);
  return known;
}

/** What the client of fields gives to their painter. */
export function isFieldPaint(look: unknown): look is FieldPaint {
  return typeof look === 'object' && look !== null && 'colorMap' in look && 'line' in look;
}

const firstLooks = new WeakMap<FieldDescription | CombinedDoses, FieldLook>();

function firstLookOf(description: FieldDescription, combined: CombinedDoses | undefined): FieldLook {
  const key = combined ?? description;
  const known =
    firstLooks.get(key) ??
    (combined === undefined ? buildFirstLook(description) : buildCombinedLook(buildFirstLook(description), combined));
  firstLooks.set(key, known);
  return known;
}

const FIRST_MAPS: Readonly<Record<FieldDescription['sort'], ColorMapName>> = {
  dose: 'rainbow',
  pet: 'hot-iron',
  map: 'viridis',
  probability: 'viridis',
  values: 'viridis',
  other: 'hot-iron',
};
/** Parts of the window below which a dose, a PET or a probability is transparent at first: they fill the whole patient. */
const FIRST_THRESHOLD = 0.1;

function buildFirstLook({ sort, firstWindow = [0, 1], response }: FieldDescription): FieldLook {
  const [low, high] = firstWindow;
  const hasLines = sort === 'dose' || sort === 'probability';
  const hidesLow = hasLines || sort === 'pet';
  return {
    colorMap: FIRST_MAPS[sort],
    palette: undefined,
    opacity: sort === 'dose' ? 0.4 : 0.5,
    mix: undefined,
    low,
    high,
    threshold: hidesLow ? low + FIRST_THRESHOLD * (high - low) : undefined,
    isWash: true,
    areLines: hasLines,
    levels: response.default_levels,
    reference: 0,
  };
}

/** Differences up to this part of the window of the dose have colors of their own. */
const SHOWN_DIFFERENCE = 0.1;

/** A sum has the window of a dose of its parts; a difference has white where both are the same. */
function buildCombinedLook(own: FieldLook, { plus, minus }: CombinedDoses): FieldLook {
  if (minus.length > 0) {
    const high = SHOWN_DIFFERENCE * own.high;
    return { ...own, colorMap: 'blue-white-red', low: -high, high, threshold: undefined, areLines: false };
  }
  const parts = 1 + plus.length;
  const { low, high, threshold, levels } = own;
  return {
    ...own,
    low: low * parts,
    high: high * parts,
    threshold: threshold && threshold * parts,
    levels: levels.map((level) => level * parts),
  };
}
