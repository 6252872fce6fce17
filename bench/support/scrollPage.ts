import type { Page } from 'playwright-core';

export type Scrolled = { readonly inTime: number; readonly tookMs: number; readonly longestLagMs: number };

/**
 * Turns the wheel by `count` notches at a fixed rate from the first image of a stack; an image is in time when it is
 * shown before the next notch.
 */
export function scrollPage(page: Page, count: number, rate: number): Promise<Scrolled> {
  return page.evaluate(
    async ([most, perSecond]) => {
      const cell = document.querySelector<HTMLElement>('[data-cell="0"]');
      if (cell === null) throw new Error('no cell');
      const shown = () => Number(cell.dataset['shown']);
      const began = performance.now();
      let [inTime, notches, longestLagMs, lastShown, changedAt] = [0, 0, 0, shown(), began];
      for (;;) {
        const now = await new Promise<number>((next) => requestAnimationFrame(next));
        if (shown() !== lastShown) {
          longestLagMs = Math.max(longestLagMs, now - changedAt);
          [lastShown, changedAt] = [shown(), now];
        }
        while (notches < most && now >= began + (notches * 1000) / perSecond) {
          if (notches > 0 && shown() >= notches) inTime += 1;
          notches += 1;
          cell.dispatchEvent(new WheelEvent('wheel', { deltaY: 100, bubbles: true, cancelable: true }));
        }
        if (notches >= most && shown() >= most) return { inTime, tookMs: now - began, longestLagMs };
      }
    },
    [count, rate] as const,
  );
}
