import type { Page } from 'playwright-core';

/** How long the page worked for each of its animation frames, in milliseconds, while something was done. */
export async function watchFrames(page: Page, act: () => Promise<void>): Promise<number[]> {
  const watching = page.evaluate(
    () =>
      new Promise<number[]>((settle) => {
        const took: number[] = [];
        document.addEventListener('bench-end', () => settle(took), { once: true });
        const look = () => {
          const start = performance.now();
          // What was scheduled for this animation frame has run when the message arrives.
          const channel = new MessageChannel();
          channel.port1.addEventListener('message', () => took.push(performance.now() - start));
          channel.port1.start();
          channel.port2.postMessage(undefined);
          requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      }),
  );
  await act();
  await page.evaluate(() => document.dispatchEvent(new Event('bench-end')));
  return watching;
}

/** Drags the pointer along a path, a step every 8 ms as a mouse does, without waiting until the page has seen it. */
export async function dragAlong(page: Page, path: readonly (readonly [x: number, y: number])[]): Promise<void> {
  const [first, ...rest] = path;
  if (first === undefined) return;
  await page.mouse.move(...first);
  await page.mouse.down();
  const moves: Promise<void>[] = [];
  for (const point of rest) {
    moves.push(page.mouse.move(...point));
    await new Promise((next) => setTimeout(next, 8));
  }
  await Promise.all(moves);
  await page.mouse.up();
}
