import type { GrayFrame } from '../loadedFrame.ts';
import type { GrayLook, PaintPipeline } from '../paintGray.ts';
import type { PaintAnswer, PaintRequest } from './paintMessages.ts';

/** Paints large frames in a worker, so that the page does not freeze. */
export interface LargeFramePainter {
  /** Paints the whole frame with a window. Of several requests for one cell only the latest is answered. */
  paint(cell: string, frame: GrayFrame, pipeline: PaintPipeline): Promise<ImageBitmap | undefined>;
  /** Applies colors to a gray picture; of several requests for one cell only the latest is answered. */
  color(cell: string, bitmap: ImageBitmap, look: GrayLook): Promise<ImageBitmap | undefined>;
  close(): void;
}

type Waiting = { readonly id: number; readonly settle: (bitmap: ImageBitmap | undefined) => void };

export type PaintWorker = Pick<Worker, 'addEventListener' | 'postMessage' | 'terminate'>;

/**
 * The worker starts with the first large frame. Every request settles. If the worker fails, the result is undefined and
 * the next request starts another worker.
 */
export function createLargeFramePainter(startWorker: () => PaintWorker): LargeFramePainter {
  let worker: PaintWorker | undefined;
  let lastId = 0;
  const waiting = new Map<string, Waiting>();
  const names = new WeakMap<GrayFrame, number>();
  /** What the worker keeps: one frame per cell. */
  const sent = new Map<string, number>();

  const settle = (cell: string, bitmap?: ImageBitmap) => {
    const asked = waiting.get(cell);
    waiting.delete(cell);
    // A worker that failed may not have kept the frame.
    if (bitmap === undefined) sent.delete(cell);
    asked?.settle(bitmap);
  };

  const receive = ({ data: { id, cell, bitmap } }: MessageEvent<PaintAnswer>) => {
    if (waiting.get(cell)?.id === id) settle(cell, bitmap);
    else bitmap?.close();
  };

  const end = () => {
    worker?.terminate();
    worker = undefined;
    sent.clear();
    for (const cell of waiting.keys()) settle(cell);
  };

  const start = (): PaintWorker => {
    const started = startWorker();
    started.addEventListener('message', receive);
    // The worker could not be loaded, it threw, or its answer could not be read.
    started.addEventListener('error', end);
    started.addEventListener('messageerror', end);
    return started;
  };

  const ask = (request: PaintRequest): Promise<ImageBitmap | undefined> => {
    const { id, cell } = request;
    waiting.get(cell)?.settle(undefined);
    return new Promise((resolve) => {
      waiting.set(cell, { id, settle: resolve });
      try {
        worker ??= start();
        worker.postMessage(request);
      } catch {
        settle(cell);
      }
    });
  };

  return {
    paint(cell, frame, pipeline) {
      const id = ++lastId;
      const name = names.get(frame) ?? id;
      names.set(frame, name);
      const isKnown = sent.get(cell) === name;
      sent.set(cell, name);
      return ask({ kind: 'frame', id, cell, frame: isKnown ? undefined : frame, pipeline });
    },
    color: (cell, bitmap, look) => ask({ kind: 'picture', id: ++lastId, cell, bitmap, look }),
    close: end,
  };
}
