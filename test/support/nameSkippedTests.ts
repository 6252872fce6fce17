import type { Reporter, TestCase, Vitest } from 'vitest/node';
import { CORPUS, findCorpus } from './needs.ts';

/**
 * Ends the report with one line about skipped tests: how many there are, and what they lack. The run fails if a test
 * was skipped without a reason, or for lack of the corpus although the corpus is present.
 */
export function nameSkippedTests(hasCorpus = findCorpus() !== undefined): Reporter {
  const skipped: TestCase[] = [];
  let isFiltered = false;
  return {
    onInit(vitest: Vitest) {
      // Tests that the user excluded with -t do not count as skipped.
      isFiltered = vitest.config.testNamePattern !== undefined;
    },
    onTestCaseResult(testCase: TestCase) {
      if (!isFiltered && testCase.result().state === 'skipped') skipped.push(testCase);
    },
    onTestRunEnd() {
      if (skipped.length === 0) return;
      const reasons = new Map<string, number>();
      for (const testCase of skipped) {
        const { needs } = testCase.meta();
        const reason = needs === undefined ? 'without a reason' : `for want of ${needs}`;
        reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      }
      const parts = [...reasons].map(([reason, count]) => `${count} ${reason}`);
      console.warn(`Skipped tests: ${skipped.length}; ${parts.join(', ')}`);
      const wrong = skipped.filter((testCase) => {
        const need = testCase.meta().needs;
        return need === undefined || (need === CORPUS && hasCorpus);
      });
      if (wrong.length === 0) return;
      const names = wrong.map((testCase) => `  ${testCase.module.relativeModuleId} > ${testCase.fullName}\n`);
      console.error(`These must not be skipped here:\n${names.join('')}`);
      process.exitCode = 1;
    },
  };
}
