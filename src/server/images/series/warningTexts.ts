import type { Gap } from './places.ts';

/** What a frame is called: a separate image, or a frame of a file. */
export type Noun = 'image' | 'frame';

export function describeMissing(without: number, holes: readonly Gap[], noun: Noun): string {
  const texts = holes.slice(0, 3).map((hole) => describeHole(hole, noun));
  if (without > 0) {
    texts.unshift(`${count(without, noun)} ${without === 1 ? 'has' : 'have'} no position, but others do`);
  }
  if (holes.length > 3) texts.push(`and ${holes.length - 3} more such gaps`);
  return texts.join('; ');
}

function describeHole({ gapMm, expectedMm, fromMm, toMm, missing }: Gap, noun: Noun): string {
  const where = `between ${round(fromMm)} and ${round(toMm)} mm`;
  return `${count(missing, noun)} may be missing ${where}: a gap of ${round(gapMm)} mm where ${round(expectedMm)} mm is usual`;
}

export function describeDuplicates(duplicates: number, noun: Noun): string {
  return `${count(duplicates, noun)} have the position of another one`;
}

/** Distances between frames of one orientation. */
export type FrameDistances = {
  readonly spacingMm: number;
  /** Number of distances between consecutive places. */
  readonly count: number;
  /** The distances that differ from the usual one. */
  readonly irregular: readonly Gap[];
};

/** States only what holds for every distribution: a distance is called usual only if most distances equal it. */
export function describeSpacing(spacings: readonly FrameDistances[], noun: Noun): string {
  return spacings
    .filter(({ irregular }) => irregular.length > 0)
    .map((spacing) => describeOne(spacing, noun))
    .join('; ');
}

function describeOne({ spacingMm, count: total, irregular }: FrameDistances, noun: Noun): string {
  const gapsMm = irregular.map(({ gapMm }) => gapMm);
  const [least, most] = [lowest(gapsMm), highest(gapsMm)];
  const distance = `the distance from one ${noun} to the next`;
  const regular = total - irregular.length;
  if (regular * 2 <= total) {
    const [from, to] = [Math.min(least, spacingMm), Math.max(most, spacingMm)];
    return `${distance} varies from ${round(from)} to ${round(to)} mm`;
  }
  const odd = round(least) === round(most) ? `${round(least)} mm` : `${round(least)} to ${round(most)} mm`;
  const places = irregular.length === 1 ? 'one place' : `${irregular.length} places`;
  return `${distance} is ${round(spacingMm)} mm in ${regular} of ${total} places, but ${odd} in ${places}`;
}

export function describeTurned(turned: number, noun: Noun): string {
  return `${count(turned, noun)} ${turned === 1 ? 'is' : 'are'} rotated relative to the first one`;
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

/** Without spreading, because there may be more numbers than a call accepts arguments. */
function lowest(numbers: readonly number[]): number {
  return numbers.reduce((least, number) => Math.min(least, number), Infinity);
}

function highest(numbers: readonly number[]): number {
  return numbers.reduce((most, number) => Math.max(most, number), -Infinity);
}

function round(value: number, digits = 3): string {
  return String(Number(value.toFixed(digits)));
}
