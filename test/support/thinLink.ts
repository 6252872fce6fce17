import type { Page } from 'playwright-core';

/** Limits the connection of the page to the server to 20 Mbit/s with a latency of 50 ms. */
export async function moveBehindThinLink(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.enable');
  const bytesPerSecond = 20_000_000 / 8;
  await devtools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 50,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  });
}
