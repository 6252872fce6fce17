import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Serious violations that axe-core finds, one line per rule and element. */
export async function findViolations(page: Page): Promise<string[]> {
  // The debugger is not bound by the page's content security policy.
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: axe });
  const results = await page.evaluate(() => {
    const runner: { axe: { run: () => Promise<AxeResults> } } = Object.assign(globalThis);
    return runner.axe.run();
  });
  return results.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`));
}
