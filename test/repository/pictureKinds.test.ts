import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const web = fileURLToPath(new URL('../../src/web', import.meta.url));

const sources = readdirSync(web, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path))
  .map((path) => [path, readFileSync(join(web, path), 'utf8')] as const);

/** Each kind has a folder, with its entry for the registry in `stackPictures.ts`, `slidePictures.ts` and so on. */
const KINDS = sources.flatMap(([path]) => /^show\/pictures\/(\w+)\/\1Pictures\.ts$/.exec(path)?.[1] ?? []);

/** The tables that name the kinds: of the kinds themselves, and of all commands. */
const TABLES = ['show/pictures/pictureKinds.ts', 'shell/commandTable.ts'];

/** Also names of other things, such as windows, orientations and kinds of documents, so only imports of these kinds are checked. */
const COMMON_WORDS = ['document', 'plane', 'stack', 'video'];

/** What a file does with one kind that belongs into the folder of that kind. */
function listSpecialCases(path: string, text: string): string[] {
  return KINDS.filter((kind) => !path.startsWith(`show/pictures/${kind}/`)).flatMap((kind) => {
    const name = `${kind[0]?.toUpperCase()}${kind.slice(1)}`;
    const questions = [
      // A question about the kind; tools ask for traits instead.
      new RegExp(`\\b(?:is|useIs)${name}(?:Stack)?\\b`, 'g'),
      new RegExp(`\\bkind [!=]==? '${kind}'`, 'g'),
    ];
    const imports = [new RegExp(`'[./\\w]*/pictures/${kind}/[\\w.]+'`, 'g'), importFromBeside(path, kind)];
    const rules = [...(COMMON_WORDS.includes(kind) ? [] : questions), ...(TABLES.includes(path) ? [] : imports)];
    return rules.flatMap((rule) => [...text.matchAll(rule)].map(([found]) => found));
  });
}

/** Files in `pictures` import a kind by a shorter path. */
function importFromBeside(path: string, kind: string): RegExp {
  return path.startsWith('show/pictures/') ? new RegExp(`from '\\.{1,2}/${kind}/[\\w.]+'`, 'g') : /(?!)/g;
}

describe('a kind of picture is known to its own folder and to the registry', () => {
  test('the kinds are found by their folders', () => {
    expect(KINDS.toSorted()).toEqual(['document', 'plane', 'slide', 'stack', 'video']);
  });

  test('nothing else asks which kind a picture is', () => {
    const found = sources.flatMap(([path, text]) => listSpecialCases(path, text).map((one) => `${path}: ${one}`));
    expect(found).toEqual([]);
  });

  test.each([
    ['show/tools/wheel.ts', 'if (isSlide(page, cell)) zoom();', ['isSlide']],
    ['show/cine/Scrubber.tsx', 'const isSlide = useIsSlide(cell);', ['isSlide', 'useIsSlide']],
    ['show/values/a.ts', "if (source.kind === 'slide') return;", ["kind === 'slide'"]],
    ['show/values/a.ts', "if (kind !== 'slide') return;", ["kind !== 'slide'"]],
    ['show/readouts/a.ts', "import { x } from '../pictures/slide/x.ts';", ["'../pictures/slide/x.ts'"]],
    ['show/pictures/linkCells.ts', "import { x } from './slide/x.ts';", ["from './slide/x.ts'"]],
    ['show/pictures/slide/a.ts', "import { x } from './x.ts'; isSlide(x); kind === 'slide'", []],
    ['show/pictures/pictureKinds.ts', "import { slidePictures } from './slide/slidePictures.ts';", []],
    ['show/values/a.ts', "import { x } from '../pictures/stack/x.ts';", ["'../pictures/stack/x.ts'"]],
    ['kit/state/cells.ts', "if (window.kind === 'stack') return true;", []],
    ['show/tools/wheel.ts', 'if (!picture.traits.scrolls) zoom();', []],
  ])('in %s, %j is seen as %j', (path, text, found) => {
    expect(listSpecialCases(path, text)).toEqual(found);
  });
});
