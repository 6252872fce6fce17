import { describe, expect, test } from 'vitest';
import { createMotionTracker, orderPrefetch } from './prefetchOrder.ts';

describe('the order of prefetching', () => {
  test('is three ahead for one behind, in the direction of scrolling', () => {
    const down = orderPrefetch({ position: 50, count: 100, direction: 1, speed: 0 });
    expect(down.slice(0, 8)).toEqual([51, 52, 53, 49, 54, 55, 56, 48]);
    const up = orderPrefetch({ position: 50, count: 100, direction: -1, speed: 0 });
    expect(up.slice(0, 8)).toEqual([49, 48, 47, 51, 46, 45, 44, 52]);
  });

  test('ends with the stack', () => {
    expect(orderPrefetch({ position: 8, count: 10, direction: 1, speed: 0 })).toEqual([9, 7, 6, 5, 4]);
    expect(orderPrefetch({ position: 0, count: 1, direction: 1, speed: 0 })).toEqual([]);
  });

  test('begins again after the last frame of a film, and names no frame twice', () => {
    expect(orderPrefetch({ position: 3, count: 5, direction: 1, speed: 60, wraps: true })).toEqual([4, 0, 1, 2]);
  });

  test('reaches further for faster scrolling', () => {
    // 40 frames a second for a second and a half.
    const order = orderPrefetch({ position: 100, count: 1000, direction: 1, speed: 40 });
    expect(Math.max(...order)).toBe(160);
  });
});

describe('the scrolling motion', () => {
  test('has the direction of the last step and the speed of the last few', () => {
    const { track } = createMotionTracker();
    track(10, 0);
    track(11, 50);
    // 20 a second, measured twice.
    expect(track(12, 100)).toEqual({ direction: 1, speed: 20 });
    expect(track(11, 200)).toEqual({ direction: -1, speed: 10 });
  });

  test('goes on when a film begins again', () => {
    const { track } = createMotionTracker();
    track(8, 0, 10);
    track(9, 100, 10);
    expect(track(0, 200, 10)).toEqual({ direction: 1, speed: 10 });
  });

  test('comes to rest', () => {
    const { track } = createMotionTracker();
    track(10, 0);
    track(11, 50);
    expect(track(11, 1000)).toEqual({ direction: 1, speed: 0 });
  });
});
