import type { Page } from '../state/page.ts';
import { followMeasurements } from './followMeasurements.ts';
import { rememberMeasurements } from './rememberMeasurements.ts';

/** Starts what measuring needs once per page. Returns a function that stops it. */
export function startMeasuring(page: Page): () => void {
  const stops = [rememberMeasurements(page), followMeasurements(page)];
  return () => {
    for (const stop of stops) stop();
  };
}
