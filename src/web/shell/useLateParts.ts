import { startTransition, useEffect, useState } from 'react';
import { waitForFirstImage } from '../state/firstImage.ts';
import { waitForFirstSeries } from '../state/firstSeries.ts';
import { loadPart } from '../state/missingParts.ts';
import { usePage } from '../state/page.ts';
import type { KeptHands } from './keepHands.ts';
import type { LateParts } from './lateParts.ts';

/**
 * The parts that are loaded after the first image or with the first key. When they are loaded, earlier input is
 * replayed.
 */
export function useLateParts(hands: KeptHands): LateParts | undefined {
  const page = usePage();
  const [parts, setParts] = useState<LateParts>();
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    const load = async () => {
      await waitForFirstImage(page, AbortSignal.any([signal, hands.firstPress]));
      const { lateParts } = await loadPart(page, () => import('./lateParts.ts'));
      // A user who has pressed End meanwhile means the end of the series, not of its first image.
      if (hands.firstPress.aborted) await waitForFirstSeries(page, signal);
      if (!signal.aborted) startTransition(() => setParts(lateParts));
    };
    void load();
    return () => ending.abort();
  }, [page, hands]);
  useEffect(() => {
    if (parts === undefined) return undefined;
    const stop = parts.start(page);
    // The layers of the cells are listening now, because effects of children run first.
    hands.release();
    // For tests: from here on every key is handled at once.
    document.documentElement.dataset['parts'] = 'all';
    return stop;
  }, [page, parts, hands]);
  return parts;
}
