/** A window in the unit that it is told in: `shown = slope * modality + intercept`. */
export type WindowUnit = { readonly slope: number; readonly intercept: number; readonly unit: string };

export type WindowNumbers = { readonly center: number; readonly width: number };

/** What stands in the two fields. */
export type TypedWindow = { readonly center: string; readonly width: string };

export type ReadWindow =
  | { readonly window: WindowNumbers }
  | { readonly field: keyof TypedWindow; readonly problem: string };

/** Seven digits: the next one would be a tail of the conversion, and stand in the address. */
const DIGITS = 7;

/** The numbers of a window for its two fields. */
export function writeWindow({ center, width }: WindowNumbers, { slope, intercept }: WindowUnit): TypedWindow {
  return { center: String(round(center * slope + intercept)), width: String(round(width * Math.abs(slope))) };
}

/** Back to modality units. A field that was left as it was keeps its number to the last digit. */
export function readWindow(typed: TypedWindow, unit: WindowUnit, before: WindowNumbers): ReadWindow {
  const written = writeWindow(before, unit);
  const center = parseNumber(typed.center);
  if (center === undefined) return { field: 'center', problem: explain('center', typed.center) };
  const width = parseNumber(typed.width);
  if (width === undefined) return { field: 'width', problem: explain('width', typed.width) };
  if (width <= 0) return { field: 'width', problem: 'The width must be greater than 0.' };
  return {
    window: {
      center: typed.center.trim() === written.center ? before.center : round((center - unit.intercept) / unit.slope),
      width: typed.width.trim() === written.width ? before.width : round(width / Math.abs(unit.slope)),
    },
  };
}

function round(value: number): number {
  return Number(value.toPrecision(DIGITS));
}

function explain(field: keyof TypedWindow, text: string): string {
  return text.trim() === '' ? `Type a ${field}.` : `“${text.trim()}” is not a number.`;
}

/** A comma is a decimal point where it is the only one; a minus may be the long one that texts are written with. */
function parseNumber(text: string): number | undefined {
  const plain = text.trim().replace('−', '-');
  const number = Number(plain.includes('.') ? plain : plain.replace(',', '.'));
  return plain === '' || !Number.isFinite(number) || Math.abs(number) > 1e30 ? undefined : number;
}
