import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { findChromium } from '../../scripts/findChromium.mjs';

/** WebGL on the processor is there for whoever asks; newer browsers give it only so. */
const WITHOUT_GPU = ['--disable-gpu', '--enable-unsafe-swiftshader'];

export type TestPage = {
  readonly page: Page;
  /** Dialogs, errors and violations of the content security policy, in order. A sound page has none. */
  readonly complaints: readonly string[];
  /** Every URL that was asked for. */
  readonly requests: readonly string[];
};

/**
 * One browser for all tests of this process, because starting one takes longer than most tests. Pages share nothing:
 * each has a profile of its own. Playwright ends the browser with the process.
 */
let browser: Promise<Browser> | undefined;

/** A page in a real browser, a profile of its own. It is closed when the test ends. */
export async function openPage(options: BrowserContextOptions = {}): Promise<TestPage> {
  // A browser that has crashed fails the test that used it, and not all that follow.
  if (browser !== undefined && !(await browser).isConnected()) browser = undefined;
  browser ??= launchBrowser();
  const context = await (await browser).newContext(options);
  const page = await context.newPage();
  onTestFinished(async () => {
    // What a test held back and nobody waits for any more is no error.
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await context.close();
  });
  // Sooner than a test ends by itself, so that it says what it waited for.
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
  // As root Chromium runs only without its sandbox.
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath: findChromium(), args: [...sandbox, ...WITHOUT_GPU] });
}
