import { createStore } from 'zustand/vanilla';
import { libraryOf } from '../../kit/state/library.ts';
import { markNewsOf } from '../../kit/state/markNews.ts';
import { definePart, type Page } from '../../kit/state/page.ts';
import { reviewNewsOf } from '../../kit/state/reviewNews.ts';
import { tableColumnsOf, listTableColumns } from './tableColumns.ts';

/** A scan and the reading of a column change the table all the time. */
export const PAUSE_MS = 2_000;

/** Counts when the rows may have changed: more files, other marks, more of a column. */
export const tableNewsOf = definePart((page) => {
  const store = createStore<{ readonly count: number }>(() => ({ count: 0 }));
  let known = describeTable(page);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let toldMs = 0;
  const look = () => {
    if (timer === undefined && describeTable(page) !== known)
      timer = setTimeout(tell, Math.max(0, toldMs + PAUSE_MS - performance.now()));
  };
  const tell = () => {
    timer = undefined;
    toldMs = performance.now();
    known = describeTable(page);
    store.setState(({ count }) => ({ count: count + 1 }));
  };
  libraryOf(page).subscribe(look);
  markNewsOf(page).subscribe(look);
  reviewNewsOf(page).subscribe(look);
  tableColumnsOf(page).changes.subscribe(look);
  return store;
});

/** For answers that say that more is to come. */
export function askTableAgain(page: Page): void {
  tableNewsOf(page).setState(({ count }) => ({ count: count + 1 }));
}

function describeTable(page: Page): string {
  const { summary, serverRuns, isSeriesComplete } = libraryOf(page).getState();
  const read = listTableColumns(page).map(({ name, state, done }) => `${name} ${state} ${done}`);
  const marks = markNewsOf(page).getState().count + reviewNewsOf(page).getState().count;
  return `${serverRuns}/${summary?.revision}/${summary?.scan_complete}/${isSeriesComplete}/${marks}/${read.join()}`;
}
