import { HEADER } from '../../../shared/contract/headers.ts';
import { damageHeaders } from './frames.ts';
import { parsePathNumber } from '../parsePath.ts';
import { createSendBytes } from '../sendBytes.ts';
import type { ServerContext } from '../serverContext.ts';
import type { Handler } from './handler.ts';

export function overlayRoutes({ catalog, memory, semantics }: ServerContext) {
  const sendBytes = createSendBytes(memory.answers);
  const segmentationOverlay: Handler = async (c) => {
    const index = parsePathNumber(c, 'index');
    const frame = parsePathNumber(c, 'frame');
    const { png, cached, damage } = await semantics.overlay(catalog.get(index), frame, { signal: c.req.raw.signal });
    return sendBytes(c, png, [
      ['Content-Type', 'image/png'],
      [HEADER.cache, cached ? 'HIT' : 'MISS'],
      ...damageHeaders(damage),
    ]);
  };
  return { segmentationOverlay };
}
