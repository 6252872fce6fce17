import type { GrayFrame } from '../loadedFrame.ts';
import { colorDrawn } from '../colorDrawn.ts';
import { createGrayPainter } from '../paintGray.ts';
import type { PaintAnswer, PaintRequest } from './paintMessages.ts';

const painter = createGrayPainter();
const frames = new Map<string, GrayFrame>();

addEventListener('message', ({ data }: MessageEvent<PaintRequest>) => {
  void paint(data);
});

/** Every request is answered, because a rejected promise in a worker does not reach the page. */
async function paint(request: PaintRequest): Promise<void> {
  const { id, cell } = request;
  const bitmap = await makeBitmap(request).catch(() => undefined);
  const answer: PaintAnswer = { id, cell, bitmap };
  postMessage(answer, { transfer: bitmap === undefined ? [] : [bitmap] });
}

async function makeBitmap(request: PaintRequest): Promise<ImageBitmap | undefined> {
  const data = request.kind === 'frame' ? paintFrame(request) : paintPicture(request);
  return data && createImageBitmap(data);
}

type RequestOf<Kind> = Extract<PaintRequest, { kind: Kind }>;

function paintFrame({ cell, frame = frames.get(cell), pipeline }: RequestOf<'frame'>): ImageData | undefined {
  if (frame === undefined) return undefined;
  frames.set(cell, frame);
  const data = new ImageData(frame.columns, frame.rows);
  painter.paintWhole(frame, pipeline, new Uint32Array(data.data.buffer));
  return data;
}

function paintPicture({ bitmap, look }: RequestOf<'picture'>): ImageData | undefined {
  const { width, height } = bitmap;
  const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
  context?.drawImage(bitmap, 0, 0);
  bitmap.close();
  return context === null ? undefined : colorDrawn(context, { width, height }, look);
}
