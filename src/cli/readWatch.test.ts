import { afterEach, expect, test, vi } from 'vitest';
import { createReadWatch } from './readWatch.ts';

afterEach(() => void vi.useRealTimers());

test('a part that takes too long is named, and one that was read in time is not', () => {
  vi.useFakeTimers();
  const stuck: string[] = [];
  const watch = createReadWatch(1_000, (part) => stuck.push(part));
  watch.follow('rows 0 to 9');
  vi.advanceTimersByTime(900);
  watch.follow(undefined);
  // Between two parts files are scanned, which may take long.
  vi.advanceTimersByTime(10_000);
  watch.follow('rows 10 to 19');
  vi.advanceTimersByTime(900);
  watch.follow('rows 20 to 29');
  vi.advanceTimersByTime(900);
  expect(stuck).toEqual([]);
  vi.advanceTimersByTime(200);
  expect(stuck).toEqual(['rows 20 to 29']);
  watch.follow('rows 30 to 39');
  watch.stop();
  vi.advanceTimersByTime(10_000);
  expect(stuck).toEqual(['rows 20 to 29']);
});
