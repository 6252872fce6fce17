import type { FrameWish } from '../frameLoader.ts';
import { loadFrame } from '../loadFrame.ts';
import { definePart } from '../../../kit/state/page.ts';
import { createTileLoader } from './tileLoader.ts';

/** A 32nd of the memory that the browser reports, which is 8 GiB at most; between 128 and 512 MiB. */
export const TILE_BYTES = Math.min(Math.max(planGibibytes() * 32, 128), 512) * 2 ** 20;

/** The tile loader that all slides of a page share. */
export const tilesOf = definePart((page) => {
  const tiles = createTileLoader({ load: loadTile, budgetBytes: TILE_BYTES });
  page.onRestartFirst(() => tiles.clear());
  return tiles;
});

async function loadTile(wish: FrameWish, options: Parameters<typeof loadFrame>[1]) {
  const frame = await loadFrame(wish, options);
  if (frame.kind !== 'picture') throw new Error('the server sent samples instead of a picture of the tile');
  return frame;
}

function planGibibytes(): number {
  return 'deviceMemory' in navigator ? Number(navigator.deviceMemory) : 8;
}
