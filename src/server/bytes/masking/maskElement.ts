import { PACKED_ACTIONS } from './basicProfile.generated.ts';
import { KEPT_TEXTS } from './keptTexts.ts';
import type { Masker } from './masker.ts';
import { labelOf } from './maskText.ts';

/** What is done with the value of an element in a masked run. */
export type MaskRule =
  | 'keep'
  /** No value, and no items. */
  | 'remove'
  /** A fixed text. */
  | 'text'
  /** A text that differs for different originals. */
  | 'label'
  | 'uid'
  | 'date'
  | 'date_time'
  | 'age'
  /** Kept if it is a number. */
  | 'number'
  /** Kept if it is a time of day. */
  | 'time'
  | 'patient_name'
  | 'patient_id';

/** The VR of an element as written, and that of the dictionary, undefined if the dictionary does not have the tag. */
type Vrs = { readonly vr: string; readonly known: string | undefined };

const PATIENT_NAME = 0x00100010;
const PATIENT_ID = 0x00100020;
const PATIENT_AGE = 0x00101010;

/** Sex, size and weight: the page shows them, and standardized uptake values need the weight. */
const CHARACTERISTICS: ReadonlySet<number> = new Set([0x00100040, 0x00101020, 0x00101030]);

/**
 * Sequences of the profile whose content is masked element by element instead (Clean Structured Content and Clean
 * Graphics Options): Acquisition Context, Specimen Preparation, Content, Graphic Annotation.
 */
const CLEANED: ReadonlySet<number> = new Set([0x00400555, 0x00400610, 0x0040a730, 0x00700001]);

/**
 * What the profile leaves to the application: file names on a medium, private information of the file meta
 * information.
 */
const OTHERS: ReadonlySet<number> = new Set([0x00041130, 0x00041141, 0x00041500, 0x00020102]);

/** UIDs that name no instance, and may be private: SOP classes, transfer syntaxes, coding schemes, implementations. */
const KINDS: ReadonlySet<number> = new Set([
  0x00020002, 0x00020010, 0x00020012, 0x00041510, 0x00041512, 0x0004151a, 0x00080016, 0x0008001a, 0x0008001b,
  0x00080062, 0x0008010c, 0x00080117, 0x00080118, 0x00081150, 0x0008115a, 0x04000010,
]);

const FREE_TEXT: ReadonlySet<string> = new Set(['LO', 'SH', 'ST', 'LT', 'UT', 'UC', 'PN', 'UR', 'AE']);
const LONG_TEXT: ReadonlySet<string> = new Set(['ST', 'LT', 'UT', 'UC']);
const TEXT: ReadonlySet<string> = new Set([...FREE_TEXT, 'AS', 'CS', 'DA', 'DS', 'DT', 'IS', 'TM', 'UI']);

let actions: ReadonlyMap<number, string> | undefined;

/** The action of the Basic Profile for an element, such as `X/Z/D`. PS3.15 table E.1-1. */
export function profileActionOf(tag: number): string | undefined {
  actions ??= new Map(
    PACKED_ACTIONS.split('\n').map((line) => [parseInt(line.slice(0, 8), 16), line.slice(9)] as const),
  );
  return actions.get(tag);
}

/**
 * The rule for an element. It depends on the tag and on both VRs, so that a name is masked in whatever element, and an
 * element of the profile whatever it is written as.
 */
export function maskRuleOf(tag: number, { vr, known }: Vrs): MaskRule {
  const group = tag >>> 16;
  const isRepeated = group >= 0x5000 && group <= 0x60ff && (group < 0x5100 || group >= 0x6000);
  if (group % 2 === 1 || isRepeated || known === undefined || OTHERS.has(tag)) return 'remove';
  if (tag === PATIENT_NAME) return 'patient_name';
  if (tag === PATIENT_ID) return 'patient_id';
  if (tag === PATIENT_AGE) return 'age';
  const isOf = (wanted: string) => vr === wanted || known === wanted;
  // An element that is no text by the dictionary says something else than what it is there for.
  if (FREE_TEXT.has(vr) && !TEXT.has(known)) return 'remove';
  const action = CHARACTERISTICS.has(tag) || CLEANED.has(tag) ? undefined : profileActionOf(tag);
  if (isOf('UI')) return KINDS.has(tag) ? 'keep' : 'uid';
  if (isOf('PN')) return 'text';
  if (action !== undefined && isBirth(tag)) return 'remove';
  if (isOf('DA')) return 'date';
  if (isOf('DT')) return 'date_time';
  if (isOf('TM')) return 'time';
  if (KEPT_TEXTS.has(tag)) return 'keep';
  if (isOf('AE') || isOf('UR')) return 'remove';
  if (isOf('AS')) return 'age';
  if (action !== undefined && !action.includes('U')) {
    if (!FREE_TEXT.has(known)) return 'remove';
    return action === 'X' ? 'text' : 'label';
  }
  if (LONG_TEXT.has(vr) || LONG_TEXT.has(known)) return 'text';
  if (isOf('DS') || isOf('IS')) return 'number';
  return isOf('LO') || isOf('SH') ? 'label' : 'keep';
}

