import { useEffect, useState } from 'react';
import { waitForFirstImage } from './firstImage.ts';

/** Whether the first image is there, or will not come: what the page can do without at first waits for it. */
export function useFirstImage(): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const controller = new AbortController();
    const look = async () => {
      await waitForFirstImage(controller.signal);
      if (!controller.signal.aborted) setOver(true);
    };
    void look();
    return () => controller.abort();
  }, []);
  return isOver;
}
