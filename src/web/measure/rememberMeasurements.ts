import { libraryOf } from '../state/library.ts';
import type { Page } from '../state/page.ts';
import { formatKept, parseKept } from './keptMeasurements.ts';
import { measurementsOf, type MeasureState } from './measurements.ts';

const STORAGE_KEY = 'negato-measurements';

/**
 * Restores the measurements on pictures that are no stored frames from before a reload of the page, within the same run
 * of the server. All others are marks, which the server keeps.
 */
export function rememberMeasurements(page: Page): () => void {
  let serverStartMs: number | undefined;
  const restore = () => {
    const { summary } = libraryOf(page).getState();
    if (summary === undefined || summary.server_start_ms === serverStartMs) return;
    const isFirst = serverStartMs === undefined;
    serverStartMs = summary.server_start_ms;
    const kept = isFirst ? parseKept(readKept(), serverStartMs) : undefined;
    if (kept === undefined) return;
    measurementsOf(page).setState(({ items, nextId }) => ({
      items: [...items, ...kept.items.map((item, n) => ({ ...item, id: nextId + n }))],
      nextId: nextId + kept.items.length,
    }));
  };
  const keep = ({ items }: MeasureState, before: MeasureState) => {
    if (items !== before.items && serverStartMs !== undefined)
      writeKept(
        formatKept(
          items.filter(({ cut }) => cut !== undefined),
          serverStartMs,
        ),
      );
  };
  const stops = [libraryOf(page).subscribe(restore), measurementsOf(page).subscribe(keep)];
  restore();
  return () => {
    for (const stop of stops) stop();
  };
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
