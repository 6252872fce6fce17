import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { CSV_DIALECT, MAX_RECORD_BYTES } from '../../machine/workers/csvRecords.ts';
import { createRowSieve } from './rowSieve.ts';

test('a row is let through when its cell is wanted, with the bytes it had', async () => {
  const { rows, leftOut } = await sieveAndParse(['x,1\na,"2,\n3"\r\ny,4\na,5'], { cell: 0 });
  // 4 bytes of x, 10 of the first a, 4 of y.
  expect(rows).toEqual([
    { cells: ['a', '2,\n3'], offset: 4 },
    { cells: ['a', '5'], offset: 18 },
  ]);
  expect(leftOut).toBe(2);
});

test('quotes around the cell and doubled quotes in it do not matter', async () => {
  const { rows } = await sieveAndParse(['1,"say ""a"", loud"\n2,say\n'], { cell: 1, wanted: 'say "a", loud' });
  expect(rows.map(({ cells }) => cells[0])).toEqual(['1']);
});

test('blank lines are left out and do not count as rows', async () => {
  expect(await sieveAndParse(['\n\r\n\ra\n\n'], { cell: 0 })).toMatchObject({ rows: [{ offset: 4 }], leftOut: 0 });
});

test('a row with fewer cells is left out', async () => {
  expect(await sieveAndParse(['a\nb,a\n'], { cell: 1 })).toMatchObject({ rows: [{ cells: ['b', 'a'] }], leftOut: 1 });
});

test('from a row that is too long on, everything goes to the parser, which refuses it', async () => {
  const piece = 'x'.repeat(2 ** 20);
  const chunks = ['b,1\nb,"', ...Array.from({ length: MAX_RECORD_BYTES / 2 ** 20 + 1 }, () => piece), 'never read'];
  expect((await sieveAndParse(chunks, { cell: 0 })).failure).toBe('CSV_MAX_RECORD_SIZE');
});

// The rows that pass the sieve must be those that a parser of the whole file would have kept. The alphabet combines
// quotes, line breaks and NUL in every way, and the cuts place them at the edges of chunks.
test('the sieve changes nothing that the parser says about wanted rows, wherever the chunks are cut', async () => {
  const letter = fc.constantFrom('a', 'b', ',', '"', '\n', '\r', '\r\n', 'é', '\0', 'a,b\n', '"a"\n', '"b""",a\n');
  await fc.assert(
    fc.asyncProperty(
      fc.array(letter, { maxLength: 60 }),
      fc.array(fc.nat(60), { maxLength: 6 }),
      fc.nat(2),
      async (letters, cuts, cell) => {
        const text = letters.join('');
        const whole = await parseRows(
          (async function* () {
            yield Buffer.from(text);
          })(),
        );
        const wanted = whole.rows.filter(({ cells }) => cells[cell] === 'a');
        const sieved = await sieveAndParse(cutInto(text, cuts), { cell });
        const afterBlanks = ({ cells, offset }: Row) => ({ cells, offset: skipLineBreaks(text, offset) });
        // The parser stops at the first row that is not valid CSV; the sieve leaves such a row out if it is not wanted.
        const isCsv = whole.failure === undefined;
        const upToThere = isCsv ? sieved.rows : sieved.rows.slice(0, wanted.length);
        expect(upToThere.map(afterBlanks)).toEqual(wanted.map(afterBlanks));
        expect(isCsv ? sieved.failure : undefined).toBeUndefined();
        expect(isCsv ? sieved.leftOut + sieved.parsed : whole.rows.length).toBe(whole.rows.length);
      },
    ),
    { numRuns: 1_000 },
  );
});

