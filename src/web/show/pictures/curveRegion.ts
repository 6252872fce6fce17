import { createStore } from 'zustand/vanilla';
import { definePart } from '../../kit/state/page.ts';
import type { GrayFrame } from './loadedFrame.ts';

/** A region of a plane whose mean can be followed over time. */
export type CurveRegion = {
  /** In lower case: `ellipse`. */
  readonly title: string;
  /** The planes that it was drawn in, at the time that was shown then, and which of them. */
  readonly sourceId: string;
  readonly position: number;
  /** The mean of the modality values; null without any, undefined if it is no longer wanted. */
  mean(samples: GrayFrame, isWanted: () => boolean): Promise<number | null | undefined>;
};

/** The region that is selected; set by what measures regions. */
export const curveRegionOf = definePart((page) => {
  const store = createStore<{ readonly region: CurveRegion | undefined }>(() => ({ region: undefined }));
  page.onRestart(() => store.setState({ region: undefined }));
  return store;
});
