import { startTransition, useEffect, useState } from 'react';
import { waitForFirstImage } from '../kit/state/firstImage.ts';
import { waitForFirstSeries } from '../kit/state/firstSeries.ts';
import { loadChunk } from '../kit/state/loadChunk.ts';
import { usePage } from '../kit/state/page.ts';
import type { KeptInput } from './keepInput.ts';
import type { LaterChunk } from './laterChunk.ts';

/**
 * The code that is loaded after the first image or with the first key. When it is loaded, earlier input is replayed.
 */
export function useLaterChunk(input: KeptInput): LaterChunk | undefined {
  const page = usePage();
  const [later, setLater] = useState<LaterChunk>();
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    const load = async () => {
      await waitForFirstImage(page, AbortSignal.any([signal, input.firstPress]));
      const { laterChunk } = await loadChunk(page, () => import('./laterChunk.ts'));
      // A user who has pressed End meanwhile means the end of the series, not of its first image.
      if (input.firstPress.aborted) await waitForFirstSeries(page, signal);
      if (!signal.aborted) startTransition(() => setLater(laterChunk));
    };
    void load();
    return () => ending.abort();
  }, [page, input]);
  useEffect(() => {
    if (later === undefined) return undefined;
    const stop = later.start(page);
    // The layers of the cells are listening now, because effects of children run first.
    input.release();
    // For tests: from here on every key is handled at once.
    document.documentElement.dataset['parts'] = 'all';
    return stop;
  }, [page, later, input]);
  return later;
}
