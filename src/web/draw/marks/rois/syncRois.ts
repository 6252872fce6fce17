import { libraryOf } from '../../../kit/state/library.ts';
import type { Page } from '../../../kit/state/page.ts';
import { claimUnsaved } from '../sync/guardTab.ts';
import { createParking } from '../sync/parking.ts';
import { roisOf } from './roiFiles.ts';

/** Keeps ROIs until the server has them, over losses of the connection and restarts. Returns a function that stops it. */
export function syncRois(page: Page): () => void {
  const rois = roisOf(page);
  const parking = createParking(page, {
    what: 'ROIs',
    list: () => rois.listWork().map((work) => ({ work, files: [work.fileIndex] })),
    // Work of several runs on one file is put together when its file is found.
    nameOf: () => undefined,
    isWorthNaming: ({ rois: drawn }) => drawn.length > 0,
    isReady: () => canReadRois(page),
    meet: (found) => rois.meet(found),
  });
  const stops = [
    parking.end,
    libraryOf(page).subscribe((now, before) => {
      if (now.connection === 'live' && before.connection !== 'live') rois.retry();
    }),
    claimUnsaved(page, () => rois.hasUnsaved() || !parking.isEmpty()),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** During an import the server would hold each request open, which would occupy one of the few connections. */
export function canReadRois(page: Page): boolean {
  const { summary, connection } = libraryOf(page).getState();
  const state = summary?.annotations.import_state;
  return connection === 'live' && state !== undefined && state !== 'waiting' && state !== 'running';
}
