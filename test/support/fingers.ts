import type { Page } from 'playwright-core';

type Finger = readonly [x: number, y: number];

/** Sends touch events to a page that has touch. */
export async function createFingers(page: Page) {
  const session = await page.context().newCDPSession(page);
  return (type: 'touchStart' | 'touchMove' | 'touchEnd', ...fingers: readonly Finger[]) =>
    session.send('Input.dispatchTouchEvent', { type, touchPoints: fingers.map(([x, y], id) => ({ x, y, id })) });
}
