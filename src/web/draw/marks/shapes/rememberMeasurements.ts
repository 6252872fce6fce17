import { claimUnsaved } from '../sync/guardTab.ts';
import { libraryOf } from '../../../kit/state/library.ts';
import type { Page } from '../../../kit/state/page.ts';
import { createParking } from '../sync/parking.ts';
import { formatKept, parseKept } from './keptMeasurements.ts';
import type { Measurement } from './measurement.ts';
import { measurementsOf, type MeasureState } from './measurements.ts';

const STORAGE_KEY = 'negato-measurements';

/**
 * Keeps the measurements on pictures that are no stored frames over a reload of the page and over a restart of the server,
 * and holds the tab while there are any. All others are marks, which the server keeps.
 */
export function rememberMeasurements(page: Page): () => void {
  const parking = createParking<Measurement>(page, {
    what: 'marks',
    list: () => listCuts(page).map((item) => ({ work: item, files: [item.fileIndex] })),
    nameOf: () => undefined,
    isWorthNaming: () => true,
    isReady: () => true,
    meet(found) {
      addItems(
        page,
        found.map(({ work, found: files }) => moveCut(work, files.get(work.fileIndex)?.index ?? work.fileIndex)),
      );
      return [];
    },
  });
  let serverStartMs: number | undefined;
  const restore = () => {
    const { summary } = libraryOf(page).getState();
    if (summary === undefined || summary.server_start_ms === serverStartMs) return;
    const isFirst = serverStartMs === undefined;
    serverStartMs = summary.server_start_ms;
    const kept = isFirst ? parseKept(readKept(), serverStartMs) : undefined;
    if (kept !== undefined) addItems(page, kept.items);
  };
  const keep = ({ items }: MeasureState, before: MeasureState) => {
    if (items !== before.items && serverStartMs !== undefined) writeKept(formatKept(listCuts(page), serverStartMs));
  };
  const stops = [
    parking.end,
    libraryOf(page).subscribe(restore),
    measurementsOf(page).subscribe(keep),
    claimUnsaved(page, () => !parking.isEmpty() || listCuts(page).length > 0),
  ];
  restore();
  return () => {
    for (const stop of stops) stop();
  };
}

function listCuts(page: Page): readonly Measurement[] {
  return measurementsOf(page)
    .getState()
    .items.filter(({ cut }) => cut !== undefined);
}

function addItems(page: Page, added: readonly Measurement[]): void {
  if (added.length === 0) return;
  measurementsOf(page).setState(({ items, nextId }) => ({
    items: [...items, ...added.map((item, n) => ({ ...item, id: nextId + n }))],
    nextId: nextId + added.length,
  }));
}

/** The names of pictures have the index of a file of their volume. */
function moveCut(item: Measurement, fileIndex: number): Measurement {
  const { cut } = item;
  if (cut === undefined) return item;
  const key = cut.key.replace(/^\d+/, String(fileIndex));
  const sourceId = cut.sourceId.replace(/^([a-z]+\/)\d+/, `$1${fileIndex}`);
  return { ...item, fileIndex, cut: { ...cut, key, sourceId } };
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
