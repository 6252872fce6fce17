import { beforeEach, expect, test, vi } from 'vitest';
import { createAtRest, type Turn } from './useAtRest.ts';

beforeEach(() => {
  vi.useFakeTimers();
  return () => vi.useRealTimers();
});

/** Moves from image to image, and records which were requested, which of these were abandoned, and which are shown. */
function scroll() {
  const { begin, end } = createAtRest();
  const asked: number[] = [];
  const givenUp: number[] = [];
  const shown: number[] = [];
  const turns = new Map<number, Turn>();
  let leave: (() => void) | undefined;
  const goTo = (image: number) => {
    leave?.();
    leave = begin((turn) => {
      asked.push(image);
      turns.set(image, turn);
      turn.signal.addEventListener('abort', () => givenUp.push(image));
    });
  };
  const answer = (image: number) => turns.get(image)?.show(() => shown.push(image));
  return { asked, givenUp, shown, goTo, answer, end };
}

test('the first image is queried at once, later ones when scrolling stops', () => {
  const { asked, goTo } = scroll();

  goTo(1);
  expect(asked).toEqual([1]);

  goTo(2);
  vi.advanceTimersByTime(100);
  goTo(3);
  vi.advanceTimersByTime(100);
  expect(asked).toEqual([1]);

  vi.advanceTimersByTime(100);
  expect(asked).toEqual([1, 3]);
});

test('the first is kept until another has something to show, and not shown after that', () => {
  const { givenUp, shown, goTo, answer } = scroll();
  goTo(1);
  goTo(2);
  goTo(3);
  vi.advanceTimersByTime(200);
  expect(givenUp).toEqual([]);

  answer(3);
  answer(1);
  expect(givenUp).toEqual([1]);
  expect(shown).toEqual([3]);
});

test('a film that rests on each image, but not until the answer has come, shows the first', () => {
  const { givenUp, shown, goTo, answer } = scroll();
  for (const image of [1, 2, 3, 4]) {
    goTo(image);
    vi.advanceTimersByTime(150);
  }

  answer(2);
  answer(3);
  answer(1);
  expect(givenUp).toEqual([2, 3]);
  expect(shown).toEqual([1]);

  answer(4);
  expect(shown).toEqual([1, 4]);
});

test('requests for images that are no longer shown are aborted, the first too', () => {
  const { givenUp, goTo, end } = scroll();
  goTo(1);

  end();

  expect(givenUp).toEqual([1]);
});
