import { useEffect } from 'react';
import { useStore } from 'zustand';
import { asError } from '../../../shared/asError.ts';
import type { ColumnsResponse, WireTableColumn } from '../../../shared/contract/tables.ts';
import { fetchColumns, readColumns } from '../../kit/api/table.ts';
import { type Answers, createAnswers } from '../../kit/state/answers.ts';
import { libraryOf, useLibrary } from '../../kit/state/library.ts';
import { say } from '../../kit/state/messages.ts';
import { definePart, type Page, usePage } from '../../kit/state/page.ts';
import { wait } from '../../kit/state/wait.ts';
import { useQuery } from './query.ts';

/** While elements are read from the files. */
const AGAIN_MS = 700;

const ALL = 'columns';

/** What columns the table can have. Asked again until all of them are read. */
export const tableColumnsOf = definePart((page): Answers<typeof ALL, ColumnsResponse> =>
  createAnswers(page, {
    keyOf: (question) => question,
    stateOf: () => libraryOf(page).getState().summary?.revision,
    async ask(_, signal, show) {
      for (;;) {
        const answer = await fetchColumns(signal);
        if (!answer.columns.some(({ state }) => state === 'harvesting')) return answer;
        show(answer);
        await wait(AGAIN_MS, signal);
      }
    },
  }),
);

const NO_COLUMNS: readonly WireTableColumn[] = [];

/** The columns that the server knows; none until it has answered. */
export function listTableColumns(page: Page): readonly WireTableColumn[] {
  return tableColumnsOf(page).find(ALL)?.columns ?? NO_COLUMNS;
}

/** Asks for the columns as long as the component is shown. */
export function useColumns(): { readonly columns: readonly WireTableColumn[]; readonly error: string | undefined } {
  const page = usePage();
  const answers = tableColumnsOf(page);
  useStore(answers.changes);
  const isScanned = useLibrary(({ summary }) => summary?.scan_complete === true);
  useEffect(() => {
    const shown = new AbortController();
    void answers.load(ALL, shown.signal);
    return () => shown.abort();
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- the scan has found more files
  }, [answers, isScanned]);
  return { columns: listTableColumns(page), error: answers.findError(ALL)?.message };
}

/**
 * Has an element of the files read as a column, too. Resolves to the name of the column, which is the keyword of an element that
 * was named by its tag. Rejects with the server's reason if there is no such element.
 */
export async function readFromFiles(page: Page, path: string): Promise<string> {
  const columns = await readAll(page, [path]);
  const wanted = path.replaceAll(/[\s()]/g, '').toLowerCase();
  const isNamed = ({ name, path: own, tag }: WireTableColumn) =>
    [name, own, tag].some((one) => one?.replaceAll(/[\s()]/g, '').toLowerCase() === wanted);
  return columns.find(isNamed)?.name ?? path;
}

async function readAll(page: Page, paths: readonly string[]): Promise<readonly WireTableColumn[]> {
  // Another page may have named some since this one has asked.
  const before = await fetchColumns(new AbortController().signal);
  const known = before.columns.filter(({ origin }) => origin === 'header').map(({ name }) => name);
  const { columns } = await readColumns([...new Set([...known, ...paths])]);
  void tableColumnsOf(page).renew(ALL);
  return columns;
}

/** Has the columns read that the query names and the server does not know, such as those of a link. */
export function useMissingColumns(): void {
  const page = usePage();
  const { columns: known } = useColumns();
  const wanted = useQuery((query) =>
    [
      ...query.columns,
      ...(query.group === undefined ? [] : [query.group]),
      ...query.sort.map(({ column }) => column),
    ].join('\n'),
  );
  const isKnown = known.length > 0;
  useEffect(() => {
    if (!isKnown) return;
    const names = new Set(listTableColumns(page).map(({ name }) => name));
    const missing = wanted.split('\n').filter((name) => !names.has(name));
    if (missing.length > 0)
      readAll(page, missing).catch((error: unknown) => say(page, asError(error).message, 'failed'));
  }, [page, wanted, isKnown]);
}
