import type { WindowChoice } from '../../../shared/chooseVoi.ts';
import { ViewerError } from '../../../shared/contract/errors.ts';
import type { SupportState } from '../../../shared/contract/files.ts';
import { keyOfSource, type KnownSource, stateOf } from '../../bytes/origins/origins.ts';
import type { MemoryAccount } from '../../machine/memory/memoryAccount.ts';
import { copyInTurns, type OwnCopy } from '../../machine/workers/copyInTurns.ts';
import type { Task, TaskRunner } from '../../machine/workers/task.ts';
import type { DecodedFrame } from './codecs/codec.ts';
import { type CostFactors, frameBytesOf, isUncompressed } from '../../standard/dicom/readCost.ts';
import { decodeCostOf } from './decodeCost.ts';
import { explainTaskError } from './explainTaskError.ts';
import {
  type DecodeCost,
  decodedPictureTask,
  type DisplayFrame,
  displayFrameTask,
  type DisplayRequest,
  type EncodedFrame,
  encodedFrameTask,
  type FramePercentiles,
  type FrameRequest,
  type PackedFrame,
  packedFrameTask,
  percentilesTask,
  type RawFrame,
  rawFrameTask,
  type StoredFrame,
  thumbnailTask,
} from './frameTasks.ts';
import { createKeptWork, type Wanted } from './keptWork.ts';
import { toRawFrame } from './packFrame.ts';
import type { AppliedState } from './presentation/readStateLook.ts';
import { INFLATE_LIMIT } from './support.ts';

/** The properties of a file that are needed to get one of its frames. */
export type FrameFile = CostFactors & {
  readonly source: KnownSource;
  readonly hasPixels: boolean;
  readonly supportState: SupportState;
  readonly supportReason?: string | undefined;
  readonly pixelAspectRatio: number | undefined;
};

/** The window parameters of a request as numbers; undefined if the request has none. */
export type WindowQuery = {
  readonly wc?: number | undefined;
  readonly ww?: number | undefined;
  readonly mode?: 'default' | 'full_dynamic' | undefined;
};

export type DisplayQuery = WindowQuery & {
  /** `source`: the stored JPEG if a browser renders it identically, otherwise PNG. */
  readonly format?: 'png' | 'source' | undefined;
  /** Whether the picture is shown only briefly. It is not cached, but a cached picture may be returned. */
  readonly preview?: boolean | undefined;
  /** The presentation state that decides how it looks, in place of the image; the window still comes first. */
  readonly state?: AppliedState | undefined;
};

export type ThumbnailChoice = WindowQuery & {
  readonly size: number;
  /** The quality of a JPEG, from 1 to 100; undefined: PNG. */
  readonly jpegQuality?: number | undefined;
};

export type FrameOptions = Wanted;

/** Whether the result came from a cache. */
type Cached = { readonly cached: boolean };

/** Frames of files, decoded in workers and cached as memory allows. Frames are counted from 0. */
export type Frames = {
  readonly display: (
    file: FrameFile,
    frame: number,
    query: DisplayQuery,
    options: FrameOptions,
  ) => Promise<DisplayFrame & Cached>;
  /** Not cached, because it is read from the file as it is. */
  readonly encoded: (file: FrameFile, frame: number, options: FrameOptions) => Promise<EncodedFrame>;
  readonly raw: (file: FrameFile, frame: number, options: FrameOptions) => Promise<RawFrame & Cached>;
  /** The same, compressed for a slow link. */
  readonly packed: (file: FrameFile, frame: number, options: FrameOptions) => Promise<PackedFrame & Cached>;
  /** A PNG or JPEG whose longer edge has at most `size` pixels. */
  readonly thumbnail: (
    file: FrameFile,
    frame: number,
    query: ThumbnailChoice,
    options: FrameOptions,
  ) => Promise<DisplayFrame & Cached>;
  /** Not cached, except for the frame decoded for it. */
  readonly percentiles: (file: FrameFile, frame: number, options: FrameOptions) => Promise<FramePercentiles>;
};

