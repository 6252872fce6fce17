import type { Context } from 'hono';
import { ENDPOINTS } from '../../../shared/contract/endpoints.ts';
import { HEADER } from '../../../shared/contract/headers.ts';
import type { AppliedWindow } from '../../../shared/presentation.ts';
import type { FrameOptions } from '../../pixels/frames.ts';
import type { DisplayFrame, PackedFrame, RawFrame } from '../../pixels/frameTasks.ts';
import type { TaskPriority } from '../../workers/task.ts';
import { acceptsEncoding } from '../acceptsEncoding.ts';
import { parsePathNumber } from '../parsePath.ts';
import { parsePriority } from '../parsePriority.ts';
import { parseQuery } from '../parseQuery.ts';
import { createSendBytes } from '../sendBytes.ts';
import type { ServerContext } from '../serverContext.ts';
import type { Handler } from './handler.ts';

export function frameRoutes({ catalog, frames }: ServerContext) {
  const sendBytes = createSendBytes(frames.memory.responseBytes);
  const sendPicture = (c: Context, picture: DisplayFrame & { readonly cached: boolean }) => {
    const { bytes, mediaType, window, cached } = picture;
    return sendBytes(c, bytes, { 'Content-Type': mediaType, ...cacheHeader(cached), ...windowHeaders(window) });
  };
  const displayFrame: Handler = async (c) => {
    const { index, frame } = parseFrameAddress(c);
    const query = parseQuery(ENDPOINTS.displayFrame.query, c);
    return sendPicture(c, await frames.display(catalog.get(index), frame, query, new RequestOptions(c)));
  };
  const rawFrame: Handler = async (c) => {
    const { index, frame } = parseFrameAddress(c);
    const { filter } = parseQuery(ENDPOINTS.rawFrame.query, c);
    const file = catalog.get(index);
    if (filter === 'predicted' && acceptsEncoding(c.req.header('accept-encoding'), 'gzip')) {
      const packed = await frames.packed(file, frame, new RequestOptions(c));
      return sendBytes(c, packed.bytes, { ...rawHeaders(packed), ...packedHeaders(packed) });
    }
    const raw = await frames.raw(file, frame, new RequestOptions(c));
    return sendBytes(c, raw.bytes, rawHeaders(raw));
  };
  const thumbnail: Handler = async (c) => {
    const { index, frame } = parseFrameAddress(c);
    const { size = 128, ...window } = parseQuery(ENDPOINTS.thumbnail.query, c);
    const file = catalog.get(index);
    return sendPicture(c, await frames.thumbnail(file, frame, { size, ...window }, new RequestOptions(c)));
  };
  return { displayFrame, rawFrame, thumbnail };
}

function parseFrameAddress(c: Context): { index: number; frame: number } {
  return { index: parsePathNumber(c, 'index'), frame: parsePathNumber(c, 'frame') };
}

/**
 * The signal of a request takes time to make, so it is made when it is asked for. A class, because every getter of an
 * object literal is a shape of its own, and V8 keeps the shapes, with the whole requests behind them, for long.
 */
class RequestOptions implements FrameOptions {
  readonly priority: TaskPriority;
  readonly #c: Context;

  constructor(c: Context) {
    this.priority = parsePriority(c.req.header('priority'));
    this.#c = c;
  }

  get signal(): AbortSignal {
    return this.#c.req.raw.signal;
  }
}

function cacheHeader(cached: boolean): Record<string, string> {
  return { [HEADER.cache]: cached ? 'HIT' : 'MISS' };
}

function windowHeaders(window: AppliedWindow | undefined): Record<string, string> {
  if (window === undefined) return {};
  return {
    [HEADER.windowCenter]: String(window.center),
    [HEADER.windowWidth]: String(window.width),
    [HEADER.windowApplied]: window.applied,
  };
}

function packedHeaders({ isPredicted }: PackedFrame): Record<string, string> {
  return {
    'Content-Encoding': 'gzip',
    Vary: 'Accept-Encoding',
    ...(isPredicted && { [HEADER.filter]: 'predicted' }),
  };
}

function rawHeaders(raw: RawFrame & { readonly cached: boolean }): Record<string, string> {
  const { defaultWindow, padding, voiLutFunction } = raw;
  return {
    'Content-Type': 'application/octet-stream',
    ...cacheHeader(raw.cached),
    [HEADER.rows]: String(raw.rows),
    [HEADER.columns]: String(raw.columns),
    [HEADER.bitsAllocated]: String(raw.bitsAllocated),
    [HEADER.pixelRepresentation]: String(raw.pixelRepresentation),
    [HEADER.samplesPerPixel]: String(raw.samplesPerPixel),
    [HEADER.photometricInterpretation]: raw.photometricInterpretation,
    [HEADER.rescaleSlope]: String(raw.rescaleSlope),
    [HEADER.rescaleIntercept]: String(raw.rescaleIntercept),
    [HEADER.sampleKind]: raw.sampleKind,
    [HEADER.presentation]: raw.presentation,
    ...(voiLutFunction && { [HEADER.voiLutFunction]: voiLutFunction }),
    ...(defaultWindow && {
      [HEADER.defaultWindowCenter]: String(defaultWindow.center),
      [HEADER.defaultWindowWidth]: String(defaultWindow.width),
    }),
    ...(padding && {
      [HEADER.paddingLow]: String(padding.low),
      [HEADER.paddingHigh]: String(padding.high),
    }),
  };
}
