import { assert, date, integer, property, string } from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { dictionaryVr } from '../../standard/dicom/dictionary.ts';
import { PACKED_ACTIONS } from './basicProfile.generated.ts';
import { KEPT_TEXTS } from './keptTexts.ts';
import { maskPatient, maskRuleOf, maskValue, type MaskedValue } from './maskElement.ts';
import { findMasker, type Masker, setMaskKey } from './masker.ts';

function createTestMasker(secret = 'a secret of this test'): Masker {
  setMaskKey(new TextEncoder().encode(secret));
  onTestFinished(() => setMaskKey(undefined));
  const masker = findMasker();
  if (masker === undefined) throw new Error('there is a key');
  return masker;
}

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'));

const REGISTERED = '1.2.840.10008.1.4.1.1';
const isRegisteredUid = (uid: string) => uid === REGISTERED;

function mask(masker: Masker, rule: MaskedValue['rule'], text: string, patient = 'one'): string {
  const of = maskPatient(masker, bytesOf(patient), undefined);
  return Buffer.from(maskValue(masker, { rule, bytes: bytesOf(text), patient: of, isRegisteredUid }))
    .toString('latin1')
    .trim();
}

test.each([
  [0x00100010, 'PN', 'PN', 'patient_name'],
  [0x00081030, 'LO', 'LO', 'text'],
  [0x00080050, 'SH', 'SH', 'label'],
  [0x30060026, 'LO', 'LO', 'label'],
  [0x0008103e, 'UN', 'LO', 'text'],
  [0x00080020, 'DA', 'DA', 'date'],
  [0x00100030, 'DA', 'DA', 'remove'],
  [0x00080030, 'TM', 'TM', 'time'],
  [0x00080018, 'UI', 'UI', 'uid'],
  [0x00080016, 'UI', 'UI', 'keep'],
  [0x00081140, 'SQ', 'SQ', 'keep'],
  [0x0040a730, 'SQ', 'SQ', 'keep'],
  [0x00400275, 'SQ', 'SQ', 'remove'],
  [0x00420011, 'OB', 'OB', 'remove'],
  [0x7fe00010, 'OW', 'OB or OW', 'keep'],
  [0x00101030, 'DS', 'DS', 'number'],
  [0x00080060, 'CS', 'CS', 'keep'],
  [0x0040a160, 'UT', 'UT', 'text'],
  // Written as something else than what it is by the dictionary.
  [0x00280010, 'LO', 'US', 'remove'],
  [0x00180015, 'PN', 'CS', 'text'],
  [0x00091001, 'LO', undefined, 'remove'],
  [0x60020010, 'US', 'US', 'remove'],
  // Texts that the profile does not list.
  [0x00700081, 'LO', 'LO', 'label'],
  [0x30020003, 'LO', 'LO', 'label'],
  [0x30020020, 'SH', 'SH', 'label'],
  [0x300a00b2, 'SH', 'SH', 'label'],
  [0x300a00c2, 'UN', 'LO', 'label'],
  [0x00180015, 'LO', 'CS', 'label'],
  [0x00080104, 'LO', 'LO', 'keep'],
  [0x00080119, 'UC', 'UC', 'keep'],
  [0x00281054, 'LO', 'LO', 'keep'],
])('the rule of %i as %s is that of PS3.15 or a stricter one', (tag, vr, known, rule) => {
  expect(maskRuleOf(tag, { vr, known })).toBe(rule);
});

/** As a DA. */
function write(day: Date): string {
  return day.toISOString().slice(0, 10).replaceAll('-', '');
}

test('all dates of a patient are moved by the same number of days', () => {
  const masker = createTestMasker();
  const days = date({ min: new Date('1970-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });
  const { dayShift } = maskPatient(masker, bytesOf('one'), undefined);

  assert(
    property(days, (day) => {
      const moved = write(new Date(day.getTime() - dayShift * 86_400_000));
      expect(mask(masker, 'date', write(day))).toBe(moved);
      expect(mask(masker, 'date_time', `${write(day)}101112.5`)).toBe(`${moved}101112.5`);
    }),
  );
});

test('different UIDs have different pseudonyms, which are valid UIDs and have nothing of the original', () => {
  const masker = createTestMasker();
  assert(
    property(integer({ min: 0 }), integer({ min: 0 }), (a, b) => {
      const [first, second] = [`1.2.3.${a}`, `1.2.3.${b}`].map((uid) => mask(masker, 'uid', uid).replace('\0', ''));
      expect(first === second).toBe(a === b);
      expect(first).toMatch(/^2\.25\.[1-9]\d{30,38}$/);
    }),
  );
  expect(createTestMasker('another secret').uid('1.2.3')).not.toBe(createTestMasker().uid('1.2.3'));
});

test('only registered UIDs stay: those of instances may begin like them', () => {
  const masker = createTestMasker();
  const instance = `${REGISTERED}.20110510`;

  const [registered, masked] = mask(masker, 'uid', `${REGISTERED}\\${instance}`).replace('\0', '').split('\\');

  expect([registered, masked]).toEqual([REGISTERED, masker.uid(instance)]);
});

test('every short text that is shown is a text of the dictionary that the profile leaves alone', () => {
  const listed = new Set(PACKED_ACTIONS.split('\n').map((line) => parseInt(line.slice(0, 8), 16)));

  for (const tag of KEPT_TEXTS) {
    expect([tag.toString(16), listed.has(tag)]).toEqual([tag.toString(16), false]);
    expect(['LO', 'SH', 'UC', 'UR']).toContain(dictionaryVr(tag));
  }
});

test('no text passes a rule that replaces it', () => {
  const masker = createTestMasker();
  const long = string({ minLength: 9 }).filter((text) => /[a-z]{9}/i.test(text));
  assert(
    property(long, (text) => {
      for (const rule of ['text', 'label', 'date', 'date_time', 'age', 'number', 'time', 'patient_id'] as const) {
        expect(mask(masker, rule, text)).not.toContain(text);
      }
    }),
  );
});

test.each([
  ['date', '2019', ''],
  ['date', '20190307\\x', '\\'],
  ['age', '102Y', '089Y'],
  ['age', '034Y', '034Y'],
  ['age', 'Jane', ''],
  ['time', '101112.123456', '101112.123456'],
  ['time', 'Jane', ''],
  ['number', '-1.5E3\\7', '-1.5E3\\7'],
  ['number', 'Jane', ''],
  ['text', '  ', ''],
] as const)('as %s, %j becomes %j', (rule, text, masked) => {
  const shown = mask(createTestMasker(), rule, text);
  expect(rule === 'date' && text.includes('\\') ? shown.slice(8) : shown).toBe(masked);
});
