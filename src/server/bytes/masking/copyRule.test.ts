import { expect, test } from 'vitest';
import { dictionaryVr } from '../../standard/dicom/dictionary.ts';
import { cleanDescriptor } from './cleanDescriptor.ts';
import { type CopyOptions, copyRuleOf } from './copyRule.ts';
import { isSafeCreator, isSafePrivate, isSafeValue } from './safePrivate.ts';

const BASIC: CopyOptions = {
  retainsUids: false,
  shiftsDates: false,
  retainsDevice: false,
  cleansDescriptors: false,
  retainsSafePrivate: false,
};

function ruleOf(tag: number, more: Partial<CopyOptions & { isNested: boolean; isReplaced: boolean; vr: string }> = {}) {
  const { isNested = false, isReplaced = false, vr, ...options } = more;
  const known = dictionaryVr(tag);
  return copyRuleOf({ tag, vr: vr ?? known ?? 'UN', known, isNested, isReplaced }, { ...BASIC, ...options });
}

// The actions are those of PS3.15 table E.1-1.
test.each([
  ['Patient Name', 0x00100010, 'patient_name'],
  ['Patient ID', 0x00100020, 'patient_id'],
  ['Birth Date (Z)', 0x00100030, 'empty'],
  ['Study Description (X)', 0x00081030, 'drop'],
  ['Accession Number (Z)', 0x00080050, 'label'],
  ['Referring Physician (Z)', 0x00080090, 'empty'],
  ['Content Creator (Z/D)', 0x00700084, 'text'],
  ['Study Date (Z)', 0x00080020, 'empty'],
  ['Series Date (X/D)', 0x00080021, 'fixed_date'],
  ['Content Time (Z/D)', 0x00080033, 'fixed_time'],
  ['Acquisition DateTime (X/Z/D)', 0x0008002a, 'fixed_date_time'],
  ['Admitting Date (X)', 0x00380020, 'drop'],
  ['Presentation Creation Date (X, and required)', 0x00700082, 'fixed_date'],
  ['SOP Instance UID', 0x00080018, 'uid'],
  ['SOP Class UID', 0x00080016, 'keep'],
  ['Request Attributes Sequence (X)', 0x00400275, 'drop'],
  ['Referenced Performed Procedure Step Sequence (X/Z/D)', 0x00081111, 'replace_items'],
  ['Referenced Image Sequence (X/Z/U*)', 0x00081140, 'keep'],
  ['Verifying Observer Sequence (D)', 0x0040a073, 'replace_items'],
  ['Content Sequence', 0x0040a730, 'keep'],
  ['Icon Image Sequence', 0x00880200, 'drop'],
  ['Overlay Data', 0x60003000, 'drop'],
  ['a private element', 0x00291010, 'drop'],
  ['a group length', 0x00080000, 'drop'],
  ['Device Serial Number (X/Z/D)', 0x00181000, 'label'],
  ['Content Description, which the table does not list', 0x00700081, 'label'],
  ['Pixel Data', 0x7fe00010, 'keep'],
] as const)('the rule for %s in a copy', (_, tag, rule) => {
  expect(ruleOf(tag)).toBe(rule);
});

test('options of the profile keep more', () => {
  expect(ruleOf(0x00080018, { retainsUids: true })).toBe('keep');
  expect(ruleOf(0x00080020, { shiftsDates: true })).toBe('date');
  expect(ruleOf(0x00380020, { shiftsDates: true })).toBe('date');
  expect(ruleOf(0x00080030, { shiftsDates: true })).toBe('time');
  expect(ruleOf(0x0008002a, { shiftsDates: true })).toBe('date_time');
  expect(ruleOf(0x00100030, { shiftsDates: true })).toBe('empty');
  expect(ruleOf(0x00181000, { retainsDevice: true })).toBe('keep');
  // Dates of devices are dates.
  expect(ruleOf(0x00181200, { retainsDevice: true })).toBe('drop');
});

const clean = (text: string, vr = 'LO') => cleanDescriptor(text, { vr, own: new Set(['head', 'quimby']) });
const bytes = (text: string) => new Uint8Array(Buffer.from(text));

test('words that describe an examination stay, and all others go', () => {
  expect(ruleOf(0x0008103e, { cleansDescriptors: true })).toBe('descriptor');
  expect(clean('AX T1 FLAIR post-contrast 3mm')).toBe('AX T1 FLAIR post-contrast 3mm');
  expect(clean('CT chest Doctor Smith 20240131 MRN48213')).toBe('CT chest *');
  // The patient is called Head.
  expect(clean('head_brain Quimby')).toBe('* brain *');
  expect(clean('Kopf Übersicht')).toBe('*');
  // 16 characters at most.
  expect(clean('T2 axial contrast brain', 'SH')).toBe('T2 axial');
});

test('private elements stay if their creator and their value are known', () => {
  expect(isSafeCreator(0x00190010, 'SIEMENS MR HEADER')).toBe(true);
  expect(isSafeCreator(0x00190010, 'ACME 1.0')).toBe(false);
  expect(isSafePrivate(0x0019100c, 'SIEMENS MR HEADER')).toBe(true);
  expect(isSafePrivate(0x0019100b, 'SIEMENS MR HEADER')).toBe(false);
  expect(isSafePrivate(0x70531000, 'Philips PET Private Group')).toBe(true);
  expect(isSafeValue('IS', bytes('1000'))).toBe(true);
  expect(isSafeValue('IS', bytes('Quimby'))).toBe(false);
  expect(isSafeValue('CS', bytes('DIRECTIONAL '))).toBe(true);
  expect(isSafeValue('SH', bytes('0.531:1 '))).toBe(true);
  expect(isSafeValue('LO', bytes('Quimby^Marjorie'))).toBe(false);
});

test('codes in items that stand for a person are replaced', () => {
  expect(ruleOf(0x00080100, { isNested: true })).toBe('keep');
  expect(ruleOf(0x00080100, { isNested: true, isReplaced: true })).toBe('label');
});