export function createFrames({
  tasks,
  memory,
}: {
  readonly tasks: TaskRunner;
  readonly memory: MemoryAccount;
}): Frames {
  const displays = createKeptWork<DisplayFrame>({
    cache: memory.cache('displayFrames'),
    bytesOf: ({ bytes }) => bytes.length,
  });
  const stored = createKeptWork<StoredFrame>({ cache: memory.cache('rawFrames'), bytesOf: bytesOfStored });
  const packed = createKeptWork<PackedFrame>({
    cache: memory.cache('packedFrames'),
    bytesOf: ({ bytes }) => bytes.length,
  });
  const thumbnails = createKeptWork<DisplayFrame>({
    cache: memory.cache('thumbnails'),
    bytesOf: ({ bytes }) => bytes.length,
  });

  const run = async <Input, Output>(
    task: Task<Input, Output, DecodeCost>,
    hand: () => Handed<Input> | Promise<Handed<Input>>,
    wanted: Run,
  ): Promise<Output> => {
    const { file, frame, signal, priority = 'interactive', shareKey } = wanted;
    const options = {
      priority,
      of: decodeCostOf(file, memory.plan.tasks),
      key: keyOf(keyOfSource(file.source), frame),
      shareKey,
      signal,
    };
    // A file that cannot be decoded needs no memory: the worker only reports the reason.
    const bytes = file.supportState === 'renderable' ? options.of.bytes : 0;
    try {
      return await memory.tasks.reserve({ bytes, priority, signal }, async () => {
        const { input, transfer = [] } = await hand();
        return tasks.run(task, input, { ...options, transfer });
      });
    } catch (error) {
      throw explainTaskError(error, frame);
    }
  };

  const decode = ({ file, state, frame }: StatedFrame, wanted: Wanted) => {
    const key = keyOf(state, frame, 'raw');
    return stored.get(key, wanted, (signal) =>
      run(rawFrameTask, () => ({ input: requestOf(file, frame) }), { ...wanted, file, frame, signal, shareKey: key }),
    );
  };

  /** All windows of a compressed frame share one decode. Reading an uncompressed frame is as fast as copying it. */
  const isDecodedOnce = (file: FrameFile) => !isUncompressed(file) && frameBytesOf(file) <= memory.plan.rawFrames / 2;

  /** Draws a frame. The thread that decodes it for the first window also draws that window. */
  const draw = async (
    { file, state, frame }: StatedFrame,
    request: Omit<DisplayRequest, 'decoded'>,
    wanted: Drawing,
  ): Promise<DisplayFrame> => {
    const drawn: { picture?: DisplayFrame | undefined } = {};
    const hand = () => ({ input: { ...request, decoded: undefined } });
    const decodeAndDraw = async (signal: AbortSignal) => {
      const shareKey = `${wanted.shareKey}\0decoded`;
      const made = await run(decodedPictureTask, hand, { ...wanted, file, frame, signal, shareKey });
      drawn.picture = made.picture;
      return made.stored;
    };
    const isKept = !request.isSourceWanted && isDecodedOnce(file);
    const kept = isKept ? await stored.get(keyOf(state, frame, 'raw'), wanted, decodeAndDraw) : undefined;
    if (drawn.picture !== undefined) return drawn.picture;
    return run(displayFrameTask, () => handDecoded(request, kept?.value.decoded), { ...wanted, file, frame });
  };

  return {
    async display(file, frame, query, wanted) {
      checkFrame(file, frame);
      const choice = parseWindowChoice(query);
      const isSourceWanted = query.format === 'source';
      if (isSourceWanted) checkWindowless(query);
      const state = await stateOf(file.source);
      const ofState = query.state === undefined ? '' : await stateOf(query.state.source);
      const key = keyOf(state, frame, 'display', isSourceWanted, ofState, ...keyOfWindow(query));
      const { pixelAspectRatio } = file;
      const request = { ...requestOf(file, frame), choice, isSourceWanted, pixelAspectRatio, state: query.state };
      const make = (signal: AbortSignal) => draw({ file, state, frame }, request, { ...wanted, signal, shareKey: key });
      if (query.preview && displays.find(key) === undefined) {
        return { ...(await make(wanted.signal ?? new AbortController().signal)), cached: false };
      }
      const { value, cached } = await displays.get(key, wanted, make);
      return { ...value, cached };
    },

    async encoded(file, frame, wanted) {
      checkFrame(file, frame);
      const signal = wanted.signal ?? new AbortController().signal;
      const shareKey = keyOf(await stateOf(file.source), frame, 'encoded');
      return run(encodedFrameTask, () => ({ input: requestOf(file, frame) }), {
        ...wanted,
        file,
        frame,
        signal,
        shareKey,
      });
    },

    async raw(file, frame, wanted) {
      checkFrame(file, frame);
      const { value, cached } = await decode({ file, state: await stateOf(file.source), frame }, wanted);
      return { ...toRawFrame(value), cached };
    },

    async packed(file, frame, wanted) {
      checkFrame(file, frame);
      const state = await stateOf(file.source);
      const key = keyOf(state, frame, 'packed');
      const { value, cached } = await packed.get(key, wanted, (signal) => {
        const hand = () => handStored(requestOf(file, frame), stored.find(keyOf(state, frame, 'raw')));
        return run(packedFrameTask, hand, { ...wanted, file, frame, signal, shareKey: key });
      });
      return { ...value, cached };
    },

    async thumbnail(file, frame, query, wanted) {
      checkFrame(file, frame);
      const choice = parseWindowChoice(query);
      const { size, jpegQuality } = query;
      const state = await stateOf(file.source);
      const key = keyOf(state, frame, 'thumbnail', size, jpegQuality, ...keyOfWindow(query));
      const { value, cached } = await thumbnails.get(key, wanted, async (signal) => {
        const decoded = isUncompressed(file) ? undefined : stored.find(keyOf(state, frame, 'raw'))?.decoded;
        const { pixelAspectRatio } = file;
        const request = { ...requestOf(file, frame), size, jpegQuality, choice, pixelAspectRatio };
        const hand = () => handDecoded(request, decoded);
        return run(thumbnailTask, hand, { ...wanted, file, frame, signal, shareKey: key });
      });
      return { ...value, cached };
    },

    async percentiles(file, frame, wanted) {
      checkFrame(file, frame);
      const state = await stateOf(file.source);
      // The client is about to request the frame itself.
      const decoded = isDecodedOnce(file) ? (await decode({ file, state, frame }, wanted)).value.decoded : undefined;
      const hand = () => handDecoded(requestOf(file, frame), decoded);
      const signal = wanted.signal ?? new AbortController().signal;
      return run(percentilesTask, hand, {
        ...wanted,
        file,
        frame,
        signal,
        shareKey: keyOf(state, frame, 'percentiles'),
      });
    },
  };
}

