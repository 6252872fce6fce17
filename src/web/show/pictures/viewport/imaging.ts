import { createLink, watchLink } from '../../../kit/api/link.ts';
import { definePart } from '../../../kit/state/page.ts';
import type { Imaging } from './createViewport.ts';
import { createFrameLoader } from '../frameLoader.ts';
import { createGpuPath } from './gpuPath.ts';
import { createLargeFramePainter } from './largeFrames.ts';
import { loadFrame } from '../loadFrame.ts';
import { createGrayPainter } from '../paintGray.ts';
import { startPaintWorker } from './startPaintWorker.ts';

/** Frames, tables and the worker, shared by all viewports of a page. */
export const imagingOf = definePart((page): Imaging => {
  const link = createLink();
  watchLink(link);
  const loader = createFrameLoader({
    load: (wish, options) => loadFrame(wish, { ...options, isThin: link.isThin() }),
    budgetBytes: planCacheBytes(),
    link,
  });
  page.onRestartFirst(() => loader.clear());
  return {
    loader,
    painter: createGrayPainter(),
    largeFrames: createLargeFramePainter(startPaintWorker),
    gpu: createGpuPath(),
  };
});

/** A sixteenth of the memory that the browser reports, which is 8 GiB at most; 512 MiB where it reports none. */
function planCacheBytes(): number {
  const gibibytes = 'deviceMemory' in navigator ? Number(navigator.deviceMemory) : 8;
  return Math.min(Math.max(gibibytes * 64, 128), 1024) * 2 ** 20;
}
