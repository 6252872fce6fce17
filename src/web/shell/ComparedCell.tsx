import { MARK_MASKS } from '../draw/marks/masks/readMarkMasks.ts';
import { CompareCanvas } from '../over/compare/CompareCanvas.tsx';

/** The errors of the comparison over the image of one cell. What is compared may be marks. */
export function ComparedCell({ cell }: { readonly cell: number }) {
  return <CompareCanvas cell={cell} marks={MARK_MASKS} />;
}
