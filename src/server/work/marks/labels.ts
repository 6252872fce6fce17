import { ViewerError } from '../../../shared/contract/errors.ts';
import type { LabelClass, LabelScheme } from '../../../shared/contract/marks.ts';

/** The rules that JSON Schema cannot express. Throws `invalid_labels`. */
export function checkScheme({ classes }: LabelScheme): void {
  refuseRepeated(classes, 'key', ({ key }) => key);
  refuseRepeated(classes, 'digit', ({ digit }) => digit ?? undefined);
}

function refuseRepeated(
  classes: readonly LabelClass[],
  field: string,
  valueOf: (one: LabelClass) => string | number | undefined,
): void {
  const seen = new Set<string | number>();
  for (const [n, one] of classes.entries()) {
    const value = valueOf(one);
    if (value === undefined) continue;
    if (seen.has(value)) throw new ViewerError('invalid_labels', `class ${n}: another class has the same ${field}`);
    seen.add(value);
  }
}

export function rgbOfHex(color: string): [number, number, number] {
  const number = Number.parseInt(color.slice(1), 16);
  return [number >> 16, (number >> 8) & 255, number & 255];
}

/** The scheme with the classes of restored marks that it lacks. Their digits are left out if they are taken. */
export function addClasses(scheme: LabelScheme, found: readonly LabelClass[]): LabelScheme {
  const classes = [...scheme.classes];
  const keys = new Set(classes.map(({ key }) => key));
  const digits = new Set(classes.map(({ digit }) => digit));
  for (const one of found) {
    if (keys.has(one.key)) continue;
    const { digit = null } = one;
    classes.push(digit !== null && digits.has(digit) ? { ...one, digit: null } : one);
    keys.add(one.key);
    digits.add(digit);
  }
  return classes.length === scheme.classes.length ? scheme : { ...scheme, classes };
}

export function hexOfRgb(rgb: readonly number[]): string {
  return `#${rgb.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}
