import { compareTexts } from '../../../shared/compareTexts.ts';
/** The declared values of a frame that distinguish it from others at the same position. */
export type FrameKey = {
  readonly temporalPosition: number | undefined;
  /** Dimension Index Values: they include the position, which is equal for frames at the same position. */
  readonly dimensions: readonly number[];
  readonly segment: number | undefined;
  readonly dateTime: string | undefined;
};

/** The rank of each frame in the order of time and dimensions; frames that declare the same values share a rank. */
export function rankFrames(keys: readonly FrameKey[], frameCount: number): Float64Array<ArrayBuffer> {
  const ranks = new Float64Array(frameCount).fill(NaN);
  const order = keys
    .flatMap((key, frame) => (isEmpty(key) ? [] : [frame]))
    .toSorted((a, b) => compare(keys[a]!, keys[b]!));
  let rank = -1;
  let last: FrameKey | undefined;
  for (const frame of order) {
    const key = keys[frame]!;
    if (last === undefined || compare(last, key) !== 0) rank += 1;
    ranks[frame] = rank;
    last = key;
  }
  return ranks;
}

function isEmpty({ temporalPosition, dimensions, segment, dateTime }: FrameKey): boolean {
  return temporalPosition === undefined && dimensions.length === 0 && segment === undefined && dateTime === undefined;
}

function compare(a: FrameKey, b: FrameKey): number {
  return (
    (a.temporalPosition ?? 0) - (b.temporalPosition ?? 0) ||
    compareLists(a.dimensions, b.dimensions) ||
    (a.segment ?? 0) - (b.segment ?? 0) ||
    compareTexts(a.dateTime ?? '', b.dateTime ?? '')
  );
}

function compareLists(a: readonly number[], b: readonly number[]): number {
  for (const [at, value] of a.entries()) {
    const difference = value - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
