import { describe, expect, test } from 'vitest';
import { createFrameLoader, type FrameWish, keyOf } from './frameLoader.ts';
import type { GrayFrame } from './loadedFrame.ts';

function rawOf(frame: number, fileIndex = 0): FrameWish {
  return { fileIndex, frame, form: { kind: 'raw' } };
}

function createFrame(bytes: number): GrayFrame {
  return {
    kind: 'gray',
    rows: 1,
    columns: bytes,
    samples: new Uint8Array(bytes),
    isMonochrome1: false,
    modality: { kind: 'rescale', slope: 1, intercept: 0 },
    voi: { windows: [], shape: undefined, tables: [] },
    padding: undefined,
    presentation: 'raw',
  };
}

type Asked = {
  readonly frame: number;
  readonly kind: string;
  readonly isPrefetch: boolean;
  readonly signal: AbortSignal;
  readonly answer: (result: GrayFrame | Error) => Promise<void>;
};

/** A loader whose server answers when the test says so. */
function createLoader({ budgetBytes = 100_000, elapsedMs = 1, isThin = false, requestsToFill = 2, answerMs = 0 } = {}) {
  const asked: Asked[] = [];
  const outcomes: string[] = [];
  let nowMs = 0;
  const loader = createFrameLoader({
    budgetBytes,
    link: { isThin: () => isThin, requestsToFill: () => requestsToFill, answerMs: () => answerMs },
    now: () => nowMs,
    load: ({ frame, form }, { signal, isPrefetch }) =>
      new Promise((resolve, reject) => {
        const answer = async (result: GrayFrame | Error) => {
          nowMs += elapsedMs;
          if (result instanceof Error) reject(result);
          else resolve(result);
          // Waits for the loader's own continuations.
          await new Promise((resume) => setTimeout(resume));
        };
        signal.addEventListener('abort', () => reject(signal.reason));
        asked.push({ frame, kind: form.kind, isPrefetch, signal, answer });
      }),
  });
  loader.onOutcome((key) => outcomes.push(key));
  const running = () => asked.filter(({ signal }) => !signal.aborted).map(({ frame }) => frame);
  const find = (frame: number) => {
    const found = asked.findLast((each) => each.frame === frame);
    if (found === undefined) throw new Error(`frame ${frame} was not asked for`);
    return found;
  };
  const passTime = (ms: number) => (nowMs += ms);
  return { loader, asked, outcomes, running, find, passTime };
}

/** A loader that has measured with a first frame how long frames take. */
async function createUsedLoader(options: Parameters<typeof createLoader>[0] = {}) {
  const used = createLoader(options);
  used.loader.want('0', { now: [rawOf(99)], soon: [] });
  await used.find(99).answer(createFrame(10));
  used.asked.length = 0;
  return used;
}

