import { useEffect } from 'react';
import { loadInfo } from '../../kit/state/fileInfo.ts';
import { usePage } from '../../kit/state/page.ts';
import { followRest } from './followRest.ts';
import { loadDetails } from './frameDetails.ts';

/** Loads the data for the corner texts of a frame when the user has stayed on it; scrolling causes no requests. */
export function useDetailsAtRest(cell: number): void {
  const page = usePage();
  useEffect(
    () =>
      followRest(page, cell, (frame, signal) => {
        void loadInfo(page, frame.fileIndex, signal);
        void loadDetails(page, frame, signal);
      }),
    [page, cell],
  );
}
