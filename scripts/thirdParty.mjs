// The licenses of what dist contains: every package that the bundlers took code from, and the decoders.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** @param {Iterable<string>} paths of modules @returns {Set<string>} names of the packages that they belong to */
export function packagesOf(paths) {
  const names = new Set();
  for (const path of paths) {
    const name = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path.replaceAll('\\', '/'))?.[1];
    if (name !== undefined) names.add(name);
  }
  return names;
}

/** @param {string} root @param {Iterable<string>} names @returns {string} */
export function thirdPartyText(root, names) {
  const parts = [...new Set(names)].toSorted().map((name) => describePackage(join(root, 'node_modules', name)));
  return `negato contains code of these packages, under their licenses.\n\n${parts.join('\n')}`;
}

/** @param {string} folder */
function describePackage(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = existsSync(folder)
    ? readdirSync(folder).find((entry) => /^(licen[cs]e|copying)/i.test(entry))
    : undefined;
  const text =
    file === undefined ? `${license}; the package comes without the text.` : readFileSync(join(folder, file), 'utf8');
  return `${'='.repeat(80)}\n${name} ${version} (${license})\n${'-'.repeat(80)}\n${text.trim()}\n`;
}