describe('the frame loader', () => {
  test('lets the first frame of all come before it asks for what may come next', async () => {
    const { loader, find, running } = createLoader();
    loader.want('0', { now: [rawOf(5)], soon: [rawOf(6), rawOf(7)] });
    expect(running()).toEqual([5]);

    await find(5).answer(createFrame(10));
    expect(running()).toEqual([5, 6, 7]);
  });

  test('requests the frame on screen before prefetches, and marks prefetches for the server', async () => {
    const { loader, asked } = await createUsedLoader();
    loader.want('0', { now: [rawOf(5)], soon: [rawOf(6), rawOf(7)] });
    expect(asked.map(({ frame, isPrefetch }) => [frame, isPrefetch])).toEqual([
      [5, false],
      [6, true],
      [7, true],
    ]);
  });

  test('never has more than four prefetches in flight, and goes on when one has come', async () => {
    const { loader, find, running } = createLoader();
    loader.want('0', { now: [], soon: [1, 2, 3, 4, 5, 6].map((frame) => rawOf(frame)) });
    expect(running()).toEqual([1, 2, 3, 4]);

    await find(2).answer(createFrame(10));

    expect(running()).toEqual([1, 2, 3, 4, 5]);
    expect(loader.find(rawOf(2))).toMatchObject({ status: 'ready' });
  });

  test('aborts requests that are no longer wanted, and keeps those of nearby frames', async () => {
    const { loader, find } = await createUsedLoader();
    loader.want('0', { now: [rawOf(5)], soon: [rawOf(6), rawOf(4)] });

    loader.want('0', { now: [rawOf(6)], soon: [rawOf(7), rawOf(5)] });

    expect([4, 5, 6].map((frame) => find(frame).signal.aborted)).toEqual([true, false, false]);
  });

  test('loads a frame that two cells want once, and aborts it when both have left', () => {
    const { loader, asked, find } = createLoader();
    loader.want('0', { now: [rawOf(5)], soon: [] });
    loader.want('1', { now: [rawOf(5)], soon: [] });
    expect(asked.length).toBe(1);

    loader.want('0', { now: [], soon: [] });
    expect(find(5).signal.aborted).toBe(false);
    loader.want('1', { now: [], soon: [] });
    expect(find(5).signal.aborted).toBe(true);
  });

  test('on a slow link the frame on screen has the connection to itself', async () => {
    const { loader, find, running } = createLoader({ elapsedMs: 800 });
    loader.want('0', { now: [rawOf(0)], soon: [] });
    await find(0).answer(createFrame(10));

    loader.want('0', { now: [rawOf(50)], soon: [rawOf(51), rawOf(52), rawOf(53)] });
    expect(running()).toEqual([0, 50]);

    await find(50).answer(createFrame(10));
    expect(running()).toEqual([0, 50, 51, 52]);
  });

  test('over a slow link one frame is in flight while the next is requested, and no more', async () => {
    const { loader, find, running } = await createUsedLoader({ isThin: true });
    loader.want('0', { now: [rawOf(0)], soon: [rawOf(1), rawOf(2)] });
    expect(running()).toEqual([0, 1]);

    await find(0).answer(createFrame(10));
    expect(running()).toEqual([0, 1, 2]);
  });

  test('over a link with high latency enough frames are in flight to fill it, and never more than connections', async () => {
    const soon = [1, 2, 3, 4, 5, 6, 7].map((frame) => rawOf(frame));
    const long = await createUsedLoader({ isThin: true, requestsToFill: 3 });
    long.loader.want('0', { now: [rawOf(0)], soon });
    expect(long.running()).toEqual([0, 1, 2]);

    const longest = await createUsedLoader({ isThin: true, requestsToFill: 40 });
    longest.loader.want('0', { now: [rawOf(0)], soon });
    expect(longest.running()).toEqual([0, 1, 2, 3]);
  });

  test('over a slow link scrolling waits for a frame already passed, and then requests the current one', async () => {
    const { loader, find, asked } = createLoader({ isThin: true });
    for (let frame = 0; frame < 40; frame++) loader.want('0', { now: [rawOf(frame)], soon: [], isMoving: true });
    expect(asked.map(({ frame, signal }) => [frame, signal.aborted])).toEqual([
      [0, false],
      [1, false],
    ]);

    await find(0).answer(createFrame(10));
    expect(asked.map(({ frame }) => frame)).toEqual([0, 1, 39]);
    expect(loader.find(rawOf(0))).toMatchObject({ status: 'ready' });
  });

  test('over a slow link scrolling requests one frame after the other, so that they do not share the bandwidth', () => {
    const { loader, asked, passTime } = createLoader({ isThin: true, requestsToFill: 3, answerMs: 80 });
    for (let frame = 0; frame < 7; frame++) {
      loader.want('0', { now: [rawOf(frame)], soon: [rawOf(frame + 1)], isMoving: true });
      passTime(30);
    }
    // At 0, 90 and 180 ms: each request has used the link for 80 ms when the next begins.
    expect(asked.map(({ frame }) => frame)).toEqual([0, 3, 6]);
  });

  test('over a slow link scrolling requests a frame at once when nothing is in flight', async () => {
    const { loader, asked, find } = createLoader({ isThin: true, answerMs: 80 });
    loader.want('0', { now: [rawOf(0)], soon: [], isMoving: true });
    loader.want('0', { now: [rawOf(1)], soon: [], isMoving: true });
    await find(0).answer(createFrame(10));
    expect(asked.map(({ frame }) => frame)).toEqual([0, 1]);
  });

  test('over a slow link the frame on screen does not wait for a neighbor, which may never arrive', () => {
    const { loader, running } = createLoader({ isThin: true });
    loader.want('0', { now: [], soon: [rawOf(1), rawOf(2)] });

    loader.want('0', { now: [rawOf(3)], soon: [rawOf(1), rawOf(2)] });
    expect(running()).toEqual([1, 2, 3]);
  });

  test('when scrolling stops, requests for passed frames that are not wanted are aborted', () => {
    const { loader, find, running } = createLoader({ isThin: true });
    for (let frame = 0; frame < 40; frame++) loader.want('0', { now: [rawOf(frame)], soon: [], isMoving: true });

    loader.want('0', { now: [rawOf(39)], soon: [], isMoving: false });
    expect(find(1).signal.aborted).toBe(true);
    expect(running()).toEqual([39]);
  });

  test('over a very slow link prefetches in flight are aborted for the frame on screen', async () => {
    const { loader, find, running } = createLoader({ elapsedMs: 2_000 });
    loader.want('0', { now: [rawOf(0)], soon: [] });
    await find(0).answer(createFrame(10));
    loader.want('0', { now: [], soon: [rawOf(1), rawOf(2), rawOf(3)] });
    expect(running()).toEqual([0, 1, 2]);

    loader.want('0', { now: [rawOf(3)], soon: [rawOf(1), rawOf(2)] });
    expect(running()).toEqual([0, 3]);
  });

  test('over a slow link a preview has the connection to itself, and the whole frame follows', async () => {
    const { loader, asked, find } = createLoader({ isThin: true });
    const preview: FrameWish = {
      fileIndex: 0,
      frame: 7,
      form: { kind: 'preview', size: 512, choice: { kind: 'default' } },
    };
    loader.want('0', { now: [rawOf(7), preview], soon: [] });
    expect(asked.map(({ kind }) => kind)).toEqual(['preview']);

    await find(7).answer(createFrame(10));
    expect(asked.map(({ kind }) => kind)).toEqual(['preview', 'raw']);
  });

  test('a failure is reported, and retried only on request', async () => {
    const { loader, asked, find, outcomes } = createLoader();
    const wishes = { now: [rawOf(3)], soon: [] };
    loader.want('0', wishes);
    await find(3).answer(new Error('frame 3 is damaged'));

    expect(outcomes).toEqual([keyOf(rawOf(3))]);
    loader.want('0', wishes);
    expect(asked.length).toBe(1);
    expect(loader.find(rawOf(3))).toMatchObject({ status: 'failed', error: { message: 'frame 3 is damaged' } });

    loader.retry([rawOf(3)]);
    loader.want('0', wishes);
    expect(asked.length).toBe(2);
  });

  test('scrolling back to a failed frame requests it again', async () => {
    const { loader, asked, find } = createLoader();
    loader.want('0', { now: [rawOf(3)], soon: [] });
    await find(3).answer(new Error('the server does not respond'));

    loader.want('0', { now: [rawOf(4)], soon: [] });
    loader.want('0', { now: [rawOf(3)], soon: [] });

    expect(asked.map(({ frame }) => frame)).toEqual([3, 4, 3]);
  });

  test('a failed prefetch is not reported, and not repeated until the frame is on screen', async () => {
    const { loader, asked, find } = createLoader();
    loader.want('0', { now: [], soon: [rawOf(3)] });
    await find(3).answer(new Error('damaged'));
    loader.want('0', { now: [], soon: [rawOf(3)] });
    expect([asked.length, loader.find(rawOf(3))]).toEqual([1, undefined]);

    loader.want('0', { now: [rawOf(3)], soon: [] });
    expect(asked.length).toBe(2);
  });

  test('a prefetch becomes urgent when its frame is reached, and is not requested twice', async () => {
    const { loader, asked, find } = createLoader();
    loader.want('0', { now: [rawOf(0)], soon: [rawOf(1)] });
    loader.want('0', { now: [rawOf(1)], soon: [] });
    expect(asked.map(({ frame }) => frame)).toEqual([0, 1]);

    await find(1).answer(new Error('damaged'));
    expect(loader.find(rawOf(1))).toMatchObject({ status: 'failed' });
  });

  test('keeps no more bytes than its budget, and does not prefetch what would push out the rest', async () => {
    // Each frame counts as 256 bytes more than its samples.
    const { loader, asked, find } = createLoader({ budgetBytes: 10_000 });
    const soon = Array.from({ length: 30 }, (_, frame) => rawOf(frame));
    loader.want('0', { now: [], soon });
    for (let frame = 0; frame < asked.length; frame++) await find(frame).answer(createFrame(1000));

    // Half of the budget is 5,000: the sixth frame exceeds it, and up to three are in flight by then.
    expect(asked.length).toBeLessThanOrEqual(9);
    expect(asked.length).toBeGreaterThanOrEqual(5);
  });

  test('a frame larger than the whole budget is shown all the same, and forgotten when it is left', async () => {
    const { loader, asked, find } = createLoader({ budgetBytes: 1000 });
    loader.want('0', { now: [rawOf(0)], soon: [] });
    await find(0).answer(createFrame(5000));
    expect(loader.find(rawOf(0))).toMatchObject({ status: 'ready' });

    loader.want('0', { now: [rawOf(1)], soon: [] });
    expect(loader.find(rawOf(0))).toBeUndefined();
    expect(asked.map(({ frame }) => frame)).toEqual([0, 1]);
  });

  test('different windows of the server’s picture are different things', () => {
    const choices = [
      { kind: 'default' },
      { kind: 'full_dynamic' },
      { kind: 'explicit', center: 40, width: 400 },
      { kind: 'explicit', center: 40, width: 80 },
    ] as const;
    const keys = choices.map((choice) => keyOf({ fileIndex: 1, frame: 2, form: { kind: 'picture', choice } }));
    expect(new Set(keys).size).toBe(4);
  });
});

test('the loader says how much it holds, with what is too large to be kept beside others', async () => {
  const { loader, find } = createLoader({ budgetBytes: 10_000 });
  expect([loader.heldBytes(), loader.budgetBytes]).toEqual([0, 10_000]);
  loader.want('a', { now: [rawOf(0)], soon: [] });
  await find(0).answer(createFrame(1_000));
  const small = loader.heldBytes();
  expect(small).toBeGreaterThanOrEqual(1_000);

  loader.want('a', { now: [rawOf(1)], soon: [] });
  await find(1).answer(createFrame(50_000));
  expect(loader.heldBytes()).toBeGreaterThanOrEqual(small + 50_000);

  loader.want('a', { now: [], soon: [] });
  expect(loader.heldBytes()).toBe(small);
});
