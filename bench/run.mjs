// Runs benchmarks: `npm run bench` all of them in turn, `npm run bench -- NAME [arguments]` one. Build first.
import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { runBundled } from '../scripts/runBundled.mjs';

const [name, ...rest] = process.argv.slice(2);
if (name !== undefined && !name.startsWith('-')) {
  process.exitCode = await runBundled(`bench/${name}.ts`, rest);
} else {
  // Every program in this folder is a benchmark; shared code is in support/.
  const programs = readdirSync(new URL('.', import.meta.url)).filter((file) => file.endsWith('.ts'));
  for (const program of programs) {
    console.log(`\n# ${basename(program, '.ts')}`);
    const code = await runBundled(`bench/${program}`, process.argv.slice(2));
    if (code !== 0) process.exitCode = code;
  }
}
