import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { definePart, type Page, usePage } from '../state/page.ts';

/** The parts under the pointer, as `layer/part`; their rows in the panel are lit. */
const litPartsOf = definePart(() => createStore<{ readonly lit: ReadonlySet<string> }>(() => ({ lit: new Set() })));

export function setLitParts(page: Page, parts: readonly { readonly layer: number; readonly part: number }[]): void {
  const store = litPartsOf(page);
  const { lit } = store.getState();
  const next = new Set(parts.map(({ layer, part }) => `${layer}/${part}`));
  if (next.size === lit.size && [...next].every((one) => lit.has(one))) return;
  store.setState({ lit: next });
}

export function useIsLit(layer: number, part: number): boolean {
  return useStore(litPartsOf(usePage()), ({ lit }) => lit.has(`${layer}/${part}`));
}
