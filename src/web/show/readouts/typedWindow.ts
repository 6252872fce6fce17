/** A window in the unit of display: `shown = slope * modality + intercept`. */
export type WindowUnit = { readonly slope: number; readonly intercept: number; readonly unit: string };

export type WindowNumbers = { readonly center: number; readonly width: number };

/** The texts of the two fields. */
export type TypedWindow = { readonly center: string; readonly width: string };

export type ReadWindow =
  | { readonly window: WindowNumbers }
  | { readonly field: keyof TypedWindow; readonly problem: string };

/** Seven digits: more would show rounding errors of the conversion, also in the address. */
const DIGITS = 7;

/** The numbers of a window as texts for the two fields. */
export function writeWindow({ center, width }: WindowNumbers, { slope, intercept }: WindowUnit): TypedWindow {
  return { center: String(round(center * slope + intercept)), width: String(round(width * Math.abs(slope))) };
}

/** Converts back to modality units. A field that was not changed keeps its exact number. */
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
  return text.trim() === '' ? `Enter a ${field}.` : `“${text.trim()}” is not a number.`;
}

/** A comma is a decimal point if it is the only one; the minus may be the typographic one. */
function parseNumber(text: string): number | undefined {
  const plain = text.trim().replace('−', '-');
  const number = Number(plain.includes('.') ? plain : plain.replace(',', '.'));
  return plain === '' || !Number.isFinite(number) || Math.abs(number) > 1e30 ? undefined : number;
}
