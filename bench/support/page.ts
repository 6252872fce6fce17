import type { Page } from 'playwright-core';
import { type BenchBrowser, launchBrowser } from './browser.ts';
import { type BenchServer, startServer } from './server.ts';

/** The viewer on the files of a folder: a server, a browser without a GPU, and an empty page. */
export type BenchViewer = { readonly page: Page; readonly browser: BenchBrowser; readonly server: BenchServer };

export async function withViewer(
  folder: string,
  use: (viewer: BenchViewer) => Promise<void>,
  env: NodeJS.ProcessEnv = {},
): Promise<void> {
  const server = await startServer(folder, { env });
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

/** Waits until the first cell shows its image at full sharpness. */
export async function waitUntilReady(page: Page): Promise<void> {
  await page.locator('[data-cell="0"][data-status="ready"]').waitFor();
}

/** Also waits for the code that is loaded after the first image. */
export async function waitUntilComplete(page: Page): Promise<void> {
  await page.locator('html[data-parts="all"] [data-cell="0"][data-status="ready"]').waitFor();
}
