import type { Page } from 'playwright-core';

/** Shows stored images in the fourth cell, in which a MIP is at first. */
export async function showStoredBeside(page: Page, instance: string): Promise<void> {
  await page.waitForURL(/,mip(?:&|$)/);
  const address = new URL(page.url()).hash.replace(/cell=[^&=]*,mip/, `cell=${instance},1`);
  await page.evaluate((hash) => (location.hash = hash), address);
  await page.locator('[data-cell="3"][data-status="ready"][data-quality="exact"]').waitFor();
}
