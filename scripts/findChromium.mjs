// Finds the browser for tests and benchmarks.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

const SYSTEM_BROWSERS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:/Program Files/Google/Chrome/Application/chrome.exe',
];
const NSS_LIBRARIES = ['/usr/lib/x86_64-linux-gnu', '/usr/lib64', '/usr/lib'].map((folder) => `${folder}/libnss3.so`);

/** The configuration of the package refers to the folder for temporary files. Without any font the browser exits. */
const FONTS = `<?xml version="1.0"?>
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;

/**
 * The one named by NEGATO_CHROMIUM, the one from an npm package, unpacked on first use, or the system's where that package
 * does not run. The package has a browser without windows, for which the same tests take 58 % of the processor time.
 */
export function findChromium() {
  const { NEGATO_CHROMIUM: named } = process.env;
  if (named && !existsSync(named)) throw new Error(`NEGATO_CHROMIUM names a file that is not there: ${named}`);
  if (named) return named;
  const hasPackaged = process.platform === 'linux' && process.arch === 'x64';
  if (hasPackaged) return unpackChromium(join(root, `node_modules/.cache/chromium-${packagedVersion()}`));
  const installed = SYSTEM_BROWSERS.find((path) => existsSync(path));
  if (installed === undefined) throw new Error('found no Chromium: install one, or name it with NEGATO_CHROMIUM');
  return installed;
}

/** @returns {string} */
function packagedVersion() {
  return JSON.parse(readFileSync(join(root, 'node_modules/@sparticuz/chromium/package.json'), 'utf8')).version;
}

/**
 * The package unpacks into the folder for temporary files, and accepts whatever is already there as complete: files
 * that another process is still writing, remains of a process that was ended, or files of another user. Therefore a
 * separate process, whose environment can be changed, unpacks it into a temporary folder, which is moved into place
 * when it is complete.
 * @param {string} folder
 */
export function unpackChromium(folder) {
  const start = join(folder, 'start');
  if (existsSync(start)) return start;
  mkdirSync(join(folder, '..'), { recursive: true });
  const draft = mkdtempSync(`${folder}.`);
  try {
    execFileSync(
      process.execPath,
      ['--input-type=module', '--eval', `await (await import('@sparticuz/chromium')).default.executablePath();`],
      {
        cwd: root,
        stdio: ['ignore', 'ignore', 'inherit'],
        // The package unpacks its libraries only if it detects the system that lacks them.
        env: { ...process.env, TMPDIR: draft, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' },
      },
    );
    writeFileSync(join(draft, 'fonts.conf'), FONTS);
    writeFileSync(join(draft, 'start'), startScript(), { mode: 0o755 });
    putInPlace(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return start;
}

/** Uses the libraries and fonts of the package if the system has none. */
function startScript() {
  const lines = ['#!/bin/sh', 'here="${0%/*}"'];
  if (!NSS_LIBRARIES.some((path) => existsSync(path))) lines.push('export LD_LIBRARY_PATH="$here/al2023/lib"');
  if (!existsSync('/etc/fonts/fonts.conf')) lines.push('export FONTCONFIG_FILE="$here/fonts.conf"');
  return [...lines, 'exec "$here/chromium" "$@"', ''].join('\n');
}

/** @param {string} draft @param {string} folder */
function putInPlace(draft, folder) {
  try {
    renameSync(draft, folder);
  } catch (error) {
    // Another process was faster; its browser is equivalent.
    if (!existsSync(join(folder, 'start'))) throw error;
  }
}
