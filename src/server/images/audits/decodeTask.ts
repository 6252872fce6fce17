import type { FrameDamage } from '../../../shared/frameDamage.ts';
import type { KnownSource } from '../../bytes/origins/origins.ts';
import { defineTask } from '../../machine/workers/task.ts';
import type { DecodeCost } from '../pixels/frameTasks.ts';

/** Frames that follow each other, counted from 0. */
export type DecodeFramesInput = { readonly source: KnownSource; readonly first: number; readonly count: number };

/** A frame that is not as it should be. */
export type FrameTrouble = {
  readonly frame: number;
  /** Why it cannot be decoded; undefined if it can. */
  readonly problem: string | undefined;
  readonly damage: FrameDamage | undefined;
};

/** The cost is that of one frame: they are decoded one after the other. */
export const decodeFramesTask = defineTask<DecodeFramesInput, readonly FrameTrouble[], DecodeCost>(
  'audits.decodeFrames',
  {
    timeoutMs: ({ count }, { timeoutMs }) => count * timeoutMs,
    bytes: (_, { bytes }) => bytes,
  },
);
