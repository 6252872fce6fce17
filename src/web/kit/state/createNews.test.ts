import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { EventSign } from '../api/events.ts';
import { createNews } from './createNews.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Event streams that the test controls, one for each connection. */
function createStreams() {
  const streams: { tell: (sign: EventSign) => void; end: () => void; signal: AbortSignal }[] = [];
  const follow = (onSign: (sign: EventSign) => void, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('aborted')));
      streams.push({ tell: onSign, end: resolve, signal });
    });
  return { streams, follow };
}

function start() {
  const { streams, follow } = createStreams();
  const told: (EventSign | 'lost')[] = [];
  const news = createNews({ follow, now: Date.now, onSign: (sign) => told.push(sign) });
  const ended = new AbortController();
  void news.listen(ended.signal);
  let waits = 0;
  const wait = () => {
    void news.wait(5_000, ended.signal).then(() => (waits += 1));
  };
  return { news, streams, told, wait, waits: () => waits, end: () => ended.abort() };
}

test('while the stream is connected, no page polls without an event', async () => {
  const { streams, wait, waits } = start();
  streams[0]?.tell('alive');
  wait();
  for (let beat = 0; beat < 20; beat++) {
    await vi.advanceTimersByTimeAsync(5_000);
    streams[0]?.tell('alive');
  }
  expect(waits()).toBe(0);

  streams[0]?.tell('news');
  await vi.advanceTimersByTimeAsync(0);
  expect(waits()).toBe(1);
});

test('an event between two polls is not lost', async () => {
  const { streams, wait, waits } = start();
  streams[0]?.tell('news');
  wait();
  await vi.advanceTimersByTimeAsync(0);
  expect(waits()).toBe(1);
});

test('without a stream the wait is over after its time', async () => {
  const { wait, waits } = start();
  wait();
  await vi.advanceTimersByTimeAsync(4_999);
  expect(waits()).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(waits()).toBe(1);
});

test('a stream that ends is news, and is tried again later and later', async () => {
  const { streams, told, wait, waits } = start();
  streams[0]?.tell('alive');
  wait();
  streams[0]?.end();
  await vi.advanceTimersByTimeAsync(0);
  expect([waits(), told]).toEqual([1, ['alive', 'lost']]);

  const counts: number[] = [];
  for (const ms of [1_000, 2_000, 4_000]) {
    await vi.advanceTimersByTimeAsync(ms);
    counts.push(streams.length);
    streams.at(-1)?.end();
    await vi.advanceTimersByTimeAsync(0);
  }
  expect(counts).toEqual([2, 3, 4]);
});

test('if a proxy holds back events, the stream is closed and pages poll', async () => {
  const { news, streams } = start();
  await vi.advanceTimersByTimeAsync(4_000);
  expect([streams[0]?.signal.aborted, news.isLive()]).toEqual([true, false]);
});

test('a silent stream is closed', async () => {
  const { news, streams, wait, waits } = start();
  streams[0]?.tell('alive');
  wait();
  await vi.advanceTimersByTimeAsync(20_000);
  expect([streams[0]?.signal.aborted, news.isLive(), waits()]).toEqual([true, false, 1]);
});

test('events that another page received count here', async () => {
  const { follow } = createStreams();
  const news = createNews({ follow, now: Date.now });
  let waits = 0;
  news.note('alive');
  void news.wait(5_000, new AbortController().signal).then(() => (waits += 1));
  await vi.advanceTimersByTimeAsync(15_000);
  expect(waits).toBe(0);
  news.note('news');
  await vi.advanceTimersByTimeAsync(0);
  expect(waits).toBe(1);
});
