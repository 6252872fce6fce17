import type { Reporter, TestCase } from 'vitest/node';

/** Ends the report with the tests that passed only on a retry, and why. Each of them has a race that needs fixing. */
export function nameFlakyTests(): Reporter {
  const flaky: string[] = [];
  return {
    onTestCaseResult(testCase: TestCase) {
      if (testCase.diagnostic()?.flaky !== true) return;
      const [error] = testCase.result().errors ?? [];
      const place = error?.stacks?.[0];
      const why = [error?.message, error?.diff, place && `at ${place.file}:${place.line}`].filter(
        (text) => text !== undefined,
      );
      flaky.push([`${testCase.module.relativeModuleId} > ${testCase.fullName}`, ...why].join('\n    '));
    },
    onTestRunEnd() {
      if (flaky.length > 0)
        console.warn(`Passed only when tried again:\n${flaky.map((name) => `  ${name}\n`).join('')}`);
    },
  };
}
