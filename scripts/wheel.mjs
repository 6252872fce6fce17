// npm run wheel: builds the viewer, and the Python package that carries it, as one wheel in `python/wheels`.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const wheels = join(root, 'python', 'wheels');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const python = process.env.PYTHON ?? 'python3';

run(process.execPath, [join(root, 'scripts', 'build.mjs')]);
// The wheel is built in a copy, so that the sources never hold a second `dist`.
const copy = mkdtempSync(join(tmpdir(), 'negato-wheel-'));
try {
  cpSync(join(root, 'python'), copy, { recursive: true, filter: isSource });
  cpSync(join(root, 'dist'), join(copy, 'negato', 'dist'), { recursive: true });
  cpSync(join(root, 'LICENSE'), join(copy, 'LICENSE'));
  writeFileSync(join(copy, 'negato', '_version.py'), `VERSION = "${version}"\n`);
  rmSync(wheels, { recursive: true, force: true });
  run(python, ['-m', 'pip', 'wheel', '--quiet', '--no-deps', '--wheel-dir', wheels, copy]);
} finally {
  rmSync(copy, { recursive: true, force: true });
}
console.log(
  readdirSync(wheels)
    .map((name) => `python/wheels/${name}`)
    .join('\n'),
);

function isSource(path) {
  return !/(?:^|[\\/])(?:wheels|tests|build|__pycache__|[^\\/]+\.egg-info)$/.test(path);
}

function run(command, args) {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit', cwd: root });
  if (status === 0) return;
  console.error(
    error?.code === 'ENOENT' ? `${command} is not installed; PYTHON names another one` : `${command} failed`,
  );
  process.exit(1);
}
