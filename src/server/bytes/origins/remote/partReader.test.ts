import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createPartReader, findBoundary } from './partReader.ts';

const BOUNDARY = 'b-1';
const HEAD = `--${BOUNDARY}\r\nContent-Type: application/dicom\r\n\r\n`;
const TAIL = `\r\n--${BOUNDARY}--\r\n`;

/** Hands the bytes to a reader in pieces that end at these places. */
function readInPieces(bytes: Uint8Array, cuts: readonly number[] = []) {
  const reader = createPartReader(BOUNDARY);
  const ends = [...new Set(cuts.map((cut) => cut % (bytes.length + 1))), bytes.length].toSorted((a, b) => a - b);
  const content: Uint8Array[] = [];
  let from = 0;
  for (const to of ends) {
    content.push(...reader.take(bytes.slice(from, to)));
    from = to;
  }
  return { content: Buffer.concat(content), reader };
}

/** Bytes among which there are many beginnings of a boundary. */
const anyContent = fc
  .array(fc.constantFrom('\r\n--b-', '\r\n', '-', 'b-1', '\r', '\0', 'x'), { maxLength: 40 })
  .map((words) => Buffer.from(words.join(''), 'latin1'));

test('the content of a part is the same in whatever pieces the answer arrives, with and without a length', () => {
  fc.assert(
    fc.property(
      anyContent,
      fc.boolean(),
      fc.constantFrom('', 'a preamble\r\n', '\r\n'),
      fc.array(fc.nat(), { maxLength: 8 }),
      (content, isSized, preamble, cuts) => {
        // RFC 2046 5.1: the boundary must not be in the content.
        fc.pre(!content.includes(`\r\n--${BOUNDARY}`));
        const length = isSized ? `Content-Length: ${content.length}\r\n` : '';
        const head = `${preamble}--${BOUNDARY} \t\r\nContent-Type: application/dicom\r\n${length}\r\n`;
        const answer = Buffer.concat([Buffer.from(head), content, Buffer.from(`${TAIL}an epilogue`)]);

        const read = readInPieces(answer, cuts);

        expect(read.content.equals(content)).toBe(true);
        expect(read.reader.isComplete).toBe(true);
        expect(read.reader.headers?.get('content-type')).toBe('application/dicom');
        expect(read.reader.declaredLength).toBe(isSized ? content.length : undefined);
      },
    ),
  );
});

test('an answer that ends anywhere before its last boundary is not complete', () => {
  const answer = Buffer.from(`${HEAD}content${TAIL}`);

  // The line end after the last boundary is not needed.
  for (let length = 0; length < answer.length - 2; length++) {
    expect(readInPieces(answer.subarray(0, length)).reader.isComplete).toBe(false);
  }
});

describe('an answer is refused', () => {
  const sized = (length: string) => `--b-1\r\nContent-Length: ${length}\r\n\r\ncontent${TAIL}`;
  test.each([
    ['without its boundary', 'x'.repeat(70_000), /boundary that it names/],
    ['with another boundary', `--b-2\r\n\r\n${'x'.repeat(70_000)}`, /boundary that it names/],
    ['with a boundary that goes on', '--b-10\r\n\r\ncontent', /boundary is damaged/],
    ['with endless spaces after the boundary', `--b-1${' '.repeat(300)}`, /boundary is damaged/],
    ['without a part', `--b-1--\r\n`, /no part/],
    ['with two parts', `${HEAD}one\r\n${HEAD}two${TAIL}`, /more than one part/],
    ['with a part that is longer than it says', sized('3'), /length that it says/],
    ['with a part that is shorter than it says', sized('8'), /length that it says/],
    ['with a length that is no number', sized('-1'), /no number/],
    ['with a length of many digits', sized('9'.repeat(16)), /no number/],
    ['with two lengths', `--b-1\r\nContent-Length: 7\r\nContent-Length: 8\r\n\r\ncontent`, /two headers/],
    ['with endless headers', `--b-1\r\n${'A: b\r\n'.repeat(4000)}`, /too long/],
    ['with a damaged header', `--b-1\r\nno header\r\n\r\n`, /header of the part is damaged/],
    ['in base64', `--b-1\r\nContent-Transfer-Encoding: base64\r\n\r\n`, /encoded as text/],
  ])('%s', (_, text, message) => {
    expect(() => readInPieces(Buffer.from(text, 'latin1'))).toThrow(message);
    // Also if it comes byte by byte.
    const reader = createPartReader(BOUNDARY);
    expect(() => {
      for (const byte of Buffer.from(text, 'latin1')) reader.take(Uint8Array.of(byte));
    }).toThrow(message);
  });
});

describe('the boundary of a media type', () => {
  test.each([
    ['multipart/related; type="application/dicom"; boundary=a-b', 'a-b'],
    ['Multipart/Related;boundary="=_a (b)";type=application/dicom', '=_a (b)'],
    ['multipart/related; type="x; boundary=no"; BOUNDARY=yes', 'yes'],
  ])('%s', (type, boundary) => {
    expect(findBoundary(type)).toBe(boundary);
  });

  test.each([['application/dicom'], ['multipart/relatedness; boundary=a'], [undefined]])('%s has none', (type) => {
    expect(findBoundary(type)).toBeUndefined();
  });

  test.each([
    'multipart/related',
    'multipart/related; boundary=',
    'multipart/related; boundary=""',
    'multipart/related; boundary="a\r\nb"',
    `multipart/related; boundary=${'a'.repeat(71)}`,
  ])('%j is refused', (type) => {
    expect(() => findBoundary(type)).toThrow(/no boundary/);
  });
});
