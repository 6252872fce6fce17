import { libraryStore } from './library.ts';
import { viewportsStore } from './viewports.ts';
import { waitUntil } from './waitUntil.ts';

/** The longest that the first image may keep the rest waiting. */
const LONGEST_MS = 3_000;

/** The first image has the line to the server for itself; if there is none to wait for, this ends at once. */
export async function waitForFirstImage(signal: AbortSignal): Promise<void> {
  await waitUntil(isThereOrHopeless, { stores: [libraryStore, viewportsStore], longestMs: LONGEST_MS, signal });
}

function isThereOrHopeless(): boolean {
  const { files, summary, connection } = libraryStore.getState();
  const isHopeless = summary !== undefined && !files.some(({ support_state }) => support_state === 'renderable');
  const reports = [...viewportsStore.getState().reports.values()];
  // A preview is an image too, and must be able to say that it is one.
  const isThere = reports.some(({ status, screen }) => status === 'failed' || screen !== undefined);
  return isThere || isHopeless || connection === 'needs_token';
}
