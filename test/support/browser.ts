import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, onTestFinished } from 'vitest';

const SYSTEM_BROWSERS = [
  process.env.NEGATO_CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

const NSS_LIBRARIES = ['/usr/lib/x86_64-linux-gnu', '/usr/lib64', '/usr/lib'].map((folder) => `${folder}/libnss3.so`);

/** WebGL on the processor is there for whoever asks; newer browsers give it only so. */
const WITHOUT_GPU = ['--disable-gpu', '--enable-unsafe-swiftshader'];

export type TestPage = {
  readonly page: Page;
  /** Dialogs, errors and violations of the content security policy, in order. A sound page has none. */
  readonly complaints: readonly string[];
  /** Every URL that was asked for. */
  readonly requests: readonly string[];
};

/** One browser for all tests of a file: to start one takes longer than most tests do. */
let browser: Promise<Browser> | undefined;

afterAll(async () => {
  await (await browser)?.close();
  browser = undefined;
});

/** A page in a real browser, a profile of its own. It is closed when the test ends. */
export async function openPage(options: BrowserContextOptions = {}): Promise<TestPage> {
  browser ??= launchBrowser();
  const context = await (await browser).newContext(options);
  const page = await context.newPage();
  onTestFinished(async () => {
    // What a test held back and nobody waits for any more is no error.
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await context.close();
  });
  // Sooner than a test ends by itself, so that it says what it waited for.
  page.setDefaultTimeout(15_000);
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

/** The system's Chromium if there is one, else the one inside an npm package. */
async function launchBrowser(): Promise<Browser> {
  // As root Chromium runs only without its sandbox.
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const system = SYSTEM_BROWSERS.find((path) => path !== undefined && existsSync(path));
  if (system !== undefined) return chromium.launch({ executablePath: system, args: [...sandbox, ...WITHOUT_GPU] });
  // The package brings the libraries that a bare system lacks, but unpacks them only where it takes itself to be there.
  if (!NSS_LIBRARIES.some((path) => existsSync(path))) process.env.AWS_EXECUTION_ENV = 'AWS_Lambda_nodejs20.x';
  const { default: packaged } = await import('@sparticuz/chromium');
  // Not with its own arguments: they make one process of it, which ends with the first context that is closed.
  return chromium.launch({ executablePath: await packaged.executablePath(), args: [...sandbox, ...WITHOUT_GPU] });
}
