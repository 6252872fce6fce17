import { expect, test } from 'vitest';
import { type Bounds, listLabels } from './markCrowd.ts';

const VIEW = { imageToScreen: [1, 0, 0, 1, 0, 0], screen: { width: 400, height: 300 } } as const;

/** A mark of 10 x 10 with a text of one line and 50 pixels beside it, whose base is 2 pixels below its bottom. */
function createMark(left: number, top: number) {
  const bounds: Bounds = { left, top, right: left + 10, bottom: top + 10 };
  const label = { lines: [`${left} ${top}`], at: { x: left + 15, y: top + 12 }, width: 50 };
  return { bounds, color: undefined, labelAt: () => label };
}

function textsOf(...marks: readonly ReturnType<typeof createMark>[]): readonly string[] {
  return listLabels(marks, VIEW).map(({ label }) => label.lines.join());
}

test('a text is written where it covers neither another mark nor another text', () => {
  // The text of the first covers 15 to 65 across and 0 to 15 down: the second mark is inside, the third is not.
  expect(textsOf(createMark(0, 0), createMark(40, 0))).toEqual(['40 0']);
  expect(textsOf(createMark(0, 0), createMark(0, 40))).toEqual(['0 0', '0 40']);
  // The texts would overlap, although neither covers a mark.
  expect(textsOf(createMark(0, 0), createMark(0, 11))).toEqual(['0 0']);
});

test('marks outside of the screen have no text, but are not covered by one', () => {
  expect(textsOf(createMark(500, 0), createMark(0, -20))).toEqual([]);
  // From 390 to 400, with a text that reaches to 455, over a mark beside the screen.
  expect(textsOf(createMark(390, 50), createMark(420, 50))).toEqual([]);
  expect(textsOf(createMark(390, 50))).toEqual(['390 50']);
});

test('at most 50 texts are written', () => {
  const marks = Array.from({ length: 60 }, (_, n) => createMark((n % 5) * 80, Math.floor(n / 5) * 24));
  expect(textsOf(...marks)).toHaveLength(50);
});
