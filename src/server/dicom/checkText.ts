type Rule = { readonly maxLength?: number; readonly pattern?: RegExp; readonly what?: string };

/** The rules of PS3.5 table 6.2-1 for one value. */
const RULES: { readonly [vr: string]: Rule } = {
  AE: { maxLength: 16, pattern: /^[ -[\]-~]*$/ },
  AS: { pattern: /^\d{3}[DWMY]$/, what: 'an age such as 018M' },
  CS: { maxLength: 16, pattern: /^[A-Z0-9 _]*$/, what: 'upper case letters, digits, space and underscore' },
  DA: { pattern: /^\d{4}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$/, what: 'a date such as 20260131' },
  DS: { maxLength: 16, pattern: /^ *[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)? *$/, what: 'a decimal number' },
  DT: { maxLength: 26, pattern: /^\d{4}(\d\d){0,5}(\.\d{1,6})?([+-]\d{4})?$/, what: 'a date and time' },
  IS: { maxLength: 12, pattern: /^ *[+-]?\d+ *$/, what: 'an integer' },
  LO: { maxLength: 64 },
  LT: { maxLength: 10_240 },
  PN: { maxLength: 64 * 3 + 2 },
  SH: { maxLength: 16 },
  ST: { maxLength: 1024 },
  TM: { pattern: /^([01]\d|2[0-3])([0-5]\d(([0-5]\d|60)(\.\d{1,6})?)?)?$/, what: 'a time such as 131500.25' },
  UI: { maxLength: 64, pattern: /^(0|[1-9]\d*)(\.(0|[1-9]\d*))*$/, what: 'a unique identifier' },
  UR: { pattern: /^([!-~]+)? *$/, what: 'a URI' },
};

/** Throws if a text value breaks the rules of its VR. An empty value is always allowed. */
export function checkText(vr: string, value: string): void {
  if (value === '') return;
  const { maxLength, pattern, what } = RULES[vr] ?? {};
  const length = countCharacters(value);
  if (maxLength !== undefined && length > maxLength) {
    throw new RangeError(`${length} characters are more than the ${maxLength} of ${vr}`);
  }
  if (pattern?.test(value) === false)
    throw new TypeError(`${JSON.stringify(value)} is not ${what ?? `allowed in ${vr}`}`);
  if (vr === 'IS' && Math.abs(Number(value)) > 2 ** 31) throw new RangeError(`${value} does not fit 32 bits`);
  if (vr === 'PN') checkPersonName(value);
}

/** Counts code points, as the standard does. */
function countCharacters(text: string): number {
  return Array.from(text).length;
}

function checkPersonName(value: string): void {
  const groups = value.split('=');
  if (groups.length > 3) throw new RangeError('a person name has at most 3 component groups');
  for (const group of groups) {
    if (countCharacters(group) > 64) throw new RangeError('a component group of PN has at most 64 characters');
    if (group.split('^').length > 5) throw new RangeError('a component group of PN has at most 5 components');
  }
}