/** Birth Date, Birth Time and the birth date in another calendar. */
function isBirth(tag: number): boolean {
  return tag >= 0x00100030 && tag <= 0x00100035;
}

/** The patient of an object, whose dates are moved by one number of days. */
export type MaskedPatient = { readonly token: string; readonly dayShift: number };

/** `id` and `name` are the bytes of these elements. A patient without an id is recognized by the name. */
export function maskPatient(masker: Masker, id: Uint8Array | undefined, name: Uint8Array | undefined): MaskedPatient {
  const original = textOf(id) || textOf(name);
  return { token: tokenOf(masker, original), dayShift: masker.dayShift(original) };
}

function tokenOf(masker: Masker, patient: string): string {
  return masker.token(`patient ${patient}`, TOKEN_DIGITS);
}

const TOKEN_DIGITS = 8;
const MASKED = '[masked]';
const EMPTY = new Uint8Array(0);

export type MaskedValue = {
  readonly rule: Exclude<MaskRule, 'keep' | 'remove'>;
  readonly bytes: Uint8Array;
  /** Undefined if it is not known: then dates are removed. */
  readonly patient: MaskedPatient | undefined;
  /** Whether a UID names something of the standard, and no instance of anybody. */
  readonly isRegisteredUid: (uid: string) => boolean;
};

/** The bytes in place of a value. They are ASCII, which is the same in every character set. */
export function maskValue(masker: Masker, { rule, bytes, patient, isRegisteredUid }: MaskedValue): Uint8Array {
  const text = textOf(bytes);
  if (text === '') return EMPTY;
  switch (rule) {
    case 'text':
      return toBytes(MASKED);
    case 'label':
      return toBytes(labelOf(masker, text));
    case 'patient_name':
      return toBytes(patient === undefined ? MASKED : `Patient^${patient.token}`);
    case 'patient_id':
      return toBytes(tokenOf(masker, text));
    case 'uid':
      return toBytes(
        eachValue(text, (uid) => (isRegisteredUid(uid) ? uid : masker.uid(uid))),
        '\0',
      );
    case 'date':
      return toBytes(eachValue(text, (date) => moveDate(date, patient)));
    case 'date_time':
      return toBytes(eachValue(text, (date) => moveDate(date.slice(0, 8), patient, date.slice(8))));
    case 'age':
      return toBytes(eachValue(text, capAge));
    case 'number':
      return isNumeric(bytes) ? bytes : EMPTY;
    case 'time':
      return isEach(text, /^ *\d\d(:?\d\d(:?\d\d(\.\d{1,6})?)?)? *$/) ? bytes : EMPTY;
  }
}

function textOf(bytes: Uint8Array | undefined): string {
  if (bytes === undefined) return '';
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1').replaceAll('\0', ' ').trim();
}

function toBytes(text: string, padding = ' '): Uint8Array {
  return new Uint8Array(Buffer.from(text.length % 2 === 0 ? text : text + padding, 'latin1'));
}

function eachValue(text: string, mask: (value: string) => string): string {
  return text
    .split('\\')
    .map((value) => value.trim() && mask(value.trim()))
    .join('\\');
}

function isEach(text: string, form: RegExp): boolean {
  return text.split('\\').every((value) => value.trim() === '' || form.test(value));
}

/** Digits and what else numbers are written with. Byte by byte, because contours are megabytes of numbers. */
export function isNumeric(bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; at += 1) if (NUMERIC[bytes[at]!] !== 1) return false;
  return true;
}

const NUMERIC = new Uint8Array(256);
for (const byte of Buffer.from('0123456789+-.eE \\\0')) NUMERIC[byte] = 1;

const DAY_MS = 86_400_000;

/** Undefined patient, incomplete or impossible dates: no date at all. */
function moveDate(date: string, patient: MaskedPatient | undefined, time = ''): string {
  const [, year, month, day] = /^(\d{4})\.?(\d\d)\.?(\d\d)$/.exec(date) ?? [];
  if (patient === undefined || day === undefined || !/^[\d.+-]*$/.test(time)) return '';
  const original = Date.UTC(Number(year), Number(month) - 1, Number(day));
  const moved = new Date(original - patient.dayShift * DAY_MS);
  // A hundred years are added to years of two digits, which no image has.
  if (Number(year) < 100 || moved.getUTCFullYear() < 100) return '';
  return moved.toISOString().slice(0, 10).replaceAll('-', '') + time;
}

/** Ages above 89 years identify people. */
function capAge(age: string): string {
  const [, count = '', unit] = /^(\d{1,3})([DWMY])$/.exec(age) ?? [];
  if (unit === undefined) return '';
  const years = Number(count) / { D: 365.25, W: 52.18, M: 12, Y: 1 }[unit]!;
  return years > 89 ? '089Y' : age;
}
