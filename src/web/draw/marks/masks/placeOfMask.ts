import type { MarkPlace } from '../../../../shared/contract/marks.ts';
import { findFile, stackOf } from '../../../kit/state/library.ts';
import type { Page } from '../../../kit/state/page.ts';
import type { ViewStack } from '../../../kit/state/stacks.ts';
import { frameKey, type MarkForm, masksOf, parseFrameKey } from '../sync/markForm.ts';

/** From the first to the last painted frame in the shown order of the stack, or the slide. */
export function placeOfMask(page: Page, form: MarkForm): MarkPlace {
  const { place } = form;
  if (place.type !== 'stack') return place;
  const keys = [...masksOf(form).keys()];
  const stack = findStackOfKey(page, keys[0]);
  const sorted = stack === undefined ? keys : positionsOf(stack, keys).map(([, key]) => key);
  const [first] = sorted;
  const last = sorted.at(-1);
  if (first === undefined || last === undefined) return place;
  return { type: 'stack', from: toAddress(first), to: toAddress(last) };
}

function toAddress(key: string) {
  const { fileIndex, frame } = parseFrameKey(key);
  return { file_index: fileIndex, frame_index: frame };
}

/** The stack that has a frame. */
export function findStackOfKey(page: Page, key: string | undefined): ViewStack | undefined {
  const file = key === undefined ? undefined : findFile(page, parseFrameKey(key).fileIndex);
  return file && stackOf(page, file);
}

/** Places of frames in the shown order of the stack, ascending. Frames that the stack does not have come first. */
export function positionsOf(stack: ViewStack, keys: Iterable<string>): readonly (readonly [number, string])[] {
  const places = new Map(stack.frames.map((frame, position) => [frameKey(frame), position]));
  return [...keys].map((key): [number, string] => [places.get(key) ?? -1, key]).toSorted(([a], [b]) => a - b);
}
