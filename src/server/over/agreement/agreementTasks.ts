import { defineTask } from '../../machine/workers/task.ts';
import { type ComponentRule, type CountedComponents, MOST_COMPONENTS } from './countComponents.ts';
import type { MaskPairInput, SampleBox } from './maskPair.ts';
import { MOST_KEPT_ELEMENTS, type SurfaceDistances, type SurfaceRule } from './surfaceDistances.ts';
import type { OverlapInput, OverlapTally } from './tallyOverlap.ts';

export type AgreementInput = MaskPairInput & {
  readonly components: ComponentRule | undefined;
  readonly surfaces: SurfaceRule | undefined;
  /** Whether slices with errors are listed. */
  readonly errors: boolean;
};

export type Agreement = {
  /** Undefined if they were not asked for, or cannot be counted. */
  readonly components: CountedComponents | undefined;
  /** Undefined if they were not asked for, or if a mask is empty. */
  readonly surfaces: SurfaceDistances | undefined;
  /** Undefined if they were not asked for: the slices that differ, as `listErrors` gives them. */
  readonly errors: Int32Array<ArrayBuffer> | undefined;
};

/** For masks and the ways to the nearest element, for each corner of samples; the rest is bounded by itself. */
const SAMPLE_BYTES = 6;
const ELEMENT_BYTES = 32;
const COMPONENT_BYTES = 64;
const BASE_BYTES = 2 ** 20;

/** Peak memory for the masks of two labels within a box. */
export function agreementBytes([x0, x1, y0, y1, z0, z1]: SampleBox): number {
  const [columns, rows, slices] = [x1 - x0 + 3, y1 - y0 + 3, z1 - z0 + 3];
  const samples = columns * rows * slices;
  const components = COMPONENT_BYTES * Math.min(MOST_COMPONENTS, samples);
  const elements = ELEMENT_BYTES * Math.min(MOST_KEPT_ELEMENTS, samples);
  const slice = 16 * columns * rows + 8 * columns * slices;
  return BASE_BYTES + SAMPLE_BYTES * samples + Math.max(components, elements) + slice;
}

/** The callers hold the memory, which is that of the labels as well. */
const HELD_BY_CALLER = { timeoutMs: 120_000, bytes: 'reserved' } as const;

export const tallyOverlapTask = defineTask<OverlapInput, OverlapTally>('agreement.tallyOverlap', HELD_BY_CALLER);
export const measureAgreementTask = defineTask<AgreementInput, Agreement>('agreement.measure', HELD_BY_CALLER);
