import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { definePart, type Page, usePage } from '../state/page.ts';

/** How a part of a layer is drawn. */
export type PartStyle = {
  readonly isVisible: boolean;
  /** From 0 to 1. */
  readonly opacity: number;
  readonly isOutline: boolean;
};

export const FIRST_STYLE: PartStyle = { isVisible: true, opacity: 0.5, isOutline: false };

/** Styles of the parts that were changed, by the layer's file and the number of the part. */
export const stylesOf = definePart((page) => {
  const store = createStore<{ readonly styles: ReadonlyMap<string, PartStyle> }>(() => ({ styles: new Map() }));
  page.onRestart(() => store.setState({ styles: new Map() }));
  return store;
});

function keyOf(layer: number, part: number): string {
  return `${layer}/${part}`;
}

export function styleOf(page: Page, layer: number, part: number): PartStyle {
  return stylesOf(page).getState().styles.get(keyOf(layer, part)) ?? FIRST_STYLE;
}

export function useStyle(layer: number, part: number): PartStyle {
  return useStore(stylesOf(usePage()), ({ styles }) => styles.get(keyOf(layer, part)) ?? FIRST_STYLE);
}

export function setStyle(
  page: Page,
  layer: number,
  { parts, change }: { readonly parts: readonly number[]; readonly change: Partial<PartStyle> },
): void {
  const store = stylesOf(page);
  const styles = new Map(store.getState().styles);
  for (const part of parts) styles.set(keyOf(layer, part), { ...styleOf(page, layer, part), ...change });
  store.setState({ styles });
}
