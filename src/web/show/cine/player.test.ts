import { describe, expect, test } from 'vitest';
import { type CineMode, type CinePlace, createPlayer, nextKept, nextPlace, rateOf } from './player.ts';

function positionsOf(count: number, mode: CineMode, steps: number): number[] {
  let place: CinePlace = { position: 0, direction: 1 };
  return Array.from({ length: steps }, () => {
    place = nextPlace(place, count, mode);
    return place.position;
  });
}

describe('the order of a film', () => {
  test.each([
    ['loop', 4, [1, 2, 3, 0, 1, 2, 3, 0]],
    ['sweep', 4, [1, 2, 3, 2, 1, 0, 1, 2]],
    ['sweep', 2, [1, 0, 1, 0]],
    ['loop', 1, [0, 0]],
  ] as const)('as a %s of %i frames', (mode, count, expected) => {
    expect(positionsOf(count, mode, expected.length)).toEqual(expected);
  });
});

test('a film of key images has only these, and begins at the first of them', () => {
  const kept = [3, 10, 20];
  let place: CinePlace = { position: 10, direction: 1 };
  const positions = Array.from({ length: 4 }, () => {
    place = nextKept(place, kept, 'sweep');
    return place.position;
  });
  expect(positions).toEqual([20, 10, 3, 10]);
  expect(nextKept({ position: 5, direction: 1 }, kept, 'loop').position).toBe(10);
});

describe('the rate of a film', () => {
  test.each([
    [undefined, 40, 25],
    [undefined, null, 10],
    [undefined, undefined, 10],
    [30, 40, 30],
    [undefined, 5, 60],
    [undefined, 4000, 1],
  ])('chosen %s, frame time %s ms: %i a second', (chosen, frameTimeMs, expected) => {
    expect(rateOf(chosen, frameTimeMs)).toBe(expected);
  });
});

describe('the player', () => {
  const SCREEN_MS = 1000 / 60;

  /** Number of steps in one second on a screen with 60 ticks per second. */
  function countSteps(fps: number, isShown: (tick: number) => boolean = () => true) {
    const player = createPlayer();
    let steps = 0;
    for (let tick = 0; tick <= 120; tick++) {
      if (player.tick({ nowMs: tick * SCREEN_MS, isShown: isShown(tick), fps }) && tick > 60) steps += 1;
    }
    return { steps, reached: player.reachedFps() };
  }

  test.each([2, 10, 25, 30, 60])('steps %i times a second where every frame is there', (fps) => {
    const { steps, reached } = countSteps(fps);
    expect(Math.abs(steps - fps)).toBeLessThanOrEqual(1);
    expect(Math.round(reached ?? 0)).toBe(fps);
  });

  test('waits for a frame that is not on screen, and says what it reaches', () => {
    // Only on every sixth tick: ten a second.
    const { steps, reached } = countSteps(30, (tick) => tick % 6 === 0);
    expect([steps, Math.round(reached ?? 0)]).toEqual([10, 10]);
  });

  test('does not hurry after a stop: no two frames closer than their time, but for a little', () => {
    const player = createPlayer();
    const steps: number[] = [];
    for (let tick = 0; tick <= 240; tick++) {
      const nowMs = tick * SCREEN_MS;
      // No frame arrives during the second second.
      if (player.tick({ nowMs, isShown: tick < 60 || tick > 120, fps: 10 })) steps.push(nowMs);
    }
    const gaps = steps.slice(1).map((step, i) => step - (steps[i] ?? 0));
    // 100 ms, minus the delay that may be made up for (50 ms) and half a tick of the screen.
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(41);
  });
});
