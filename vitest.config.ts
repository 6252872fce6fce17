import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { nameFlakyTests } from './test/support/nameFlakyTests.ts';
import { nameSkippedTests } from './test/support/nameSkippedTests.ts';
import { slowFirst } from './test/support/slowFirst.ts';

const IN_BROWSER = ['test/e2e/**/*.test.ts'];

/** Tests without a browser, but with separate processes, many real files or thousands of cases. */
const THOROUGH = [
  'test/{annotations,catalog,cli,demo,documents,faults,fuzz,hostile,layers,pixels,python,references,repository,semantics}/**/*.test.ts',
  'test/dicom/corpus.test.ts',
  'test/http/{debugBuild,series,sourceMasks,wsi,wsiTiles}.test.ts',
  'src/server/pixels/cutStreams.test.ts',
  'src/server/workers/workerPool.test.ts',
];

// Tests run the sources, but worker threads need JavaScript, so their bundle comes from the build. Each project gets
// its own object, because Vitest empties the one that it is given.
const createDefine = () => ({
  NEGATO_DIST: JSON.stringify(fileURLToPath(new URL('dist/', import.meta.url))),
  NEGATO_BUILD: JSON.stringify({ version: '0.0.0-test', gitSha: 'unknown' }),
  NEGATO_DEBUG_API: 'false',
});

const settings = {
  // One process runs many files in sequence, because starting a process takes longer than most files do. Therefore a
  // test must leave nothing behind: no modified global and no changed store of the page.
  isolate: false,
  // Long, because the machine may be busy.
  testTimeout: 180_000,
  hookTimeout: 120_000,
  setupFiles: ['test/support/propertySeed.ts'],
  // Shorter than the test timeout, so that a failure says what it waited for.
  expect: { poll: { timeout: 60_000 } },
};

export default defineConfig({
  test: {
    projects: [
      // Run by `npm run test:fast`.
      {
        define: createDefine(),
        test: {
          ...settings,
          name: 'fast',
          include: ['{src,test}/**/*.test.{ts,tsx}'],
          exclude: [...IN_BROWSER, ...THOROUGH],
        },
      },
      { define: createDefine(), test: { ...settings, name: 'thorough', include: THOROUGH } },
      // Browser tests are retried once because the machine may be busy. The report names the tests that needed it.
      { define: createDefine(), test: { ...settings, name: 'browser', include: IN_BROWSER, retry: 1 } },
    ],
    reporters: ['default', nameFlakyTests(), nameSkippedTests()],
    globalSetup: ['test/support/prepareTests.ts'],
    sequence: { sequencer: slowFirst() },
    // Two more than there are processors, because most tests spend a third of their time waiting for a browser, a
    // server or a clock.
    maxWorkers: availableParallelism() + 2,
  },
});
