import type { GrayFrame } from './loadedFrame.ts';
import type { GrayLook, PaintPipeline } from './paintGray.ts';
import type { PaintAnswer, PaintRequest } from './paintMessages.ts';

/** Paints frames of many pixels in a worker, so that the page never stands still for them. */
export interface LargeFramePainter {
  /** The whole frame through a window. Only the latest of several requests for one cell is answered. */
  paint(cell: string, frame: GrayFrame, pipeline: PaintPipeline): Promise<ImageBitmap | undefined>;
  /** A gray picture in other colors; likewise. */
  color(cell: string, bitmap: ImageBitmap, look: GrayLook): Promise<ImageBitmap | undefined>;
  close(): void;
}

type Waiting = { readonly id: number; readonly settle: (bitmap: ImageBitmap | undefined) => void };

/** The worker starts with the first large frame. */
export function createLargeFramePainter(startWorker: () => Worker): LargeFramePainter {
  let worker: Worker | undefined;
  let lastId = 0;
  const waiting = new Map<string, Waiting>();
  const names = new WeakMap<GrayFrame, number>();
  /** What the worker keeps: one frame a cell. */
  const sent = new Map<string, number>();

  const receive = ({ data }: MessageEvent<PaintAnswer>) => {
    const asked = waiting.get(data.cell);
    if (asked?.id !== data.id) {
      data.bitmap.close();
      return;
    }
    waiting.delete(data.cell);
    asked.settle(data.bitmap);
  };

  const ask = (request: PaintRequest): Promise<ImageBitmap | undefined> => {
    if (worker === undefined) {
      worker = startWorker();
      worker.addEventListener('message', receive);
    }
    const { id, cell } = request;
    waiting.get(cell)?.settle(undefined);
    return new Promise((settle) => {
      waiting.set(cell, { id, settle });
      worker?.postMessage(request);
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
    close() {
      worker?.terminate();
      for (const { settle } of waiting.values()) settle(undefined);
      waiting.clear();
    },
  };
}
