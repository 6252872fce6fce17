import { createStore } from 'zustand/vanilla';
import { definePart, type Page } from '../../kit/state/page.ts';

/** By layer, the value that the user points at, such as a dose in a histogram. */
export const litLevelsOf = definePart((page) => {
  const store = createStore<ReadonlyMap<number, number>>(() => new Map());
  page.onRestart(() => store.setState(new Map(), true));
  return store;
});

/** Lights the line of a value wherever the layer is drawn; undefined for none. */
export function lightLevel(page: Page, layer: number, value: number | undefined): void {
  const store = litLevelsOf(page);
  if (store.getState().get(layer) === value) return;
  store.setState(value === undefined ? new Map() : new Map([[layer, value]]), true);
}
