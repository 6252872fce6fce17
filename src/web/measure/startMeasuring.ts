import { followMeasurements } from './followMeasurements.ts';
import { rememberMeasurements } from './rememberMeasurements.ts';

/** What measuring needs once on a page, whatever it shows. Returns how to stop it. */
export function startMeasuring(): () => void {
  const stops = [rememberMeasurements(), followMeasurements()];
  return () => {
    for (const stop of stops) stop();
  };
}
