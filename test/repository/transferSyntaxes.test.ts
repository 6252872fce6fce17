import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { CODECS } from '../../src/server/images/pixels/codecs/registry.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const CODEC_FOLDER = 'src/server/images/pixels/codecs';
/** The table of element layouts and of syntaxes that no codec decodes, and the names of all UIDs. */
const TABLES = ['src/server/standard/dicom/transferSyntax.ts', 'src/server/standard/dicom/uids.generated.ts'];
/** `1.2.840.10008.1.2` and UIDs that start with it, as text or in a pattern. */
const TRANSFER_SYNTAX = /10008\\*\.1\\*\.2(?!\d)/;

test('only codecs and one table know transfer syntaxes by their UIDs', () => {
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map((path) => `src/${path.replaceAll('\\', '/')}`)
    .filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path));
  expect(sources.length).toBeGreaterThan(500);
  const knowing = sources.filter((path) => TRANSFER_SYNTAX.test(readFileSync(join(root, path), 'utf8')));
  const codecFiles = listCodecFiles();

  expect(codecFiles).toHaveLength(CODECS.length);
  expect(knowing.toSorted()).toEqual([...codecFiles, ...TABLES].toSorted());
});

test('a transfer syntax has one codec', () => {
  const uids = CODECS.flatMap(({ transferSyntaxes }) => transferSyntaxes.map(({ uid }) => uid));

  expect(uids.filter((uid, i) => uids.indexOf(uid) !== i)).toEqual([]);
  for (const uid of uids) expect(uid).toMatch(/^1\.2\.840\.10008\.1\.2(\.\d+)*$/);
});

/** Files from which the registry imports codecs. */
function listCodecFiles(): string[] {
  const registry = readFileSync(join(root, CODEC_FOLDER, 'registry.ts'), 'utf8');
  const imported = [...registry.matchAll(/^import \{ \w+ \} from '\.\/(.+)';$/gm)].map(([, name]) => name!);
  return imported.map((name) => `${CODEC_FOLDER}/${basename(name)}`);
}
