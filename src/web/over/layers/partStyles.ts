import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { findLayer } from '../../kit/state/library.ts';
import { definePart, type Page, usePage } from '../../kit/state/page.ts';
import { FIRST_STYLE, type PartStyle } from '../../../shared/partStyle.ts';
import { findClient } from './layerClients.ts';

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
  return stylesOf(page).getState().styles.get(keyOf(layer, part)) ?? firstStyleOf(page, layer);
}

function firstStyleOf(page: Page, layer: number): PartStyle {
  const file = findLayer(page, layer);
  return (file && findClient(file)?.firstStyle) ?? FIRST_STYLE;
}

export function useStyle(layer: number, part: number): PartStyle {
  const page = usePage();
  return useStore(stylesOf(page), ({ styles }) => styles.get(keyOf(layer, part))) ?? firstStyleOf(page, layer);
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
