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
  const data = new ImageData(frame.columns, frame.rows);
  painter.paintWhole(frame, pipeline, new Uint32Array(data.data.buffer));
  const bitmap = await createImageBitmap(data);
  const answer: PaintAnswer = { id, cell, bitmap };
  postMessage(answer, { transfer: [bitmap] });
}
