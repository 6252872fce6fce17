// npm run check:release: what a maintainer runs before a tag, and release.yml before it publishes. Builds both packages,
// and checks them as their registries would: `npm publish --dry-run` and `twine check`. Checks the workflows with
// actionlint. Nothing is sent. TWINE and ACTIONLINT name programs that are not in the PATH.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const wheels = join(root, 'python/wheels');
const { TWINE = 'twine', ACTIONLINT = 'actionlint' } = process.env;

run(process.execPath, 'scripts/wheel.mjs');
run(TWINE, 'check', '--strict', ...readdirSync(wheels).map((name) => join(wheels, name)));
// The wheel has built dist.
run('npm', 'publish', '--dry-run', '--ignore-scripts', '--access', 'public');
run(ACTIONLINT);
console.log('both packages and all workflows are as they should be');

/** @param {string} command @param {string[]} args */
function run(command, ...args) {
  console.log(`\n${[command, ...args].join(' ')}`);
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status === 0) return;
  console.error(error === undefined ? `${command} failed` : `${command}: ${error.message}`);
  process.exit(1);
}
