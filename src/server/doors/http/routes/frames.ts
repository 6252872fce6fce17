import { ENDPOINTS } from '../../../../shared/contract/endpoints.ts';
import { ViewerError } from '../../../../shared/contract/errors.ts';
import { HEADER } from '../../../../shared/contract/headers.ts';
import { type FrameDamage, formatFrameDamage } from '../../../../shared/frameDamage.ts';
import type { PercentilesResponse } from '../../../../shared/contract/percentiles.ts';
import type { AppliedWindow } from '../../../../shared/presentation.ts';
import type { DicomFile } from '../../../images/catalog/dicomFile.ts';
import type { FrameOptions } from '../../../images/pixels/frames.ts';
import type { DisplayFrame, PackedFrame, RawFrame } from '../../../images/pixels/frameTasks.ts';
import type { AppliedState } from '../../../images/pixels/presentation/readStateLook.ts';
import type { TaskPriority } from '../../../machine/workers/task.ts';
import { acceptsEncoding, sendJson } from '../sendJson.ts';
import type { HeaderList } from '../answer.ts';
import type { Exchange } from '../exchange.ts';
import { parsePathNumber, parsePriority, parseQuery } from '../parseRequest.ts';
import { createSendBytes } from '../sendBytes.ts';
import type { Handler, ServerContext } from '../serverContext.ts';

export function frameRoutes({ catalog, frames, memory }: ServerContext) {
  const sendBytes = createSendBytes(memory.answers);
  const sendPicture = (c: Exchange, picture: DisplayFrame & { readonly cached: boolean }) => {
    const { bytes, mediaType, window, cached, damage, outOfRange } = picture;
    const headers = [
      cacheHeader(cached),
      ...windowHeaders(window),
      ...damageHeaders(damage),
      ...rangeHeaders(outOfRange),
    ];
    return sendBytes(c, bytes, [['Content-Type', mediaType], ...headers]);
  };
  const displayFrame: Handler = async (c) => {
    const { index, frame } = parseFrameAddress(c);
    const { presentation, ...query } = parseQuery(ENDPOINTS.displayFrame.query, c);
    const file = catalog.get(index);
    const state = presentation === undefined ? undefined : toAppliedState(catalog.get(presentation), file);
    return sendPicture(c, await frames.display(file, frame, { ...query, state }, new RequestOptions(c)));
  };
  const rawFrame: Handler = async (c) => {
    const { index, frame } = parseFrameAddress(c);
    const { filter } = parseQuery(ENDPOINTS.rawFrame.query, c);
    const file = catalog.get(index);
    if (filter === 'predicted' && acceptsEncoding(c.header('accept-encoding'), 'gzip')) {
      const packed = await frames.packed(file, frame, new RequestOptions(c));
      return sendBytes(c, packed.bytes, [...rawHeaders(packed), ...packedHeaders(packed)]);
    }
    const raw = await frames.raw(file, frame, new RequestOptions(c));
    return sendBytes(c, raw.bytes, rawHeaders(raw));
  };
  const rawPixel: Handler = async (c) => {
    const { index, frame } = parseFrameAddress(c);
    const { row, column } = parseQuery(ENDPOINTS.rawPixel.query, c);
    const raw = await frames.raw(catalog.get(index), frame, new RequestOptions(c));
    return sendBytes(c, bytesOfPixel(raw, row, column), rawHeaders({ ...raw, rows: 1, columns: 1 }));
  };
  const thumbnail: Handler = async (c) => {
    const { index, frame } = parseFrameAddress(c);
    const { size = 128, ...window } = parseQuery(ENDPOINTS.thumbnail.query, c);
    const file = catalog.get(index);
    return sendPicture(c, await frames.thumbnail(file, frame, { size, ...window }, new RequestOptions(c)));
  };
  const percentiles: Handler = async (c) => {
    const { index, frame } = parseFrameAddress(c);
    const { values, count, hasOwnVoi, voiLutFunction, grain } = await frames.percentiles(
      catalog.get(index),
      frame,
      new RequestOptions(c),
    );
    const body: PercentilesResponse = {
      file_index: index,
      frame_index: frame,
      count,
      percentiles: [...values],
      has_own_voi: hasOwnVoi,
      voi_lut_function: voiLutFunction ?? null,
      grain,
    };
    return sendJson(c, body);
  };
  return { displayFrame, rawFrame, rawPixel, thumbnail, percentiles };
}

