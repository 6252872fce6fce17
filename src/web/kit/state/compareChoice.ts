import { DEFAULT_TOLERANCE_MM } from '../../../shared/contract/comparison.ts';

export const ERROR_LOOKS = ['filled', 'outline', 'hatched'] as const;
/** How errors are drawn over the images. */
export type ErrorLook = (typeof ERROR_LOOKS)[number];

export const ERROR_KINDS = ['tp', 'fp', 'fn'] as const;
/** What a sample is: in both, in the test alone, or in the truth alone. */
export type ErrorKind = (typeof ERROR_KINDS)[number];

/** A part of the truth and the part of the test that it is compared with, by their numbers. */
export type ChosenPair = readonly [truth: number, test: number];

/** What the user compares, and how it is shown. It is part of the address. */
export type CompareChoice = {
  /** The name of the file of a layer, or `marks`; undefined until one is chosen. */
  readonly truth: string | undefined;
  readonly test: string | undefined;
  /** Undefined for those that belong together by code, label or number. */
  readonly pairs: readonly ChosenPair[] | undefined;
  readonly toleranceMm: number;
  /** From 0 to below 1. */
  readonly overlap: number;
  readonly look: ErrorLook;
  /** Undefined for all kinds. */
  readonly only: ErrorKind | undefined;
  /** The only pair whose errors are drawn and visited; undefined for all. */
  readonly pair: ChosenPair | undefined;
};

export const NO_CHOICE: CompareChoice = {
  truth: undefined,
  test: undefined,
  pairs: undefined,
  toleranceMm: DEFAULT_TOLERANCE_MM,
  overlap: 0,
  look: 'filled',
  only: undefined,
  pair: undefined,
};

/** `TRUTH,TEST`, then what differs from the start: `;pairs=1:2_3:4;tolerance=2;overlap=0.5;look=outline;only=fp;pair=1:2`. */
export function formatChoice({ truth, test, ...choice }: CompareChoice): string {
  const { pairs, toleranceMm, overlap, look, only, pair } = choice;
  const parts = [`${encodeURIComponent(truth ?? '')},${encodeURIComponent(test ?? '')}`];
  if (pairs !== undefined) parts.push(`pairs=${pairs.map(formatPair).join('_')}`);
  if (toleranceMm !== NO_CHOICE.toleranceMm) parts.push(`tolerance=${toleranceMm}`);
  if (overlap !== NO_CHOICE.overlap) parts.push(`overlap=${overlap}`);
  if (look !== NO_CHOICE.look) parts.push(`look=${look}`);
  if (only !== undefined) parts.push(`only=${only}`);
  if (pair !== undefined) parts.push(`pair=${formatPair(pair)}`);
  return parts.join(';');
}

/** What a text says wrong is as at the start. */
export function parseChoice(text: string): CompareChoice {
  const [sides = '', ...parts] = text.split(';');
  const [truth = '', test = ''] = sides.split(',').map(decode);
  const said = new Map(parts.map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)]));
  const pairs = said.get('pairs');
  return {
    truth: truth || undefined,
    test: test || undefined,
    pairs:
      pairs === undefined
        ? undefined
        : pairs
            .split('_')
            .map(parsePair)
            .filter((one) => one !== undefined),
    toleranceMm: parseNumber(said.get('tolerance'), { most: 1_000, otherwise: NO_CHOICE.toleranceMm }),
    overlap: parseNumber(said.get('overlap'), { most: MOST_OVERLAP, otherwise: NO_CHOICE.overlap }),
    look: ERROR_LOOKS.find((look) => look === said.get('look')) ?? NO_CHOICE.look,
    only: ERROR_KINDS.find((kind) => kind === said.get('only')),
    pair: parsePair(said.get('pair') ?? ''),
  };
}

export const MOST_OVERLAP = 0.999_999;

export function formatPair([truth, test]: ChosenPair): string {
  return `${truth}:${test}`;
}

export function parsePair(text: string): ChosenPair | undefined {
  const [, truth, test] = /^(\d{1,7}):(\d{1,7})$/.exec(text) ?? [];
  return truth === undefined ? undefined : [Number(truth), Number(test)];
}

type Range = { readonly most: number; readonly otherwise: number };

function parseNumber(text: string | undefined, { most, otherwise }: Range): number {
  const value = text === undefined || text.trim() === '' ? NaN : Number(text);
  return value >= 0 && value <= most ? value : otherwise;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
