import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** All files below a folder, in the order of their names. @param {string} folder */
export function listFiles(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((path) => ({
      name: path.slice(folder.length).replaceAll('\\', '/').replace(/^\//, ''),
      bytes: new Uint8Array(readFileSync(path)),
    }));
}

const NEEDED = ['name', 'displayName', 'version', 'description', 'publisher', 'main', 'engines', 'license'];
const NATIVE = /\.(node|so|dll|dylib|exe)$/i;

/**
 * What is wrong with the manifest of the extension, or with the files that it is packed with.
 * @param {Record<string, any>} manifest @param {readonly { name: string, bytes: Uint8Array }[]} files
 * @returns {string[]}
 */
export function checkManifest(manifest, files) {
  const problems = NEEDED.filter((key) => !manifest[key]).map((key) => `${key} is missing`);
  const names = new Set(files.map(({ name }) => name));
  const has = (path) => names.has(String(path).replace(/^\.\//, ''));
  for (const path of [
    manifest.main,
    'dist/negato.js',
    'dist/worker.cjs',
    'dist/web/index.html',
    'dist/THIRD_PARTY.txt',
  ]) {
    if (!has(path)) problems.push(`${path} is not in the package`);
  }
  for (const { name, bytes } of files) {
    const magic = String.fromCharCode(...bytes.subarray(0, 4));
    if (NATIVE.test(name) || magic === '\x7fELF' || magic.startsWith('MZ')) problems.push(`${name} is native code`);
  }
  const { commands = [], menus = {}, customEditors = [] } = manifest.contributes ?? {};
  const known = new Set(commands.map(({ command }) => command));
  for (const [menu, entries] of Object.entries(menus)) {
    for (const { command } of entries) if (!known.has(command)) problems.push(`${menu} names the unknown ${command}`);
  }
  const main = files.find(({ name }) => name === String(manifest.main).replace(/^\.\//, ''));
  const code = main === undefined ? '' : new TextDecoder().decode(main.bytes);
  for (const id of [...known, ...customEditors.map(({ viewType }) => viewType)]) {
    if (!code.includes(id)) problems.push(`no code registers ${id}`);
  }
  for (const { viewType, selector = [] } of customEditors) {
    if (selector.length === 0) problems.push(`${viewType} opens no files`);
  }
  if (!/^\^\d+\.\d+\.\d+$/.test(manifest.engines?.vscode ?? '')) problems.push('engines.vscode is no version');
  return problems;
}
