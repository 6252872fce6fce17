import { fetchSourceMasks } from '../../api/segmentations.ts';
import { definePart } from '../../state/page.ts';
import { createMaskLoader } from './maskLoader.ts';

const BUDGET_BYTES = 96 * 1024 * 1024;

/** The mask loader of a page. */
export const masksOf = definePart((page) => {
  const masks = createMaskLoader({ fetchMasks: fetchSourceMasks, budgetBytes: BUDGET_BYTES });
  page.onRestartFirst(() => masks.clear());
  return masks;
});
