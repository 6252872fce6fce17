// Runs a benchmark: `node bench/run.mjs NAME [arguments]`. Build first.
import { runBundled } from '../scripts/runBundled.mjs';

const [name, ...rest] = process.argv.slice(2);
if (name === undefined) {
  console.error('usage: node bench/run.mjs NAME [arguments]');
  process.exit(2);
}
process.exitCode = await runBundled(`bench/${name}.ts`, rest);
