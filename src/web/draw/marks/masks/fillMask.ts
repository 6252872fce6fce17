import type { MarkMask } from '../../../../shared/contract/marks.ts';
import { findFile } from '../../../kit/state/library.ts';
import { say } from '../../../kit/state/messages.ts';
import type { Page } from '../../../kit/state/page.ts';
import { runInSlices } from '../../../kit/ui/runInSlices.ts';
import { frameKey, parseFrameKey } from '../sync/markForm.ts';
import { type BrushMark, changeMasks, stackOfMark } from './brushes.ts';
import { positionsOf } from './placeOfMask.ts';
import { fillBetween } from './fillBetween.ts';

/** Gives masks to the frames between painted ones, as one step that can be undone. Painted frames stay as they are. */
export async function fillMask(page: Page, mark: BrushMark): Promise<void> {
  const stack = stackOfMark(page, mark);
  if (stack === undefined) return;
  const painted = positionsOf(stack, mark.slices.keys()).filter(([position]) => position >= 0);
  const filled = new Map<string, MarkMask | null>();
  const isWanted = () => !mark.words.locked;
  for (const [n, [position, key]] of painted.entries()) {
    const [nextPosition = position, nextKey = key] = painted[n + 1] ?? [];
    const between = nextPosition - position - 1;
    const file = findFile(page, parseFrameKey(key).fileIndex);
    const [columns, rows] = [file?.columns ?? 0, file?.rows ?? 0];
    if (between < 1 || columns === 0 || rows === 0) continue;
    const [first, second] = [mark.slices.get(key), mark.slices.get(nextKey)];
    if (first === undefined || second === undefined) continue;
    const masks = await runInSlices(fillBetween(first, second, { between, columns, rows }), isWanted);
    for (const [step, mask] of (masks ?? []).entries()) {
      const frame = stack.frames[position + 1 + step];
      if (frame !== undefined && mask !== undefined) filled.set(frameKey(frame), mask);
    }
  }
  if (filled.size === 0) say(page, 'There is no image between the painted ones');
  else changeMasks(page, mark, filled);
}
