import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const source = fileURLToPath(new URL('../../src', import.meta.url));

// The bundler turns `const` into `var`. A constant that is used before its line is then undefined instead of an error,
// and a limit that is undefined limits nothing.
test('a thread starts to serve only after all constants of its module are set', () => {
  const entries = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('worker.ts'),
  );
  expect(entries.length).toBeGreaterThanOrEqual(5);
  const early = entries.filter((path) => {
    const text = readFileSync(join(source, path), 'utf8');
    const start = text.search(/^(?:if \(parentPort|serveTasks\(|addEventListener\()/m);
    return start < 0 || /^(?:export )?(?:const|let|class) /m.test(text.slice(start));
  });
  expect(early).toEqual([]);
});
