import { waitForFirstImage } from '../state/firstImage.ts';

/** What follows the page in the background, and whose code the first image can do without. */
export async function startLateParts(signal: AbortSignal): Promise<void> {
  await waitForFirstImage(signal);
  const { followReadings } = await import('../values/followReadings.ts');
  followReadings();
  const { startMeasuring } = await import('../measure/startMeasuring.ts');
  startMeasuring();
}
