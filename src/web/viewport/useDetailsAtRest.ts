import { useEffect } from 'react';
import { loadInfo } from '../state/fileInfo.ts';
import { followRest } from './followRest.ts';
import { loadDetails } from './frameDetails.ts';

/** Asks for what the corners say about a frame when the hand has rested on it: scrolling asks for nothing. */
export function useDetailsAtRest(cell: number): void {
  useEffect(
    () =>
      followRest(cell, (frame, signal) => {
        void loadInfo(frame.fileIndex, signal);
        void loadDetails(frame, signal);
      }),
    [cell],
  );
}
