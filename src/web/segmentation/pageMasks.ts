import { fetchSourceMasks } from '../api/segmentations.ts';
import { libraryStore } from '../state/library.ts';
import { createMaskLoader } from './maskLoader.ts';

const BUDGET_BYTES = 96 * 1024 * 1024;

/** The masks of this page. */
export const pageMasks = createMaskLoader({ fetchMasks: fetchSourceMasks, budgetBytes: BUDGET_BYTES });

libraryStore.subscribe(({ serverRuns }, before) => {
  if (serverRuns !== before.serverRuns) pageMasks.clear();
});
