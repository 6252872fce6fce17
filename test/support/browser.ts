import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
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
 * One browser for all tests of this process, because starting one takes longer than most tests. Playwright ends the
 * browser with the process.
 */
let browser: Promise<Browser> | undefined;

async function getBrowser(): Promise<Browser> {
  // A crashed browser fails only the test that used it, not all later tests.
  if (browser !== undefined && !(await browser).isConnected()) browser = undefined;
  browser ??= launchBrowser();
  return browser;
}

/** Opens a page with its own profile in a real browser, so that it shares nothing. It is closed when the test ends. */
export async function openPage(options: BrowserContextOptions = {}): Promise<TestPage> {
  const context = await (await getBrowser()).newContext(options);
  const page = await context.newPage();
  onTestFinished(async () => {
    // Requests that the test held back and no longer waits for are not errors.
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await context.close();
  });
  return watch(page);
}

type Server = { readonly baseUrl: string };

/** A profile in which one page of an origin after another is opened. */
type Profile = {
  readonly context: BrowserContext;
  /** Opens the pages, which therefore run in its process. */
  readonly opener: Page;
  /** The last server that was at this origin. */
  server: Server;
  isInUse: boolean;
};

/** By origin, least recently used first. */
const profiles = new Map<string, Profile>();
/** One for each of the servers that are shared, and one for the server of a test. With fewer, each page would start a process. */
const MOST_PROFILES = 4;

/**
 * Opens a page with nothing stored. It is closed when the test ends, but its process of the browser is used again for
 * the next page of this origin, because starting a process takes as long as loading the page.
 */
export async function openTab(server: Server): Promise<TestPage> {
  const profile = await getProfile(server);
  if (profile.isInUse) return openPage();
  const { context, opener } = profile;
  profile.isInUse = true;
  const [page] = await Promise.all([
    context.waitForEvent('page'),
    opener.evaluate(() => void window.open('about:blank')),
  ]);
  onTestFinished(async () => {
    try {
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      for (const each of context.pages()) if (each !== opener) await each.close();
      await context.clearCookies();
      await context.clearPermissions();
      await context.setOffline(false);
      await opener.evaluate(() => localStorage.clear());
      profile.isInUse = false;
    } catch {
      // The browser has crashed.
      profiles.delete(server.baseUrl);
    }
  });
  return watch(page);
}

async function getProfile(server: Server): Promise<Profile> {
  const known = profiles.get(server.baseUrl);
  const isUsable = known?.context.browser()?.isConnected() === true;
  const profile = isUsable ? known : await createProfile(server);
  if (profile.server !== server) await forgetServer(profile, server);
  profiles.delete(server.baseUrl);
  profiles.set(server.baseUrl, profile);
  for (const [origin, { context }] of profiles) {
    if (profiles.size <= MOST_PROFILES) break;
    profiles.delete(origin);
    await context.close();
  }
  return profile;
}

async function createProfile(server: Server): Promise<Profile> {
  const context = await (await getBrowser()).newContext();
  const opener = await context.newPage();
  // Any document of the same origin.
  await opener.goto(`${server.baseUrl}/api/health`);
  return { context, opener, server, isInUse: false };
}

/** Another server at the same origin has other files under the same URLs. */
async function forgetServer(profile: Profile, next: Server): Promise<void> {
  const session = await profile.context.newCDPSession(profile.opener);
  await session.send('Network.clearBrowserCache');
  await session.detach();
  profile.server = next;
}

/** Notes what the page requests, and what is wrong with it. */
function watch(page: Page): TestPage {
  // Shorter than the timeout of a test, so that the error says what the test waited for.
  page.setDefaultTimeout(60_000);
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
