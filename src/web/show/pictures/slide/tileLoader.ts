import { ConnectionLost } from '../../../kit/api/send.ts';
import { createLoader, type Loader, type LoaderOptions } from '../../../kit/loading/createLoader.ts';
import { type FrameWish, keyOf } from '../frameLoader.ts';
import { bytesOf, closeFrame, type PictureFrame } from '../loadedFrame.ts';

/** Loads tiles for all slides of the page, in the order of the wishes. */
export type TileLoader = Loader<FrameWish, PictureFrame>;

export type TileLoaderOptions = Pick<LoaderOptions<FrameWish, PictureFrame>, 'load' | 'budgetBytes' | 'retryAfterMs'>;

/** The number of connections that a browser opens to a server over HTTP/1.1. */
const AT_ONCE = 6;
const PREFETCH_AT_ONCE = 3;

export function createTileLoader(options: TileLoaderOptions): TileLoader {
  return createLoader({
    ...options,
    keyOf,
    bytesOf,
    dispose: closeFrame,
    // Tiles around the screen must not evict those on it.
    prefetchShare: 1 / 4,
    // One view plans no more tiles than fit, but those of many slides together may exceed what the page can hold.
    keepsWanted: false,
    // An unreachable server says nothing about the tile.
    isTransient: (error) => error instanceof ConnectionLost,
    pace: {
      admits: (_, { flights }) => flights.length < AT_ONCE,
      admitsPrefetch: ({ flights }) => flights.length < PREFETCH_AT_ONCE,
      keepsUnwanted: () => false,
    },
  });
}
