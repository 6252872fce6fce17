import type { Gap } from './places.ts';

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? ' lies' : 's lie'}`;
}

export function describeGaps({ gapMm, spacingMm, fromMm, toMm, missing }: Gap, noun: string): string {
  const many = missing === 1 ? `1 ${noun}` : `${missing} ${noun}s`;
  const where = `between ${round(fromMm)} and ${round(toMm)} mm`;
  return `${many} may be missing ${where}, a gap of ${round(gapMm)} mm where ${round(spacingMm)} mm is usual`;
}

export function describeTilt(degrees: number): string {
  return `the positions run at ${round(degrees, 1)} degrees to the normal of the images, as with a tilted gantry`;
}

/** The numbers of a list, the first few of them. */
export function listSome(numbers: readonly number[]): string {
  const shown = numbers.slice(0, 8).join(', ');
  return numbers.length > 8 ? `${shown} and ${numbers.length - 8} more` : shown;
}

function round(value: number, digits = 3): string {
  return String(Number(value.toFixed(digits)));
}
