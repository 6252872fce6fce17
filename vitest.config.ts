import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const dist = fileURLToPath(new URL('dist/', import.meta.url));

export default defineConfig({
  // Tests run the sources, but a worker thread needs JavaScript: its bundle comes from the build.
  define: {
    NEGATO_DIST: JSON.stringify(dist),
    NEGATO_BUILD: JSON.stringify({ version: '0.0.0-test', gitSha: 'unknown' }),
    NEGATO_DEBUG_API: 'false',
  },
  test: {
    include: ['src/**/*.test.{ts,tsx}', 'test/**/*.test.ts'],
    globalSetup: ['test/support/buildServer.ts'],
    // All processors: most tests wait for a browser or a server for most of their time.
    maxWorkers: '100%',
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Sooner than a test ends by itself; the machine may have other work.
    expect: { poll: { timeout: 15_000 } },
  },
});
