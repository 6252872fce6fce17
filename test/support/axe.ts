import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

type Axe = { run: (options: RunOptions) => Promise<AxeResults> };

/** Serious violations that axe-core finds, one line per rule and element. */
export function findViolations(page: Page): Promise<string[]> {
  return runAxe(page);
}

/** The same in the light and in the dark page. */
export async function findViolationsInBoth(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light' });
  const light = await runAxe(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await runAxe(page);
  return [...light, ...dark.map((violation) => `dark: ${violation}`)];
}

async function runAxe(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) {
    // The debugger is not bound by the page's content security policy.
    const session = await page.context().newCDPSession(page);
    await session.send('Runtime.evaluate', { expression: axe });
    await session.detach();
  }
  return page.evaluate(
    async (wanted) => {
      const runner: { axe: Axe } = Object.assign(globalThis);
      const { violations } = await runner.axe.run(wanted);
      return violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`));
    },
    // What passes is not described, which takes longer than to test it.
    { resultTypes: ['violations'] } satisfies RunOptions,
  );
}
