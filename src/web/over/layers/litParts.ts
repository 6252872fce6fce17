import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { definePart, type Page, usePage } from '../../kit/state/page.ts';

type LitParts = {
  /** Those under the pointer, as `layer/part`. */
  readonly lit: ReadonlySet<string>;
  /** The one that was opened from a document; it stays lit until another one is. */
  readonly chosen: string | undefined;
};

/** The parts under the pointer, as `layer/part`: they are lit in the image, in the panel and in documents. */
const litPartsOf = definePart(() => createStore<LitParts>(() => ({ lit: new Set(), chosen: undefined })));

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

/** Lights a part until another one is chosen; undefined for none. */
export function choosePart(page: Page, part: { readonly layer: number; readonly part: number } | undefined): void {
  litPartsOf(page).setState({ chosen: part && `${part.layer}/${part.part}` });
}

/** Marks the lit parts among the graphics of an element, now and when others are drawn. Returns a function that stops it. */
export function lightGraphics(page: Page, svg: SVGSVGElement): () => void {
  const mark = () => {
    const { lit, chosen } = litPartsOf(page).getState();
    const numbers = new Set(
      [...lit, ...(chosen === undefined ? [] : [chosen])].map((one) => one.slice(one.indexOf('/') + 1)),
    );
    for (const element of svg.querySelectorAll<SVGElement>('[data-part]')) {
      const isLit = numbers.has(element.dataset['part'] ?? '');
      if (isLit !== element.hasAttribute('data-lit')) element.toggleAttribute('data-lit', isLit);
    }
  };
  const observer = new MutationObserver(mark);
  observer.observe(svg, { childList: true, subtree: true });
  const stop = litPartsOf(page).subscribe(mark);
  mark();
  return () => {
    observer.disconnect();
    stop();
  };
}
