import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { nameFlakyTests } from './test/support/nameFlakyTests.ts';

const IN_BROWSER = 'test/e2e/**/*.test.ts';

// Tests run the sources, but a worker thread needs JavaScript: its bundle comes from the build.
// Each project has an object of its own: Vitest empties what it is given.
const createDefine = () => ({
  NEGATO_DIST: JSON.stringify(fileURLToPath(new URL('dist/', import.meta.url))),
  NEGATO_BUILD: JSON.stringify({ version: '0.0.0-test', gitSha: 'unknown' }),
  NEGATO_DEBUG_API: 'false',
});

const limits = {
  testTimeout: 30_000,
  hookTimeout: 60_000,
  // Sooner than a test ends by itself; the machine may have other work.
  expect: { poll: { timeout: 15_000 } },
};

export default defineConfig({
  test: {
    projects: [
      {
        define: createDefine(),
        test: { ...limits, name: 'node', include: ['{src,test}/**/*.test.{ts,tsx}'], exclude: [IN_BROWSER] },
      },
      // A browser on a busy machine gets a second try, and the report names what needed it.
      { define: createDefine(), test: { ...limits, name: 'browser', include: [IN_BROWSER], retry: 1 } },
    ],
    reporters: ['default', nameFlakyTests()],
    globalSetup: ['test/support/prepareTests.ts'],
    // All processors: most tests wait for a browser or a server for most of their time.
    maxWorkers: '100%',
  },
});
