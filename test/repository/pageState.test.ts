import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const web = fileURLToPath(new URL('../../src/web', import.meta.url));

const sources = new Map(
  readdirSync(web, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path))
    .map((path) => [path, readFileSync(join(web, path), 'utf8')] as const),
);

/**
 * State that a module creates when it is loaded, instead of a part of the page. A WeakMap is not state: it holds what
 * was derived from its keys.
 */
function listModuleState(text: string): string[] {
  const made = text.matchAll(
    /^(?:export )?const (\w+)[^=\n]*= (?:create(?!Context\b)[A-Z]\w*[<(]|new (?:Map|Set)\b.*\(\);)/gm,
  );
  const changing = text.matchAll(/^(?:export )?let (\w+)/gm);
  return [...made, ...changing].map(([, name = '']) => name);
}

/** What a browser has once, whatever page it shows. */
const OF_THE_BROWSER = [
  // Requests need no page, and all of them go to one server.
  'kit/api/send.ts lossListeners',
  // A document creates a policy of one name only once.
  'kit/loading/startWorker.ts policy',
];

describe('state belongs to the page, which is made once and passed down', () => {
  test('no module makes a store, a loader or a collection of its own', () => {
    const found = [...sources]
      // The first creates the page, and workers have threads of their own.
      .filter(([path]) => path !== 'main.tsx' && !path.endsWith('.worker.ts'))
      .flatMap(([path, text]) => listModuleState(text).map((name) => `${path} ${name}`));
    expect(found.toSorted()).toEqual(OF_THE_BROWSER);
  });

  test.each([
    ['export const xStore = createStore<X>(() => ({}));', ['xStore']],
    ['const tiles: TileLoader = createTileLoader({ load });', ['tiles']],
    ['export const xOf = definePart(() => createStore<X>(() => ({})));', []],
    ['function f() {\n  const store = createStore(() => 1);\n}', []],
    ['const sources = new Map<number, () => Frame | undefined>();', ['sources']],
    ['let timer: number | undefined;', ['timer']],
    ['const KINDS = new Map([[1, 2]]);', []],
    ['const known = new WeakMap<Stack, Order>();', []],
    ['export const PageContext = createContext<Page | undefined>(undefined);', []],
  ])('%j is seen as %j', (text, names) => {
    expect(listModuleState(text)).toEqual(names);
  });

  test('only the library notices that another run of the server answers; its parts are told', () => {
    const comparing = [...sources].filter(([, text]) => /serverRuns [!=]== (?:before|\w+)\.serverRuns/.test(text));
    expect(comparing.map(([path]) => path).toSorted()).toEqual([
      // Restarts the page.
      'kit/state/library.ts',
      // Counts the runs and requests the series of each.
      'kit/state/watchLibrary.ts',
      // Finds the images in the address again.
      'show/pictures/followAddress.ts',
    ]);
  });
});

const READERS = {
  useLibrary: /\b(?:activeFile|cellsOf|cellOf|stackOfCell|pictureOf|viewportsOf|reportOf|frameOnScreen)\b/,
  useCells: /\b(?:activeFile|libraryOf|findFile|findStack|stackOf|stackOfCell|viewportsOf|reportOf|frameOnScreen)\b/,
  useReport: /\b(?:cellsOf|cellOf|stackOfCell|libraryOf)\b/,
};

/** Selectors that read a store other than the one they follow, so that they would miss its changes. */
function listMixedSelectors(text: string): string[] {
  return Object.entries(READERS).flatMap(([hook, others]) =>
    [...text.matchAll(new RegExp(`\\b${hook}\\(.*?\\)(?:;|\\n\\s*\\?|$)`, 'gms'))]
      .map(([call]) => call)
      .filter((call) => call.includes('=>') && others.test(call)),
  );
}

describe('a component follows every store that it reads', () => {
  test('no selector of one store reads another', () => {
    const mixed = [...sources].flatMap(([path, text]) => listMixedSelectors(text).map((call) => `${path} ${call}`));
    expect(mixed).toEqual([]);
  });

  test.each([
    ['const stack = useLibrary(() => stackOfCell(cell));', 1],
    ['const file = useCells(({ cells }) => findFile(cells[0]?.position));', 1],
    ['return useLibrary(() => {\n  const a = cellOf(cell);\n  return a;\n});', 1],
    ['const file = useLibrary(() => findFile(stack?.fileIndex));', 0],
    ['const pictureId = useCells(({ cells }) => cells[cell]?.pictureId);', 0],
  ])('%j has %i', (text, count) => {
    expect(listMixedSelectors(text)).toHaveLength(count);
  });
});
