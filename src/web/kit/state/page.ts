import { createContext, useContext } from 'react';

/**
 * The owner of the page's state. It is created once, by `createPage`, and passed down: to components by context, to
 * everything else as an argument. It owns its parts, see `definePart`.
 */
export interface Page {
  /**
   * Calls back when another run of the server answers, because file indices then mean other files. Returns a function
   * that unsubscribes.
   */
  onRestart(forget: () => void): () => void;
  /**
   * Like `onRestart`, but called earlier, for loaders: a store that is reset may make a viewport request new files, and
   * those requests must not be cleared.
   */
  onRestartFirst(clear: () => void): () => void;
  /**
   * Aborts when another run of the server answers. A request for a file uses it, because its answer is not about the
   * file that has the same index in the next run.
   */
  untilRestart(signal: AbortSignal): AbortSignal;
  /** Makes every part forget what it knew about files. */
  restart(): void;
}

export function createPage(): Page {
  const [clears, forgets] = [new Set<() => void>(), new Set<() => void>()];
  let run = new AbortController();
  return {
    onRestart(forget) {
      forgets.add(forget);
      return () => forgets.delete(forget);
    },
    onRestartFirst(clear) {
      clears.add(clear);
      return () => clears.delete(clear);
    },
    untilRestart: (signal) => AbortSignal.any([signal, run.signal]),
    restart() {
      run.abort();
      run = new AbortController();
      for (const forget of [...clears, ...forgets]) forget();
    },
  };
}

/**
 * Defines a part of the page's state, which is created on first use because some code loads after the first image. The
 * returned function finds the part of a page. State belongs in parts, not in module variables.
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