function toAppliedState(state: DicomFile, { sopInstanceUid, seriesInstanceUid }: DicomFile): AppliedState {
  if (state.objectKind !== 'presentation_state') {
    throw new ViewerError('bad_request', `file ${state.index} is no presentation state`);
  }
  return { source: state.source, sopInstanceUid, seriesInstanceUid };
}

/** Returns a copy, because the frame belongs to a cache. */
function bytesOfPixel({ bytes, rows, columns }: RawFrame, row: number, column: number): Uint8Array {
  if (row >= rows || column >= columns) {
    throw new ViewerError(
      'invalid_query',
      `row ${row}, column ${column} is outside the ${rows} rows and ${columns} columns of the image`,
    );
  }
  const length = bytes.length / (rows * columns);
  const start = (row * columns + column) * length;
  return bytes.slice(start, start + length);
}

function parseFrameAddress(c: Exchange): { index: number; frame: number } {
  return { index: parsePathNumber(c, 'index'), frame: parsePathNumber(c, 'frame') };
}

/**
 * Creating the signal of a request takes time, so it is created on first access. This is a class because each object
 * literal with a getter would get its own shape, and V8 keeps these shapes, and the requests they refer to, for a long
 * time.
 */
export class RequestOptions implements FrameOptions {
  readonly priority: TaskPriority;
  readonly #c: Exchange;

  constructor(c: Exchange) {
    this.priority = parsePriority(c.header('priority'));
    this.#c = c;
  }

  get signal(): AbortSignal {
    return this.#c.signal;
  }
}

function cacheHeader(cached: boolean): HeaderList[number] {
  return [HEADER.cache, cached ? 'HIT' : 'MISS'];
}

export function windowHeaders(window: AppliedWindow | undefined): HeaderList {
  if (window === undefined) return [];
  return [
    [HEADER.windowCenter, window.center],
    [HEADER.windowWidth, window.width],
    [HEADER.windowApplied, window.applied],
  ];
}

export function damageHeaders(damage: FrameDamage | undefined): HeaderList {
  return damage === undefined ? [] : [[HEADER.damage, formatFrameDamage(damage)]];
}

function rangeHeaders(outOfRange = 0): HeaderList {
  return outOfRange === 0 ? [] : [[HEADER.outOfRange, outOfRange]];
}

export function packedHeaders({ isPredicted }: Pick<PackedFrame, 'isPredicted'>): HeaderList {
  const encoding = [
    ['Content-Encoding', 'gzip'],
    ['Vary', 'Accept-Encoding'],
  ] as const;
  return isPredicted ? [...encoding, [HEADER.filter, 'predicted']] : encoding;
}

export function rawHeaders(raw: RawFrame & { readonly cached: boolean }): HeaderList {
  const { defaultWindow, padding, voiLutFunction } = raw;
  const headers: HeaderList[number][] = [
    ['Content-Type', 'application/octet-stream'],
    cacheHeader(raw.cached),
    [HEADER.rows, raw.rows],
    [HEADER.columns, raw.columns],
    [HEADER.bitsAllocated, raw.bitsAllocated],
    [HEADER.pixelRepresentation, raw.pixelRepresentation],
    [HEADER.samplesPerPixel, raw.samplesPerPixel],
    [HEADER.photometricInterpretation, raw.photometricInterpretation],
    [HEADER.rescaleSlope, raw.rescaleSlope],
    [HEADER.rescaleIntercept, raw.rescaleIntercept],
    [HEADER.sampleKind, raw.sampleKind],
    [HEADER.presentation, raw.presentation],
  ];
  headers.push(...damageHeaders(raw.damage), ...rangeHeaders(raw.outOfRange));
  if (voiLutFunction) headers.push([HEADER.voiLutFunction, voiLutFunction]);
  if (defaultWindow) {
    headers.push([HEADER.defaultWindowCenter, defaultWindow.center], [HEADER.defaultWindowWidth, defaultWindow.width]);
  }
  if (padding) headers.push([HEADER.paddingLow, padding.low], [HEADER.paddingHigh, padding.high]);
  return headers;
}
