import { createContext, useContext } from 'react';
import { libraryStore } from './library.ts';

/**
 * The owner of the page's state. It is made once, by `createPage`, and passed down: to components by context, to
 * everything else as an argument. What it owns are its parts, see `definePart`.
 */
export interface Page {
  /** Calls back when another run of the server answers: file indices then mean other files. Returns what ends that. */
  onRestart(forget: () => void): () => void;
  /**
   * The same for loaders, which come first: a store that forgets may make a viewport ask for new files, and that must not
   * be cleared with the rest.
   */
  onRestartFirst(clear: () => void): () => void;
  /** Every part forgets what it knew of files. */
  restart(): void;
}

export function createPage(): Page {
  const [clears, forgets] = [new Set<() => void>(), new Set<() => void>()];
  const page: Page = {
    onRestart(forget) {
      forgets.add(forget);
      return () => forgets.delete(forget);
    },
    onRestartFirst(clear) {
      clears.add(clear);
      return () => clears.delete(clear);
    },
    restart() {
      for (const forget of [...clears, ...forgets]) forget();
    },
  };
  // The page is made before anything else follows the library: nobody asks a part about new files before it forgot the
  // old ones.
  libraryStore.subscribe(({ serverRuns }, before) => {
    if (serverRuns !== before.serverRuns) page.restart();
  });
  return page;
}

/**
 * A part of the page's state, made when it is first needed: some of the code comes after the first image. The function
 * that is returned finds the part of a page. State belongs into parts and not into variables of a module.
 */
export function definePart<Part>(create: (page: Page) => Part): (page: Page) => Part {
  const parts = new WeakMap<Page, { readonly part: Part }>();
  return (page) => {
    const known = parts.get(page);
    if (known !== undefined) return known.part;
    const part = create(page);
    parts.set(page, { part });
    return part;
  };
}

export const PageContext = createContext<Page | undefined>(undefined);

export function usePage(): Page {
  const page = useContext(PageContext);
  if (page === undefined) throw new Error('there is no page around this component');
  return page;
}
