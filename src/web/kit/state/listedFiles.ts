import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { type LibraryState, libraryOf } from './library.ts';
import { definePart, usePage } from './page.ts';

/** What long lists of all files are built from. */
export type ListedFiles = Pick<LibraryState, 'files' | 'stacks' | 'stackOfFile' | 'isSeriesComplete'>;

/** Lists of this many files are built within a slice, so they follow every change. */
const FEW_FILES = 2_000;
const GROWTH = 1.5;
const PAUSE_MS = 2_000;
/** On a slow machine, building the lists takes at most a tenth of the time. */
const TIMES_LAST = 10;

/**
 * The files as the explorer lists them. While a scan adds a page of files after the other, they follow the library now
 * and then: building a list of 100,000 files a hundred times would take the processors from the scan.
 */
export const listedFilesOf = definePart((page) => {
  const library = libraryOf(page);
  const store = createStore<ListedFiles>(() => pick(library.getState()));
  let holds = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isLate = false;
  let lastMs = 0;

  const show = () => {
    clearTimeout(timer);
    timer = undefined;
    isLate = false;
    store.setState(pick(library.getState()));
  };
  const follow = () => {
    const latest = library.getState();
    const shown = store.getState();
    if (isSame(shown, latest)) return;
    if (holds === 0 && (isLate || isWorthIt(shown, latest))) show();
    else timer ??= setTimeout(passLimit, Math.max(PAUSE_MS, TIMES_LAST * lastMs));
  };
  const passLimit = () => {
    timer = undefined;
    isLate = true;
    follow();
  };
  library.subscribe(follow);
  page.onRestart(show);

  return {
    store,
    /** While a list is being built. Otherwise a slow machine would begin again and again, and show nothing. */
    hold(): () => void {
      const beganMs = performance.now();
      holds += 1;
      return () => {
        holds -= 1;
        lastMs = performance.now() - beganMs;
        follow();
      };
    },
  };
});

export function useListedFiles(): ListedFiles {
  return useStore(listedFilesOf(usePage()).store);
}

function isWorthIt(shown: ListedFiles, { summary, files, stacks }: LibraryState): boolean {
  if (files.length <= FEW_FILES) return true;
  if (summary !== undefined && summary.scan_complete && !summary.more) return true;
  // The line of the image on screen is found by its stack.
  if (shown.stacks.size === 0 && stacks.size > 0) return true;
  return files.length >= shown.files.length * GROWTH;
}

function isSame(shown: ListedFiles, latest: LibraryState): boolean {
  return (
    shown.files === latest.files &&
    shown.stackOfFile === latest.stackOfFile &&
    shown.isSeriesComplete === latest.isSeriesComplete
  );
}

function pick({ files, stacks, stackOfFile, isSeriesComplete }: LibraryState): ListedFiles {
  return { files, stacks, stackOfFile, isSeriesComplete };
}