test('an unwanted row may have quotes anywhere, if its end is unambiguous', async () => {
  const odd = fc.constantFrom('b,5" disk', 'b,"x"y', 'b"b,1', '"b"b,1', 'b,[["c","d"]]', 'b,"x" ,"y"', 'b,\0"');
  const plain = fc.constantFrom('a,1', '"a","2\n3"', 'b,4', '', '"b",""""');
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(odd, plain), { maxLength: 12 }),
      fc.array(fc.nat(90), { maxLength: 6 }),
      async (lines, cuts) => {
        const { rows, failure, leftOut } = await sieveAndParse(cutInto(lines.join('\n'), cuts), { cell: 0 });
        expect(failure).toBeUndefined();
        const wanted = lines.filter((line) => line.startsWith('a') || line.startsWith('"a'));
        expect(rows.map(({ cells }) => cells[1])).toEqual(wanted.map((line) => (line === 'a,1' ? '1' : '2\n3')));
        expect(leftOut).toBe(lines.filter((line) => line !== '').length - wanted.length);
      },
    ),
    { numRuns: 500 },
  );
});

test.each([
  ['to the end', 'b,"x\na,1\n', ['1']],
  ['before a quote in a later row', 'b,"x\r\na,"1"\n', ['1']],
  ['in the last row', 'a,1\nb,"x', ['1']],
  ['in several rows', 'b,"x\nb,"y\na,"1"\nb,"z\na,2\n', ['1', '2']],
])('an unwanted row whose quote is not closed, %s, ends with its line', async (_, text, values) => {
  const { rows, failure } = await sieveAndParse([text], { cell: 0 });
  expect(failure).toBeUndefined();
  expect(rows.map(({ cells }) => cells[1])).toEqual(values);
});

test('an unwanted row whose quote is not closed for longer than a row may be ends with its line', async () => {
  const piece = `b,${'x'.repeat(2 ** 20)}\n`;
  const chunks = ['b,"\n', ...Array.from({ length: MAX_RECORD_BYTES / 2 ** 20 + 1 }, () => piece), 'a,1\n'];
  const { rows, failure } = await sieveAndParse(chunks, { cell: 0 });
  expect(failure).toBeUndefined();
  expect(rows.map(({ cells }) => cells[1])).toEqual(['1']);
});

test.each(['a,"x\na,1\n', '"b,x\na,1\n'])(
  'from a wanted row on whose quote is not closed, or one before the cell that decides, the parser judges: %j',
  async (text) => {
    expect((await sieveAndParse([text], { cell: 0 })).failure).toBeDefined();
  },
);

type Row = { cells: string[]; offset: number };

type SieveTest = { cell: number; wanted?: string };

async function sieveAndParse(chunks: (string | Buffer)[], { cell, wanted = 'a' }: SieveTest) {
  const start = 1_000;
  const sieve = createRowSieve({ start, cell, isWanted: (text) => text === wanted });
  // Overwritten when the next chunk is requested, as by the real reader.
  const source = (async function* () {
    for (const chunk of chunks) {
      const bytes = Buffer.from(chunk);
      yield bytes;
      bytes.fill(0x21);
    }
  })();
  const { rows, failure } = await parseRows(sieve.sift(source));
  const kept = rows.filter(({ cells }) => cells[cell] === wanted);
  return {
    rows: kept.map(({ cells, offset }) => ({ cells, offset: sieve.fileOffset(offset) - start })),
    failure,
    leftOut: sieve.leftOut(),
    parsed: rows.length,
  };
}

async function parseRows(chunks: AsyncIterable<Buffer>): Promise<{ rows: Row[]; failure: string | undefined }> {
  const rows: Row[] = [];
  let offset = 0;
  const parser = parse({
    ...CSV_DIALECT,
    on_record: (cells, { bytes }) => {
      rows.push({ cells, offset });
      offset = bytes;
      return null;
    },
  });
  parser.resume();
  try {
    await pipeline(chunks, parser);
    return { rows, failure: undefined };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return { rows, failure: error.code };
  }
}

/** The parser counts blank lines as part of the row after them. */
function skipLineBreaks(text: string, offset: number): number {
  const bytes = Buffer.from(text);
  let at = offset;
  while (bytes[at] === 0x0a || bytes[at] === 0x0d) at += 1;
  return at;
}

function cutInto(text: string, cuts: number[]): Buffer[] {
  const bytes = Buffer.from(text);
  const edges = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).toSorted((a, b) => a - b), bytes.length];
  return edges.slice(1).map((edge, i) => bytes.subarray(edges[i], edge));
}
