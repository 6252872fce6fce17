import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { findChromium } from '../../scripts/findChromium.mjs';

/** Enables WebGL on the processor; newer browsers require the second flag for it. */
const WITHOUT_GPU = ['--disable-gpu', '--enable-unsafe-swiftshader'];

export type TestPage = {
  readonly page: Page;
  /** Dialogs, errors and violations of the content security policy, in order. Empty if the page works correctly. */
  readonly complaints: readonly string[];
  /** Every URL that the page requested. */
  readonly requests: readonly string[];
};

/**
 * One browser for all tests of this process, because starting one takes longer than most tests. Each page has its own
 * profile, so pages share nothing. Playwright ends the browser with the process.
 */
let browser: Promise<Browser> | undefined;

/** Opens a page with its own profile in a real browser. It is closed when the test ends. */
export async function openPage(options: BrowserContextOptions = {}): Promise<TestPage> {
  // A crashed browser fails only the test that used it, not all later tests.
  if (browser !== undefined && !(await browser).isConnected()) browser = undefined;
  browser ??= launchBrowser();
  const context = await (await browser).newContext(options);
  const page = await context.newPage();
  onTestFinished(async () => {
    // Requests that the test held back and no longer waits for are not errors.
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await context.close();
  });
  // Shorter than the timeout of a test, so that the error says what the test waited for.
  page.setDefaultTimeout(30_000);
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => requests.push(request.url()));
  return { page, complaints, requests };
}

function launchBrowser(): Promise<Browser> {
  // Chromium runs as root only without its sandbox.
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath: findChromium(), args: [...sandbox, ...WITHOUT_GPU] });
}
