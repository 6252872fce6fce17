import { claimUnsaved } from '../sync/guardTab.ts';
import { libraryOf } from '../../../kit/state/library.ts';
import type { Page } from '../../../kit/state/page.ts';
import { type CutMark, isCut, renumberCut } from '../sync/markForm.ts';
import { createMarkUid, marksOf, type MarksState, putMarks } from '../sync/marks.ts';
import { createParking } from '../sync/parking.ts';
import { formatKept, type CutMarks, parseKept } from './keptMeasurements.ts';

const STORAGE_KEY = 'negato-measurements';

/**
 * Keeps the marks on pictures that are no stored frames over a reload of the page and over a restart of the server, and
 * holds the tab while there are any. The server keeps all others.
 */
export function rememberMeasurements(page: Page): () => void {
  const parking = createParking<CutMark>(page, {
    what: 'marks',
    list: () => listCuts(page).map(([, mark]) => ({ work: mark, files: [mark.place.file_index] })),
    nameOf: () => undefined,
    isWorthNaming: () => true,
    isReady: () => true,
    meet(found) {
      const moved = found.map(({ work, found: files }) => {
        const { file_index: index } = work.place;
        return renumberCut(work, files.get(index)?.index ?? index);
      });
      putMarks(page, new Map(moved.map((mark) => [createMarkUid(), mark])));
    },
  });
  let serverStartMs: number | undefined;
  const restore = () => {
    const { summary } = libraryOf(page).getState();
    if (summary === undefined || summary.server_start_ms === serverStartMs) return;
    const isFirst = serverStartMs === undefined;
    serverStartMs = summary.server_start_ms;
    const kept = isFirst ? parseKept(readKept(), serverStartMs) : undefined;
    if (kept !== undefined) putMarks(page, new Map(kept));
  };
  const keep = ({ marks }: MarksState, before: MarksState) => {
    if (marks !== before.marks && serverStartMs !== undefined) writeKept(formatKept(listCuts(page), serverStartMs));
  };
  const stops = [
    parking.end,
    libraryOf(page).subscribe(restore),
    marksOf(page).subscribe(keep),
    claimUnsaved(page, () => !parking.isEmpty() || listCuts(page).length > 0),
  ];
  restore();
  return () => {
    for (const stop of stops) stop();
  };
}

function listCuts(page: Page): CutMarks {
  return [...marksOf(page).getState().marks].flatMap(([uid, mark]) => (isCut(mark) ? [[uid, mark] as const] : []));
}

function readKept(): string | undefined {
  try {
    return sessionStorage.getItem(STORAGE_KEY) ?? undefined;
  } catch {
    return undefined;
  }
}

function writeKept(text: string): void {
  try {
    sessionStorage.setItem(STORAGE_KEY, text);
  } catch {
    // The browser may refuse to store anything; measurements are then lost with the page.
  }
}
