import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

const documents = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...['docs', 'bench', 'test/fixtures']
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`))
    .filter((name) => name.endsWith('.md')),
  ...readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `src/${name.replaceAll('\\', '/')}`),
];

test.each(documents)('every file that %s links to exists', (document) => {
  expect(missingTargets(document)).toEqual([]);
});

test('README, ARCHITECTURE and the guides are among the documents that are checked', () => {
  expect(documents).toEqual(expect.arrayContaining(['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md']));
});

function missingTargets(document: string): string[] {
  const text = readFileSync(join(root, document), 'utf8');
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? '');
  return targets
    .filter((target) => !/^(https?:|mailto:|#)/.test(target))
    .map((target) => target.replace(/#.*$/, ''))
    .filter((target) => !existsSync(join(root, dirname(document), target)));
}
