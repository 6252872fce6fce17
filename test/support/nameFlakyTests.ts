import type { Reporter, TestCase } from 'vitest/node';

/** Ends the report with the tests that passed only on a retry. Each of them has a race that needs fixing. */
export function nameFlakyTests(): Reporter {
  const flaky: string[] = [];
  return {
    onTestCaseResult(testCase: TestCase) {
      if (testCase.diagnostic()?.flaky === true)
        flaky.push(`${testCase.module.relativeModuleId} > ${testCase.fullName}`);
    },
    onTestRunEnd() {
      if (flaky.length > 0)
        console.warn(`Passed only when tried again:\n${flaky.map((name) => `  ${name}\n`).join('')}`);
    },
  };
}
