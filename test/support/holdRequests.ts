import type { Page } from 'playwright-core';

/** The page's requests for such addresses wait until the function is called that this returns. */
export async function holdRequests(page: Page, pattern: string): Promise<() => void> {
  let release: (() => void) | undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(pattern, async (route) => {
    await held;
    await route.continue();
  });
  return () => release?.();
}
