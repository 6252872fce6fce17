import type { SourceRef } from '../../bytes/origins/origins.ts';
import { defineTask } from '../../machine/workers/task.ts';

export type ReadScoresInput = { readonly path: string; readonly source: SourceRef };

/** Some of several things by name. */
export type NamedSome = { readonly count: number; readonly examples: readonly string[] };

/** What a score file says of series, in the order of `seriesUids`. Missing numbers are NaN. */
export type ReadScores = {
  readonly seriesUids: readonly string[];
  readonly cases: readonly string[];
  /** The part with the lowest Dice; empty if none has one. */
  readonly worstParts: readonly string[];
  /** For each series the numbers of `ALL_SCORES`. */
  readonly numbers: Float64Array<ArrayBuffer>;
  /** The parts that most series have, and for each series the numbers of `PART_SCORES`. */
  readonly parts: readonly { readonly name: string; readonly numbers: Float64Array<ArrayBuffer> }[];
  /** Cases that name no series. */
  readonly unplaced: NamedSome;
  /** Cases of which several have the same part of the same series. */
  readonly ambiguous: NamedSome;
  /** Cells that are no numbers where a number is expected. */
  readonly unreadCells: number;
};

export type ReadScoresResult =
  | { readonly ok: true; readonly scores: ReadScores }
  | { readonly ok: false; readonly message: string };

export const readScoresTask = defineTask<ReadScoresInput, ReadScoresResult>('scores.read', {
  timeoutMs: 60_000,
  // Half a million rows with their texts, of which most files have a thousandth.
  mostBytes: 256 * 2 ** 20,
});
