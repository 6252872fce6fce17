import type { GrayFrame } from './loadedFrame.ts';
import { createGrayPainter } from './paintGray.ts';
import type { PaintAnswer, PaintRequest } from './paintMessages.ts';

const painter = createGrayPainter();
const frames = new Map<string, GrayFrame>();

addEventListener('message', ({ data }: MessageEvent<PaintRequest>) => {
  void paint(data);
});

async function paint({ id, cell, frame = frames.get(cell), pipeline }: PaintRequest): Promise<void> {
  if (frame === undefined) return;
  frames.set(cell, frame);
  const pixels = painter.paintWhole(frame, pipeline);
  const data = new ImageData(new Uint8ClampedArray(pixels.buffer), frame.columns, frame.rows);
  const bitmap = await createImageBitmap(data);
  const answer: PaintAnswer = { id, cell, bitmap };
  postMessage(answer, { transfer: [bitmap] });
}
