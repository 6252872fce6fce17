import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const src = fileURLToPath(new URL('../../src', import.meta.url));

/** Files whose exported names may also be exported elsewhere, with the reason. */
const EXCEPTIONS: readonly (readonly [RegExp, string])[] = [
  [/^server\/standard\/dicom\/tag\.ts$/, 'keywords of the standard, which are always written as `Tag.PixelSpacing`'],
  [/\.kernel\.ts$/, 'another language: the names are exports of a WebAssembly module'],
];

const sources = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(src, path), 'utf8') }));

const DECLARATION = /^export (?:declare |async |abstract )*(?:const|let|function\*?|class|type|interface|enum) (\w+)/gm;

/**
 * The names that are declared and exported by more than one file, with these files. A schema and the type of the same
 * name are one thing, and a re-export declares nothing.
 */
function findAmbiguous(
  files: readonly { readonly path: string; readonly text: string }[],
  exceptions: readonly (readonly [RegExp, string])[] = EXCEPTIONS,
): string[] {
  const places = new Map<string, Set<string>>();
  for (const { path, text } of files) {
    if (exceptions.some(([pattern]) => pattern.test(path))) continue;
    for (const [, name = ''] of text.matchAll(DECLARATION)) {
      places.set(name, (places.get(name) ?? new Set()).add(path));
    }
  }
  return [...places].flatMap(([name, paths]) => (paths.size > 1 ? [`${name}: ${[...paths].join(', ')}`] : []));
}

test('an exported name means one thing in all of the sources', () => {
  expect(findAmbiguous(sources)).toEqual([]);
});

test('every exception is needed', () => {
  for (const exception of EXCEPTIONS) {
    const others = EXCEPTIONS.filter((one) => one !== exception);
    expect(findAmbiguous(sources, others)).not.toEqual([]);
  }
});

test.each([
  ['export type Stack = string;', 'export function Stack() {}', ['Stack: a.ts, b.ts']],
  ['export async function load() {}', 'export const load = 1;', ['load: a.ts, b.ts']],
  ['export interface Page {}', 'export class Page {}', ['Page: a.ts, b.ts']],
  ['export const Code = 1;\nexport type Code = 1;', '', []],
  ['export type Code = 1;', "export type { Code } from './a.ts';", []],
  ['export type Code = 1;', 'type Code = 2;', []],
])('%j and %j give %j', (a, b, found) => {
  const files = [
    { path: 'a.ts', text: a },
    { path: 'b.ts', text: b },
  ];
  expect(findAmbiguous(files)).toEqual(found);
});
