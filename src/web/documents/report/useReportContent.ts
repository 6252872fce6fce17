import { useEffect, useState } from 'react';
import type { ContentItem } from '../../../shared/contract/reports.ts';
import { fetchReport, fetchReportBeginning } from '../../api/documents.ts';
import { addContentItems, findIncomplete } from './reportRows.ts';

export type LoadedReport = {
  readonly root: ContentItem | undefined;
  /** All items of the report have been loaded. */
  readonly isComplete: boolean;
  /** The server left out the end of the report. */
  readonly isCut: boolean;
  readonly error: string | undefined;
};

/** Pages of one report; more would be more items than the server reads. */
const MOST_PAGES = 200;

/** Loads the content of a report page by page; its beginning is shown at once. */
export function useReportContent(fileIndex: number): LoadedReport {
  const [report, setReport] = useState<LoadedReport>(NOTHING);
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    const load = async () => {
      let { root, is_cut: isCut } = await fetchReportBeginning(fileIndex, signal);
      for (let page = 0; page < MOST_PAGES && !signal.aborted; page += 1) {
        const next = findIncomplete(root);
        setReport({ root, isComplete: next === undefined, isCut, error: undefined });
        if (next === undefined) return;
        const answer = await fetchReport(fileIndex, next, signal);
        // The server has no more of it: the report was cut there.
        if (answer.root.items.length === 0) break;
        root = addContentItems(root, answer.root);
        isCut = answer.is_cut;
      }
      if (!signal.aborted) setReport({ root, isComplete: true, isCut: true, error: undefined });
    };
    load().catch((error: unknown) => {
      if (signal.aborted) return;
      setReport((known) => ({ ...known, error: error instanceof Error ? error.message : String(error) }));
    });
    return () => ending.abort();
  }, [fileIndex]);
  return report;
}

const NOTHING: LoadedReport = { root: undefined, isComplete: false, isCut: false, error: undefined };
