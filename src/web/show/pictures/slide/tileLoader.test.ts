import { describe, expect, test } from 'vitest';
import { ConnectionLost, RequestRefused } from '../../../kit/api/send.ts';
import type { FrameWish } from '../frameLoader.ts';
import type { PictureFrame } from '../loadedFrame.ts';
import { createTileLoader } from './tileLoader.ts';

const SIDE = 256;
const TILE_BYTES = SIDE * SIDE * 4;

function wish(frame: number): FrameWish {
  return { fileIndex: 0, frame, form: { kind: 'picture', choice: { kind: 'default' } } };
}

function wishes(from: number, to: number): FrameWish[] {
  return Array.from({ length: to - from }, (_, at) => wish(from + at));
}

type Asked = {
  readonly frame: number;
  readonly isPrefetch: boolean;
  readonly signal: AbortSignal;
  answer(): Promise<void>;
  fail(error: Error): Promise<void>;
};

/** Waits until the effects of an answer have happened. */
function settle(): Promise<void> {
  return new Promise((resume) => setTimeout(resume));
}

/** A loader whose requests are answered when the test says so. */
function createHeldLoader(budgetTiles = 100) {
  const asked: Asked[] = [];
  const closed: number[] = [];
  const loader = createTileLoader({
    budgetBytes: budgetTiles * (TILE_BYTES + 256),
    retryAfterMs: 0,
    load: ({ frame }, { signal, isPrefetch }) =>
      new Promise<PictureFrame>((resolve, reject) => {
        const bitmap: ImageBitmap = { width: SIDE, height: SIDE, close: () => closed.push(frame) };
        const picture = {
          kind: 'picture',
          rows: SIDE,
          columns: SIDE,
          bitmap,
          window: undefined,
          isPreview: false,
        } as const;
        asked.push({
          frame,
          isPrefetch,
          signal,
          answer: () => (resolve(picture), settle()),
          fail: (error) => (reject(error), settle()),
        });
      }),
  });
  return { loader, asked, closed, frames: () => asked.map(({ frame }) => frame) };
}

describe('the order of requests', () => {
  test('is that of the wishes, six at a time', async () => {
    const { loader, asked, frames } = createHeldLoader();
    loader.want('a', { now: wishes(0, 20), soon: [] });
    expect(frames()).toEqual([0, 1, 2, 3, 4, 5]);
    await asked[3]!.answer();
    expect(frames()).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(loader.find(wish(3))?.status).toBe('ready');
  });

  test('what lies around is asked for when the rest is on its way or there, three at a time and as prefetch', async () => {
    const { loader, asked, frames } = createHeldLoader();
    loader.want('a', { now: wishes(0, 4), soon: wishes(50, 60) });
    expect(frames()).toEqual([0, 1, 2, 3]);
    for (const each of asked.slice(0, 4)) await each.answer();
    expect(asked.slice(4).map(({ frame, isPrefetch }) => [frame, isPrefetch])).toEqual([
      [50, true],
      [51, true],
      [52, true],
    ]);
  });

  test('two slides take turns', () => {
    const { loader, frames } = createHeldLoader();
    loader.want('a', { now: wishes(0, 6), soon: [] });
    loader.want('a', { now: [], soon: [] });
    loader.want('a', { now: wishes(0, 3), soon: [] });
    loader.want('b', { now: wishes(10, 13), soon: [] });
    expect(frames().slice(6)).toEqual([0, 1, 2, 10, 11, 12]);
  });
});

test('what is no longer wanted is aborted; what is wanted again is not asked for twice', async () => {
  const { loader, asked, frames } = createHeldLoader();
  loader.want('a', { now: wishes(0, 6), soon: [] });
  loader.want('a', { now: wishes(3, 9), soon: [] });
  expect(asked.slice(0, 6).map(({ signal }) => signal.aborted)).toEqual([true, true, true, false, false, false]);
  expect(frames().slice(6)).toEqual([6, 7, 8]);
});

test('a tile that comes after it was given up is closed', async () => {
  const { loader, asked, closed } = createHeldLoader();
  loader.want('a', { now: wishes(0, 1), soon: [] });
  loader.want('a', { now: [], soon: [] });
  await asked[0]!.answer();
  expect(closed).toEqual([0]);
  expect(loader.find(wish(0))).toBeUndefined();
});

test('tiles beyond the budget go, the least used first, and are closed', async () => {
  const { loader, asked, closed } = createHeldLoader(3);
  loader.want('a', { now: wishes(0, 5), soon: [] });
  for (const each of asked.slice(0, 3)) await each.answer();
  loader.find(wish(0));
  await asked[3]!.answer();
  expect(closed).toEqual([1]);
});

describe('a failure', () => {
  test('of a tile stays until it is tried again', async () => {
    const { loader, asked, frames } = createHeldLoader();
    loader.want('a', { now: wishes(0, 1), soon: [] });
    await asked[0]!.fail(new RequestRefused({ code: 'pixel_decode_failed', error: 'torn' }));
    loader.want('a', { now: wishes(0, 1), soon: [] });
    expect(loader.find(wish(0))).toMatchObject({ status: 'failed', error: { message: 'torn' } });
    expect(frames()).toEqual([0]);
    loader.retry();
    expect(frames()).toEqual([0, 0]);
    expect(loader.find(wish(0))).toBeUndefined();
  });

  test('of the connection is tried again by itself', async () => {
    const { loader, asked, frames } = createHeldLoader();
    loader.want('a', { now: wishes(0, 1), soon: [] });
    await asked[0]!.fail(new ConnectionLost('the server does not respond'));
    await new Promise((resume) => setTimeout(resume, 5));
    expect(frames()).toEqual([0, 0]);
    await asked[1]!.answer();
    expect(loader.find(wish(0))?.status).toBe('ready');
  });
});
