import type { Page } from '../state/page.ts';
import { followMeasurements } from './followMeasurements.ts';
import { rememberMeasurements } from './rememberMeasurements.ts';

/** What measuring needs once on a page, whatever it shows. Returns how to stop it. */
export function startMeasuring(page: Page): () => void {
  const stops = [rememberMeasurements(), followMeasurements(page)];
  return () => {
    for (const stop of stops) stop();
  };
}
