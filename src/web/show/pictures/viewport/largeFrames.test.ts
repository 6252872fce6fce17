import { expect, test } from 'vitest';
import { createLargeFramePainter, type PaintWorker } from './largeFrames.ts';
import type { GrayFrame } from '../loadedFrame.ts';
import type { GrayLook, PaintPipeline } from '../paintGray.ts';
import type { PaintAnswer, PaintRequest } from './paintMessages.ts';

const FRAME: GrayFrame = {
  kind: 'gray',
  rows: 1,
  columns: 1,
  samples: new Uint8Array(1),
  isMonochrome1: false,
  modality: { kind: 'rescale', slope: 1, intercept: 0 },
  voi: { windows: [], shape: undefined, tables: [] },
  padding: undefined,
  presentation: 'raw',
};

const PIPELINE: PaintPipeline = {
  modality: { kind: 'rescale', slope: 1, intercept: 0 },
  voi: { kind: 'window', window: { center: 1, width: 2, shape: 'LINEAR' } },
  inverted: false,
  padding: undefined,
  colorMap: 'gray',
};

const LOOK: GrayLook = { invert: false, colorMap: 'gray' };

class FakeWorker extends EventTarget implements PaintWorker {
  readonly requests: PaintRequest[] = [];
  isEnded = false;
  postMessage(request: PaintRequest): void {
    this.requests.push(request);
  }
  terminate(): void {
    this.isEnded = true;
  }
  answer(bitmap: ImageBitmap | undefined, { id, cell } = this.requests.at(-1)!): void {
    const data: PaintAnswer = { id, cell, bitmap };
    this.dispatchEvent(new MessageEvent('message', { data }));
  }
}

function createBitmap() {
  const closed: boolean[] = [];
  const bitmap: ImageBitmap = { width: 1, height: 1, close: () => closed.push(true) };
  return { bitmap, closed };
}

/** A painter and the workers that it has started. */
function createPainter() {
  const workers: FakeWorker[] = [];
  const painter = createLargeFramePainter(() => {
    const worker = new FakeWorker();
    workers.push(worker);
    return worker;
  });
  return { painter, workers };
}

test('a picture that the worker cannot paint is answered, and the frame is sent again with the next request', async () => {
  const { painter, workers } = createPainter();
  const first = painter.paint('0', FRAME, PIPELINE);
  workers[0]!.answer(undefined);
  expect(await first).toBeUndefined();

  const second = painter.paint('0', FRAME, PIPELINE);
  expect(workers[0]!.requests.map((request) => request.kind === 'frame' && request.frame)).toEqual([FRAME, FRAME]);
  const { bitmap } = createBitmap();
  workers[0]!.answer(bitmap);
  expect(await second).toBe(bitmap);
});

test.each(['error', 'messageerror'])(
  'after an "%s" every request is answered and another worker starts',
  async (type) => {
    const { painter, workers } = createPainter();
    const waiting = [painter.paint('0', FRAME, PIPELINE), painter.paint('1', FRAME, PIPELINE)];
    workers[0]!.dispatchEvent(new Event(type));
    expect(await Promise.all(waiting)).toEqual([undefined, undefined]);
    expect(workers[0]!.isEnded).toBe(true);

    const again = painter.paint('0', FRAME, PIPELINE);
    // The new worker has kept nothing yet.
    expect(workers[1]!.requests).toMatchObject([{ kind: 'frame', frame: FRAME }]);
    const { bitmap } = createBitmap();
    workers[1]!.answer(bitmap);
    expect(await again).toBe(bitmap);
  },
);

test('a worker that cannot start leaves no request waiting', async () => {
  const painter = createLargeFramePainter(() => {
    throw new TypeError('no worker here');
  });
  expect(await painter.paint('0', FRAME, PIPELINE)).toBeUndefined();
});

test('a request that cannot be sent leaves no request waiting', async () => {
  const { painter, workers } = createPainter();
  const { bitmap } = createBitmap();
  void painter.color('0', bitmap, LOOK);
  workers[0]!.postMessage = () => {
    throw new Error('a closed picture cannot be sent');
  };
  expect(await painter.color('0', bitmap, LOOK)).toBeUndefined();
});

test('of several requests for one cell the latest is answered, and the pictures of the others are closed', async () => {
  const { painter, workers } = createPainter();
  const first = painter.paint('0', FRAME, PIPELINE);
  const second = painter.paint('0', FRAME, PIPELINE);
  expect(await first).toBeUndefined();
  const [late, right] = [createBitmap(), createBitmap()];
  workers[0]!.answer(late.bitmap, workers[0]!.requests[0]);
  workers[0]!.answer(right.bitmap);
  expect([await second, late.closed.length, right.closed.length]).toEqual([right.bitmap, 1, 0]);
});

test('closing ends the worker and answers every request', async () => {
  const { painter, workers } = createPainter();
  const waiting = painter.paint('0', FRAME, PIPELINE);
  painter.close();
  expect([await waiting, workers[0]!.isEnded]).toEqual([undefined, true]);
});
