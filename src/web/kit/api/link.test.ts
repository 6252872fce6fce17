import { describe, expect, test } from 'vitest';
import { createLink, type Link } from './link.ts';

/** Records a transfer of `bytes` between two times in milliseconds, over a link with a latency of 50 ms. */
function note(link: Link, responseStart: number, responseEnd: number, bytes: number): void {
  link.note({
    requestStart: responseStart - 50,
    responseStart,
    responseEnd,
    encodedBodySize: bytes,
    transferSize: bytes + 300,
  });
}

describe('a link', () => {
  test('is not thin before anything is known of it, nor on the same machine', () => {
    const link = createLink();
    expect(link.isThin()).toBe(false);
    note(link, 100, 102, 524_288);
    expect(link.isThin()).toBe(false);
  });

  test('to a server that has answered at once is not thin, however long a busy browser takes to read', () => {
    const link = createLink();
    link.note({ requestStart: 97, responseStart: 100, responseEnd: 106, encodedBodySize: 7_000, transferSize: 7_300 });
    note(link, 200, 300, 32_768);
    expect(link.isThin()).toBe(false);
  });

  test('of 20 Mbit/s is thin', () => {
    const link = createLink();
    // 2,500 bytes a millisecond.
    note(link, 100, 140, 100_000);
    expect(link.isThin()).toBe(true);
  });

  test('of 20 Mbit/s is thin also where a busy browser heard of the beginning of the first answer late', () => {
    const link = createLink();
    // 81,351 bytes take 33 ms at 2,500 bytes a millisecond, of which the browser has seen the last 5 ms.
    link.note({ requestStart: 0, responseStart: 78, responseEnd: 83, encodedBodySize: 81_351, transferSize: 81_651 });
    expect(link.isThin()).toBe(true);
  });

  test('of 1 Gbit/s that is long is not thin after a few answers', () => {
    const link = createLink();
    // 125,000 bytes a millisecond.
    for (let i = 0; i < 4; i++) note(link, i * 100, i * 100 + 2, 250_000);
    expect(link.isThin()).toBe(false);
  });

  test('of 100 Mbit/s is not thin because four requests share it', () => {
    const link = createLink();
    // 12,500 bytes a millisecond: four times 500,000 bytes in 160 ms. Each one alone seems to have had a quarter of it.
    for (let i = 0; i < 4; i++) note(link, 100 + i, 257 + i, 500_000);
    expect(link.isThin()).toBe(false);
  });

  test('is judged by what came over it, and not by what is too short to tell', () => {
    const link = createLink();
    link.note({ requestStart: 0, responseStart: 0, responseEnd: 900, encodedBodySize: 100_000, transferSize: 0 });
    note(link, 1_000, 1_050, 900);
    expect(link.isThin()).toBe(false);
  });

  test('is filled by one answer on its way and as many as are asked for during a round trip', () => {
    const thin = createLink();
    expect(thin.requestsToFill()).toBe(2);
    // 20 Mbit/s: a response takes 68 ms to transfer, longer than the 50 ms until the next one starts to arrive.
    note(thin, 100, 168, 170_000);
    expect(thin.requestsToFill()).toBe(2);

    const long = createLink();
    // 200 Mbit/s: 20 ms each, so two and a half of them in 50 ms.
    note(long, 100, 120, 500_000);
    expect(long.requestsToFill()).toBe(4);
    // Time spent waiting behind other responses says nothing about the link.
    for (const [responseStart, responseEnd] of [
      [200, 220],
      [220, 240],
      [240, 260],
    ] as const) {
      long.note({ requestStart: 130, responseStart, responseEnd, encodedBodySize: 500_000, transferSize: 500_300 });
    }
    expect(long.requestsToFill()).toBe(4);
  });

  test('that was slow once is forgotten when it has been fast for a while', () => {
    const link = createLink();
    note(link, 0, 100, 100_000);
    expect(link.isThin()).toBe(true);
    for (let i = 1; i < 10; i++) note(link, i * 1_000, i * 1_000 + 5, 500_000);
    expect(link.isThin()).toBe(false);
  });
});