/** An explicit window needs both numbers. The route has already refused values that are not numbers. */
export function parseWindowChoice({ wc, ww, mode }: WindowQuery): WindowChoice {
  if ((wc === undefined) !== (ww === undefined)) {
    throw new ViewerError('invalid_window', 'wc and ww must be given together');
  }
  if (wc !== undefined && !Number.isFinite(wc))
    throw new ViewerError('invalid_window', `wc ${wc} is not a finite number`);
  if (ww !== undefined && !(ww > 0 && ww < Infinity)) {
    throw new ViewerError('invalid_window', `ww ${ww} is not a finite number above 0`);
  }
  if (mode === 'full_dynamic') return { kind: 'full_dynamic' };
  return wc === undefined || ww === undefined ? { kind: 'default' } : { kind: 'explicit', center: wc, width: ww };
}

function keyOfWindow({ wc, ww, mode = 'default' }: WindowQuery): readonly unknown[] {
  return [mode, wc, ww];
}

function checkWindowless({ wc, ww, mode, state }: DisplayQuery): void {
  if (wc === undefined && ww === undefined && mode === undefined && state === undefined) return;
  throw new ViewerError('invalid_query', 'format=source applies no window: omit wc, ww, mode and presentation');
}

export function checkFrame({ hasPixels, frameCount, supportReason }: FrameFile, frame: number): void {
  if (supportReason === 'pixel_data.inflate_limit') throw new ViewerError('decode_memory_exceeded', INFLATE_LIMIT);
  if (!hasPixels) throw new ViewerError('no_pixel_data', 'the file has no pixel data');
  if (frame < frameCount) return;
  const bound =
    frameCount === 0 ? 'the file has no complete frame' : `frame ${frame} is outside 0 to ${frameCount - 1}`;
  throw new ViewerError('frame_out_of_range', bound);
}

/** A frame of a file whose state was just determined. */
type StatedFrame = { readonly file: FrameFile; readonly state: string; readonly frame: number };

type Drawing = Wanted & { readonly signal: AbortSignal; readonly shareKey: string };

type Run = Drawing & { readonly file: FrameFile; readonly frame: number };

function bytesOfStored({ decoded: { samples, planes } }: StoredFrame): number {
  return planes.reduce((sum, plane) => sum + plane.byteLength, samples.byteLength);
}

/** The input of a worker, and the buffers whose ownership is transferred to it. */
type Handed<Input> = { readonly input: Input; readonly transfer?: readonly ArrayBuffer[] };

/** Adds a copy of the decoded frame, if it is cached. */
async function handDecoded<Request extends object>(request: Request, kept: DecodedFrame | undefined) {
  if (kept === undefined) return { input: { ...request, decoded: undefined } };
  const { decoded, transfer } = await copyFrame(kept);
  return { input: { ...request, decoded }, transfer };
}

async function handStored<Request extends object>(request: Request, kept: StoredFrame | undefined) {
  if (kept === undefined) return { input: { ...request, stored: undefined } };
  const { decoded, transfer } = await copyFrame(kept.decoded);
  return { input: { ...request, stored: { ...kept, decoded } }, transfer };
}

async function copyFrame(decoded: DecodedFrame) {
  const samples = await copyInTurns(decoded.samples);
  const planes: OwnCopy<Uint8Array>[] = [];
  for (const plane of decoded.planes) planes.push(await copyInTurns(plane));
  return {
    decoded: { ...decoded, samples: samples.copy, planes: planes.map(({ copy }) => copy) },
    transfer: [samples, ...planes].map(({ buffer }) => buffer),
  };
}

/** A changed file has other keys, so entries of its previous state are never found again. */
function keyOf(state: string, frame: number, ...more: readonly unknown[]): string {
  let key = `${state}\0${frame}`;
  for (const part of more) key += `\0${String(part)}`;
  return key;
}

function requestOf(file: FrameFile, frame: number): FrameRequest {
  return { file: file.source, frame };
}
