import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'csv-parse/sync';
import { parquetReadObjects } from 'hyparquet';
import { describe, expect, test } from 'vitest';
import { bufferSource } from '../../src/server/bytes/origins/byteSource.ts';
import type { DataSet } from '../../src/server/standard/dicom/dataSet.ts';
import { isPrivate } from '../../src/server/standard/dicom/dictionary.ts';
import { parseElementPath } from '../../src/server/standard/dicom/elementPath.ts';
import { readDicom } from '../../src/server/standard/dicom/readDataSet.ts';
import { tagToString } from '../../src/server/standard/dicom/tag.ts';
import { creatorTag } from '../../src/server/standard/dicom/tagTree.ts';
import { harvest } from '../support/askTable.ts';
import { corpus } from '../support/corpus.ts';
import { CORPUS, needs } from '../support/needs.ts';
import { serve } from '../support/serve.ts';

/** By file: a digest of what pydicom has read of it, and the paths of values that it refuses. See makeTableValues.py. */
const RECORDED: Readonly<Record<string, readonly string[]>> = JSON.parse(
  readFileSync(new URL('tableValues.json', import.meta.url), 'utf8'),
);

const DEEPEST = 5;
const ITEMS = 2;
const MOST_COLUMNS = 200;
/** See makeTableValues.py. */
const OF_THE_LIST: ReadonlySet<string> = new Set(['SOPInstanceUID', 'SOPClassUID', 'TransferSyntaxUID']);

/** The paths of all elements that may be columns, in the first items of sequences. */
function listPaths(dataSet: DataSet, prefix: string, depth: number, paths: Set<string>): void {
  for (const { tag, items } of dataSet) {
    const name = pathOf(dataSet, tag);
    if (name === undefined) continue;
    const path = `${prefix}${name}`;
    if (items === undefined) {
      const parsed = parseElementPath(path);
      if (parsed.ok) paths.add(parsed.path.name);
    } else if (depth < DEEPEST) {
      for (const [at, item] of items.slice(0, ITEMS).entries()) listPaths(item, `${path}[${at}].`, depth + 1, paths);
    }
  }
}

function pathOf(dataSet: DataSet, tag: number): string | undefined {
  const element = tag & 0xffff;
  if (element === 0 || (isPrivate(tag) && (element < 0x10 || (element > 0xff && element < 0x1000)))) return undefined;
  const creator = isPrivate(tag) && element > 0xff ? dataSet.string(creatorTag(tag)) : undefined;
  if (creator === undefined) return tagToString(tag);
  const digits = tagToString(tag);
  return `${digits.slice(1, 5)},xx${digits.slice(8, 10)}@${creator}`;
}

/** The last step of a path is a private element by its tag, and no creator. */
const PRIVATE_TAG = /\([\dA-F]{3}[13579BDF],(?!00)[\dA-F]{4}\)$/;

type Row = Readonly<Record<string, string | number | boolean | null>>;

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

/** As the script writes values. */
function toPlain(cell: string | number | boolean): string {
  return String(cell)
    .split('\\')
    .map((part) => {
      const text = part.trim().replace(/=+$/, '').trim();
      return NUMBER.test(text) && text.length <= 40 ? (Number(text) + 0).toExponential(14).replace('e+', 'e') : text;
    })
    .join('\\');
}

const ESCAPED = /^[=+\-@\t\r]/;
const PLAIN_NUMBER = /^-?[\d.]+(?:e[+-]?\d+)?$/i;

/** As a cell of CSV is read. */
function toCsv(value: Row[string] | undefined): string {
  const text = String(value ?? '');
  return typeof value === 'string' && ESCAPED.test(text) && !PLAIN_NUMBER.test(text) ? `'${text}` : text;
}

describe('the table of real files', needs(CORPUS), () => {
  test('has of every file what pydicom reads of it, through JSON, CSV and Parquet alike', async () => {
    const folder = corpus ?? '';
    const server = await serve(folder);
    const ofFiles = new Map<string, ReadonlySet<string>>();
    for (const { path } of server.catalog.files) {
      const { meta, dataSet } = readDicom(bufferSource(readFileSync(path)));
      const paths = new Set<string>();
      listPaths(meta, '', 0, paths);
      listPaths(dataSet, '', 0, paths);
      ofFiles.set(path, paths);
    }
    const paths = new Set([...ofFiles.values()].flatMap((those) => [...those]));
    const cells = new Map(server.catalog.files.map(({ path }) => [path, new Map<string, string>()]));
    const all = [...paths].filter((path) => !OF_THE_LIST.has(path));
    for (let at = 0; at < all.length; at += MOST_COLUMNS) {
      const part = all.slice(at, at + MOST_COLUMNS);
      const columns = await harvest(server, ...part);
      expect(columns.filter(({ state, problem }) => state !== 'ready' || problem !== null)).toEqual([]);
      const rows = await readRows(server);
      for (const row of rows) {
        const ofFile = cells.get(String(row['path']))!;
        for (const name of part) {
          const value = row[name];
          if (value === undefined) throw new Error(`there is no column ${name}`);
          // A private element whose creator another file does not name is at this place in others, too.
          const isElsewhere = PRIVATE_TAG.test(name) && !ofFiles.get(String(row['path']))!.has(name);
          if (value !== null && !isElsewhere) ofFile.set(name, toPlain(value));
        }
      }
    }

    const different: string[] = [];
    for (const [path, [digest, ...refused]] of Object.entries(RECORDED)) {
      const ofFile = cells.get(join(folder, path));
      // A DICOMDIR is no file of the list, and neither is what is no DICOM.
      if (ofFile === undefined) continue;
      const lines = [...ofFile].filter(([name]) => !refused.includes(name)).map(([name, cell]) => `${name}\t${cell}\n`);
      const found = createHash('sha256').update(lines.toSorted(byCodePoints).join('')).digest('hex').slice(0, 12);
      if (found !== digest) different.push(path);
    }
    expect(different).toEqual([]);
    expect(cells.size).toBeGreaterThan(800);
  });
});

/** All rows and columns as lines of JSON, after the other forms were found to say the same. */
async function readRows(server: Awaited<ReturnType<typeof serve>>): Promise<readonly Row[]> {
  const ask = (form: string) => server.request(`/api/table.${form}?columns=*`);
  const rows: readonly Row[] = (await (await ask('jsonl')).text())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const [head = [], ...lines]: string[][] = parse(await (await ask('csv')).text());
  const stored = await parquetReadObjects({ file: await (await ask('parquet')).arrayBuffer() });
  const different = rows.flatMap((row, at) => {
    const line = lines[at]!;
    const values = Object.fromEntries(
      Object.entries(stored[at]!).map(([name, value]) => [name, typeof value === 'bigint' ? Number(value) : value]),
    );
    const isSame = head.every((name, place) => line[place] === toCsv(row[name])) && isDeepStrictEqual(values, row);
    return isSame ? [] : [{ row, line, values }];
  });
  expect(different).toEqual([]);
  expect([lines.length, stored.length]).toEqual([rows.length, rows.length]);
  return rows;
}

function byCodePoints(a: string, b: string): number {
  const [x, y] = [a.slice(0, a.indexOf('\t')), b.slice(0, b.indexOf('\t'))];
  return x < y ? -1 : Number(x > y);
}
