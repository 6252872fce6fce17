import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonLine, printable, printableLine } from './printable.ts';

// C0, DEL and C1 (Unicode's Cc); line and paragraph separator; the twelve bidi controls.
const DANGEROUS = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

const anyText = fc.string({ unit: 'binary', maxLength: 400 });

describe('printable', () => {
  test.each([
    ['\u001b[31mred', String.raw`\u{1b}[31mred`],
    ['a\nb', String.raw`a\u{a}b`],
    ['\u009b2J', String.raw`\u{9b}2J`],
    ['\u001b]52;c;aGk=\u0007', String.raw`\u{1b}]52;c;aGk=\u{7}`],
    ['cod\u202emoc.exe', String.raw`cod\u{202e}moc.exe`],
    ['Müller 山田 🩻', 'Müller 山田 🩻'],
    ['C:\\scans', 'C:\\scans'],
  ])('writes %j as %s', (text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  test('leaves nothing that a terminal would act on', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(printable(text)).not.toMatch(DANGEROUS);
        expect(printableLine(text)).not.toMatch(DANGEROUS);
      }),
    );
  });

  test('shows at most 256 characters and says that it cut', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const shown = Array.from(printable(text));
        expect(shown.length).toBeLessThanOrEqual(256);
        expect(printable(text) === printableLine(text) || shown.at(-1) === '…').toBe(true);
      }),
    );
  });

  test('keeps text of exactly 256 characters, even if one takes two UTF-16 units', () => {
    const text = `${'a'.repeat(255)}🩻`;
    expect(printable(text)).toBe(text);
    expect(printable(`${text}b`)).toBe(`${'a'.repeat(255)}…`);
  });

  test('never cuts an escape in two', () => {
    // 254 letters leave room for 2 characters, but the escape needs 6.
    expect(printable(`${'a'.repeat(254)}\u001b`)).toBe(`${'a'.repeat(254)}…`);
  });

  test('changes nothing when it is applied a second time', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(printable(printable(text))).toBe(printable(text));
      }),
    );
  });
});

describe('jsonLine', () => {
  test('is one line of printable ASCII that reads back exactly', () => {
    fc.assert(
      fc.property(fc.record({ socket: anyText, port: fc.nat() }), (value) => {
        const line = jsonLine(value);
        expect(line).toMatch(/^[ -~]+$/);
        expect(JSON.parse(line)).toEqual(value);
      }),
    );
  });
});
