import type { ContentItem } from '../../../../shared/contract/reports.ts';
import { fetchReport, fetchReportBeginning } from '../../../kit/api/documents.ts';
import { useAsked } from '../../../kit/state/useAsked.ts';
import { addContentItems, findIncomplete } from './reportRows.ts';

type Content = {
  readonly root: ContentItem | undefined;
  /** All items of the report have been loaded. */
  readonly isComplete: boolean;
  /** The server left out the end of the report. */
  readonly isCut: boolean;
};

/** Pages of one report; more would be more items than the server reads. */
const MOST_PAGES = 200;

const NOTHING: Content = { root: undefined, isComplete: false, isCut: false };

/** Loads the content of a report page by page; its beginning is shown at once. */
export function useReportContent(fileIndex: number): Content & { readonly error: string | undefined } {
  const { value = NOTHING, error } = useAsked(fileIndex, { ask: askContent });
  return { ...value, error };
}

async function askContent(fileIndex: number, signal: AbortSignal, show: (soFar: Content) => void): Promise<Content> {
  let { root, is_cut: isCut } = await fetchReportBeginning(fileIndex, signal);
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const next = findIncomplete(root);
    if (next === undefined) return { root, isComplete: true, isCut };
    show({ root, isComplete: false, isCut });
    const answer = await fetchReport(fileIndex, next, signal);
    // The server has no more of it: the report was cut there.
    if (answer.root.items.length === 0) break;
    root = addContentItems(root, answer.root);
    isCut = answer.is_cut;
  }
  return { root, isComplete: true, isCut: true };
}
