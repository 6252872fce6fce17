import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { nameFlakyTests } from './test/support/nameFlakyTests.ts';
import { nameSkippedTests } from './test/support/nameSkippedTests.ts';
import { slowFirst } from './test/support/slowFirst.ts';

const IN_BROWSER = ['test/e2e/**/*.test.ts'];

/** Without a browser, but with processes of their own, many real files, or thousands of cases. */
const THOROUGH = [
  'test/{annotations,catalog,cli,demo,faults,fuzz,hostile,pixels,references,repository,semantics}/**/*.test.ts',
  'test/dicom/corpus.test.ts',
  'test/http/{debugBuild,series,sourceMasks,wsi,wsiTiles}.test.ts',
  'src/server/pixels/cutStreams.test.ts',
  'src/server/workers/workerPool.test.ts',
];

// Tests run the sources, but a worker thread needs JavaScript: its bundle comes from the build.
// Each project has an object of its own: Vitest empties what it is given.
const createDefine = () => ({
  NEGATO_DIST: JSON.stringify(fileURLToPath(new URL('dist/', import.meta.url))),
  NEGATO_BUILD: JSON.stringify({ version: '0.0.0-test', gitSha: 'unknown' }),
  NEGATO_DEBUG_API: 'false',
});

const settings = {
  // A process runs many files, one after another: starting one takes longer than most files do.
  // So a test leaves nothing behind: no global that it has changed, no store of the page in another state.
  isolate: false,
  // Long, because the machine may have other work.
  testTimeout: 90_000,
  hookTimeout: 120_000,
  // Sooner than a test ends by itself, so that it says what it waited for.
  expect: { poll: { timeout: 30_000 } },
};

export default defineConfig({
  test: {
    projects: [
      // What `npm run test:fast` runs.
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
      // A browser on a busy machine gets a second try, and the report names what needed it.
      { define: createDefine(), test: { ...settings, name: 'browser', include: IN_BROWSER, retry: 1 } },
    ],
    reporters: ['default', nameFlakyTests(), nameSkippedTests()],
    globalSetup: ['test/support/prepareTests.ts'],
    sequence: { sequencer: slowFirst() },
    // One more than there are processors: most tests wait for a browser, a server or a clock for part of their time.
    maxWorkers: availableParallelism() + 1,
  },
});
