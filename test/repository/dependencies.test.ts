import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { CODEC_PACKAGES } from '../../scripts/copyCodecs.mjs';

type LockedPackage = { readonly version?: string; readonly hasInstallScript?: boolean };

const root = fileURLToPath(new URL('../..', import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const locked: Readonly<Record<string, LockedPackage>> = JSON.parse(
  readFileSync(join(root, 'package-lock.json'), 'utf8'),
).packages;

/** All third-party code that runs on a user's machine. docs/dependencies.md gives the reason for each package. */
const SHIPPED = [
  '@cornerstonejs/codec-charls',
  '@cornerstonejs/codec-openjpeg',
  '@cornerstonejs/codec-openjph',
  'dcmjs-codecs',
  'csv-parse',
  'hyparquet',
  'hyparquet-writer',
  'icodec',
  'lucide-react',
  'mediabunny',
  'pdfjs-dist',
  'react',
  'react-dom',
  'typebox',
  'zustand',
];

/**
 * Packages for building and testing only, or not shipped: of dcmjs-codecs only the WebAssembly is shipped. No install
 * script has to run.
 */
const WITH_INSTALL_SCRIPTS = ['core-js-pure', 'cpu-features', 'esbuild', 'ssh2'];

test('whoever installs negato installs nothing else, and nothing is run on the way', () => {
  for (const field of ['dependencies', 'optionalDependencies', 'peerDependencies', 'bundledDependencies']) {
    expect(manifest).not.toHaveProperty(field);
  }
  for (const script of ['preinstall', 'install', 'postinstall']) expect(manifest.scripts).not.toHaveProperty(script);
});

test('the sources use the packages of this list and no others', () => {
  expect(new Set([...importedPackages(), ...CODEC_PACKAGES])).toEqual(new Set(SHIPPED));
  const reasons = readFileSync(join(root, 'docs/dependencies.md'), 'utf8');
  expect(SHIPPED.filter((name) => !reasons.includes(name))).toEqual([]);
});

test('the code of TypeBox is loaded on demand, because it takes long to load', () => {
  const loading = sources().filter(({ text }) => /^import (?!type )[^;]*from 'typebox/m.test(text));
  expect(loading.map(({ name }) => name)).toEqual([]);
});

test('no package that is shipped has an install script', () => {
  expect(SHIPPED.filter((name) => locked[`node_modules/${name}`]?.hasInstallScript === true)).toEqual([]);
});

test('of the packages for building and testing, those with an install script are known', () => {
  const names = Object.entries(locked)
    .filter(([, { hasInstallScript }]) => hasInstallScript === true)
    .map(([path]) => path.replace(/^.*node_modules\//, ''));
  expect(new Set(names)).toEqual(new Set(WITH_INSTALL_SCRIPTS));
});

test('the guide to security names every codec in the version that is shipped', () => {
  const guide = readFileSync(join(root, 'docs/security.md'), 'utf8');
  const named = CODEC_PACKAGES.map((name) => `${name} ${locked[`node_modules/${name}`]?.version}`);
  expect(named.filter((text) => !guide.includes(text))).toEqual([]);
});

function sources(): { readonly name: string; readonly text: string }[] {
  return readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/\.(test|d)\.tsx?$/.test(name))
    .map((name) => ({ name, text: readFileSync(join(root, 'src', name), 'utf8') }));
}

function importedPackages(): string[] {
  const imports = sources().flatMap(({ text }) => [
    ...text.matchAll(/(?:from |import |import\()'(@?[\w-][\w/.:-]*)'/g),
  ]);
  const names = imports.map(([, specifier = '']) => specifier).filter((name) => !name.startsWith('node:'));
  return names.map((name) => /^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name);
}
