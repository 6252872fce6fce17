import { beforeEach, expect, test, vi } from 'vitest';
import { createAtRest } from './useAtRest.ts';

beforeEach(() => {
  vi.useFakeTimers();
  return () => vi.useRealTimers();
});

/** Goes from image to image; notes which were asked about, and which of these were given up. */
function scroll() {
  const { begin, end } = createAtRest();
  const asked: number[] = [];
  const givenUp: number[] = [];
  let leave: (() => void) | undefined;
  const goTo = (image: number) => {
    leave?.();
    leave = begin((signal) => {
      asked.push(image);
      signal.addEventListener('abort', () => givenUp.push(image));
    });
  };
  return { asked, givenUp, goTo, end };
}

test('the first image is asked about at once, later ones when the hand rests', () => {
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

test('the first is kept while others pass, and given up for the next that is rested on', () => {
  const { givenUp, goTo } = scroll();
  goTo(1);
  goTo(2);
  goTo(3);
  expect(givenUp).toEqual([]);

  vi.advanceTimersByTime(200);
  expect(givenUp).toEqual([1]);

  goTo(4);
  expect(givenUp).toEqual([1, 3]);
});

test('what nobody looks at any more is given up, the first too', () => {
  const { givenUp, goTo, end } = scroll();
  goTo(1);

  end();

  expect(givenUp).toEqual([1]);
});
