// npm run executable: the viewer and Node.js in one file, `executable/negato`, for the platform on which it is built. It needs
// Node.js 22 or newer, and postject, which `npx` fetches. The signature of Node.js is lost; on macOS the file is signed anew.
import { createHash } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listFiles } from './checkExtension.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = join(root, 'executable', process.platform === 'win32' ? 'negato.exe' : 'negato');
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

if (!process.argv.includes('--no-build')) run(process.execPath, [join(root, 'scripts', 'build.mjs')]);
const work = mkdtempSync(join(tmpdir(), 'negato-executable-'));
try {
  const dist = join(root, 'dist');
  // The viewer is made of ES modules, which its folder says.
  const kind = join(work, 'package.json');
  writeFileSync(kind, '{"type":"module"}\n');
  const listed = listFiles(dist).filter(({ name }) => name !== 'package.json' && !/\.(br|gz)\.tmp$/.test(name));
  const sums = Object.fromEntries(listed.map(({ name, bytes }) => [name, sumOf(bytes)]));
  sums['package.json'] = sumOf('{"type":"module"}\n');
  writeFileSync(join(work, 'files.json'), JSON.stringify(sums));
  const assets = Object.fromEntries(listed.map(({ name }) => [name, join(dist, name)]));
  const config = {
    main: join(root, 'scripts', 'executableMain.cjs'),
    output: join(work, 'negato.blob'),
    disableExperimentalSEAWarning: true,
    assets: { ...assets, 'package.json': kind, 'files.json': join(work, 'files.json') },
  };
  writeFileSync(join(work, 'sea.json'), JSON.stringify(config));
  run(process.execPath, ['--experimental-sea-config', join(work, 'sea.json')]);
  mkdirSync(join(root, 'executable'), { recursive: true });
  rmSync(target, { force: true });
  copyFileSync(process.execPath, target);
  chmodSync(target, 0o755);
  const isMac = process.platform === 'darwin';
  if (isMac) run('codesign', ['--remove-signature', target]);
  const segment = isMac ? ['--macho-segment-name', 'NODE_SEA'] : [];
  const injected = [target, 'NODE_SEA_BLOB', config.output, '--sentinel-fuse', FUSE, ...segment];
  run('npx', ['--yes', 'postject@1.0.0-alpha.6', ...injected]);
  if (isMac) run('codesign', ['--sign', '-', target]);
  console.log(`executable/negato: ${(statSync(target).size / 1e6).toFixed(0)} MB, Node.js ${process.version}`);
} finally {
  rmSync(work, { recursive: true, force: true });
}

function sumOf(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}

function run(command, args) {
  const { status } = spawnSync(command, args, { stdio: 'inherit', cwd: root, shell: process.platform === 'win32' });
  if (status !== 0) process.exit(1);
}
