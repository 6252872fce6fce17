import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { nameFlakyTests } from './test/support/nameFlakyTests.ts';
import { nameSkippedTests } from './test/support/nameSkippedTests.ts';
import { slowFirst } from './test/support/slowFirst.ts';

const IN_BROWSER = ['test/e2e/**/*.test.ts'];

/** Run by `npm run check:long` only. */
const LONG = ['test/long/**/*.test.ts'];

/** Tests of `src` with worker threads, WebAssembly kernels or decoders, all of which come from the build. */
const WITH_BUILD = [
  'src/cli/{joinIndexes,writeIndex}.test.ts',
  'src/demo/rle.test.ts',
  'src/server/images/catalog/fileFeed.test.ts',
  'src/server/doors/http/callerIdentity.test.ts',
  'src/server/images/pixels/{cutStreams,decodeFrame,frames,imageFiles,renderFrame}.test.ts',
  'src/server/images/pixels/{codecs,jpeg,png}/**/*.test.ts',
  'src/server/images/references/instanceIndex.test.ts',
  'src/server/images/series/seriesList.test.ts',
  'src/server/images/volumes/{projectGrid,samplePlane,volumeBox,volumes}.test.ts',
  'src/server/machine/workers/workerPool.test.ts',
];

/** Tests without a browser, but with separate processes, many real files or thousands of cases. */
const THOROUGH = [
  'test/{annotations,catalog,cli,demo,documents,faults,fuzz,hostile,layers,pixels,python,references,repository,semantics}/**/*.test.ts',
  'test/dicom/corpus.test.ts',
  'test/http/{debugBuild,series,sourceMasks,wsi,wsiTiles}.test.ts',
  'src/server/images/pixels/cutStreams.test.ts',
  'src/server/machine/workers/workerPool.test.ts',
];

// Tests run the sources, but worker threads need JavaScript, so their bundle comes from the build. Each project gets
// its own object, because Vitest empties the one that it is given.
const createDefine = (dist = fileURLToPath(new URL('dist/', import.meta.url))) => ({
  NEGATO_DIST: JSON.stringify(dist),
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
  setupFiles: ['test/support/countProcessorTime.ts', 'test/support/propertySeed.ts'],
  // Shorter than the test timeout, so that a failure says what it waited for.
  expect: { poll: { timeout: 60_000 } },
};

/** Builds dist/, and unpacks the browser. */
const globalSetup = ['test/support/prepareTests.ts'];

export default defineConfig({
  test: {
    projects: [
      // Starts at once, because it needs no build. A test that does need one fails on the name of the folder.
      {
        define: createDefine('/the test is not among WITH_BUILD in vitest.config.ts/'),
        test: { ...settings, name: 'unit', include: ['src/**/*.test.{ts,tsx}'], exclude: WITH_BUILD },
      },
      // Run by `npm run test:fast`, with the project above.
      {
        define: createDefine(),
        test: {
          ...settings,
          globalSetup,
          name: 'fast',
          include: [...WITH_BUILD, 'test/**/*.test.{ts,tsx}'],
          exclude: [...IN_BROWSER, ...LONG, ...THOROUGH],
        },
      },
      { define: createDefine(), test: { ...settings, globalSetup, name: 'thorough', include: THOROUGH } },
      ...(process.env['NEGATO_LONG'] === undefined
        ? []
        : [{ define: createDefine(), test: { ...settings, globalSetup, name: 'long', include: LONG } }]),
      // Browser tests are retried once because the machine may be busy. The report names the tests that needed it.
      { define: createDefine(), test: { ...settings, globalSetup, name: 'browser', include: IN_BROWSER, retry: 1 } },
    ],
    reporters: ['default', nameFlakyTests(), nameSkippedTests()],
    // Ending a process with a browser takes more than the usual 10 s on a busy machine.
    teardownTimeout: 60_000,
    sequence: { sequencer: slowFirst() },
    // Two more than there are processors, because most tests spend a third of their time waiting for a browser, a
    // server or a clock.
    maxWorkers: availableParallelism() + 2,
  },
});
