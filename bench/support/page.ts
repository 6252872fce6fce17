import type { Page } from 'playwright-core';
import { type BenchBrowser, launchBrowser } from './browser.ts';
import { type BenchServer, startServer } from './server.ts';

/** The viewer over the files of a folder: a server, a browser without a GPU, a page that is still empty. */
export type BenchViewer = { readonly page: Page; readonly browser: BenchBrowser; readonly server: BenchServer };

export async function withViewer(folder: string, use: (viewer: BenchViewer) => Promise<void>): Promise<void> {
  const server = await startServer(folder);
  try {
    const browser = await launchBrowser({ gpu: false });
    try {
      await use({ page: await browser.newPage(), browser, server });
    } finally {
      await browser.close();
    }
  } finally {
    await server.stop();
  }
}

/** Until the first cell shows what it should, as sharp as it should be. */
export async function waitUntilReady(page: Page): Promise<void> {
  await page.locator('[data-cell="0"][data-status="ready"]').waitFor();
}

/** The same, and that the code which comes after the first image is there. */
export async function waitUntilComplete(page: Page): Promise<void> {
  await page.locator('html[data-parts="all"] [data-cell="0"][data-status="ready"]').waitFor();
}
