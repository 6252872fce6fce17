import type { Gap } from './places.ts';

/** What a frame is called: an image of its own, or a frame of a file. */
export type Noun = 'image' | 'frame';

export function describeMissing(without: number, holes: readonly Gap[], noun: Noun): string {
  const texts = holes.slice(0, 3).map((hole) => describeHole(hole, noun));
  if (without > 0) texts.unshift(`${count(without, noun)} without a position, while others have one`);
  if (holes.length > 3) texts.push(`and ${holes.length - 3} more such gaps`);
  return texts.join('; ');
}

function describeHole({ gapMm, spacingMm, fromMm, toMm, missing }: Gap, noun: Noun): string {
  const where = `between ${round(fromMm)} and ${round(toMm)} mm`;
  return `${count(missing, noun)} may be missing ${where}: a gap of ${round(gapMm)} mm where ${round(spacingMm)} mm is usual`;
}

export function describeDuplicates(duplicates: number, noun: Noun): string {
  return `${count(duplicates, noun)} are at the position of another one`;
}

export function describeSpacing(gaps: readonly Gap[], noun: Noun): string {
  let [least, most] = [Infinity, 0];
  for (const { gapMm } of gaps) [least, most] = [Math.min(least, gapMm), Math.max(most, gapMm)];
  const usual = round(gaps[0]?.spacingMm ?? 0);
  const odd = round(least) === round(most) ? `${round(least)} mm` : `${round(least)} to ${round(most)} mm`;
  return `the distance from one ${noun} to the next is usually ${usual} mm, but ${odd} in ${gaps.length} places`;
}

export function describeTurned(turned: number, noun: Noun): string {
  return `${count(turned, noun)} turned against the first one`;
}

export function describeTilt(degrees: number, noun: Noun): string {
  return `the positions run at ${round(degrees, 1)} degrees to the normal of the ${noun}s, as with a tilted gantry`;
}

/** The first few numbers of a list. */
export function listSome(numbers: readonly number[]): string {
  const shown = numbers.slice(0, 8).join(', ');
  return numbers.length > 8 ? `${shown} and ${numbers.length - 8} more` : shown;
}

function count(number: number, noun: Noun): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function round(value: number, digits = 3): string {
  return String(Number(value.toFixed(digits)));
}
