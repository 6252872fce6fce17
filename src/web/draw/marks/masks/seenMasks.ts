import { haveSameItems } from '../../../kit/state/haveSameItems.ts';
import { definePart, type Page } from '../../../kit/state/page.ts';
import { hiddenMarksOf, isMarkDrawn } from '../shapes/hiddenMarks.ts';
import { labelsOf } from '../shapes/labels.ts';
import { marksOf } from '../sync/marks.ts';
import { type BrushMark, listBrushMarks } from './brushes.ts';

type Seen = { readonly from: readonly unknown[]; readonly masks: readonly BrushMark[] };

/** The list that was made last. */
const seenOf = definePart((): { last: Seen } => ({ last: { from: [], masks: [] } }));

/** The masks that are drawn: the same list while nothing in it has changed. */
export function listSeenMasks(page: Page): readonly BrushMark[] {
  const known = seenOf(page);
  const all = listBrushMarks(page);
  const { chosen } = marksOf(page).getState();
  const from = [all, chosen, hiddenMarksOf(page).getState(), labelsOf(page).getState().stored];
  if (haveSameItems(from, known.last.from)) return known.last.masks;
  const drawn = all.filter((mask) => isMarkDrawn(page, mask, chosen));
  const before = known.last.masks;
  known.last = { from, masks: haveSameItems(drawn, before) ? before : drawn };
  return known.last.masks;
}
