import { stat } from 'node:fs/promises';
import { type ByteCache, createByteCache } from '../../shared/byteCache.ts';
import type { WindowChoice } from '../../shared/chooseVoi.ts';
import { ViewerError } from '../../shared/contract/errors.ts';
import { type FileIdentity, isSameFile } from '../dicom/byteSource.ts';
import type { Task, TaskPriority, TaskRunner } from '../workers/task.ts';
import { type Admission, createAdmission, type MemoryBudget } from './admission.ts';
import { decodeBytesOf, decodeTimeoutMs, type FrameShape } from './decodeCost.ts';
import { explainTaskError } from './explainTaskError.ts';
import {
  type DisplayFrame,
  displayFrameTask,
  type FrameRequest,
  type RawFrame,
  rawFrameTask,
  thumbnailTask,
} from './frameTasks.ts';

/** What must be known of a file to get one of its frames. */
export type FrameFile = FrameShape & {
  /** Without symbolic links. */
  readonly realPath: string;
  readonly identity: FileIdentity;
  readonly hasPixels: boolean;
  readonly pixelAspectRatio: number | undefined;
};

/** The window parameters of a request, as numbers; undefined where the request has none. */
export type WindowQuery = {
  readonly wc?: number | undefined;
  readonly ww?: number | undefined;
  readonly mode?: 'default' | 'full_dynamic' | undefined;
};

export type FrameOptions = {
  readonly signal?: AbortSignal | undefined;
  readonly priority?: TaskPriority | undefined;
};

type Thumbnail = { readonly png: Uint8Array };
/** Whether it came out of a cache. */
type Cached = { readonly cached: boolean };

/** Frames of files, decoded in workers and kept as long as memory allows. Frames count from 0. */
export type Frames = {
  readonly display: (
    file: FrameFile,
    frame: number,
    query: WindowQuery,
    options?: FrameOptions,
  ) => Promise<DisplayFrame & Cached>;
  readonly raw: (file: FrameFile, frame: number, options?: FrameOptions) => Promise<RawFrame & Cached>;
  /** A PNG whose longer edge has at most `size` pixels. */
  readonly thumbnail: (
    file: FrameFile,
    frame: number,
    size: number,
    options?: FrameOptions,
  ) => Promise<Thumbnail & Cached>;
};

export function createFrames({ tasks, memory }: { readonly tasks: TaskRunner; readonly memory: MemoryBudget }): Frames {
  const context: Context = { tasks, admission: createAdmission(memory.decodeBytes) };
  const displays = createByteCache<DisplayFrame>(memory.displayCacheBytes);
  const raws = createByteCache<RawFrame>(memory.rawCacheBytes);
  const thumbnails = createByteCache<Thumbnail>(memory.thumbnailCacheBytes);

  return {
    async display(file, frame, query, options = {}) {
      checkFrame(file, frame);
      const choice = toWindowChoice(query);
      const input = { ...requestOf(file, frame), choice, pixelAspectRatio: file.pixelAspectRatio };
      return getOrRun(
        context,
        { file, frame, options },
        {
          cache: displays,
          key: keyOf(file, frame, 'display', query.mode ?? 'default', query.wc, query.ww),
          bytesOf: ({ png }) => png.length,
          produce: (run) => run(displayFrameTask, input),
        },
      );
    },
    async raw(file, frame, options = {}) {
      checkFrame(file, frame);
      return getOrRun(
        context,
        { file, frame, options },
        {
          cache: raws,
          key: keyOf(file, frame, 'raw'),
          bytesOf: ({ bytes }) => bytes.length,
          produce: (run) => run(rawFrameTask, requestOf(file, frame)),
        },
      );
    },
    async thumbnail(file, frame, size, options = {}) {
      checkFrame(file, frame);
      const input = { ...requestOf(file, frame), size, pixelAspectRatio: file.pixelAspectRatio };
      return getOrRun(
        context,
        { file, frame, options },
        {
          cache: thumbnails,
          key: keyOf(file, frame, 'thumbnail', size),
          bytesOf: ({ png }) => png.length,
          produce: async (run) => ({ png: await run(thumbnailTask, input) }),
        },
      );
    },
  };
}

/** The explicit pair needs both of its numbers. The route has already refused what is no number at all. */
export function toWindowChoice({ wc, ww, mode }: WindowQuery): WindowChoice {
  if ((wc === undefined) !== (ww === undefined)) {
    throw new ViewerError('invalid_window', 'wc and ww go together: give both or neither');
  }
  if (wc !== undefined && !Number.isFinite(wc))
    throw new ViewerError('invalid_window', `wc ${wc} is not a finite number`);
  if (ww !== undefined && !(ww > 0 && ww < Infinity)) {
    throw new ViewerError('invalid_window', `ww ${ww} is not a finite number above 0`);
  }
  if (mode === 'full_dynamic') return { kind: 'full_dynamic' };
  return wc === undefined || ww === undefined ? { kind: 'default' } : { kind: 'explicit', center: wc, width: ww };
}

export function checkFrame({ hasPixels, frameCount }: FrameFile, frame: number): void {
  if (!hasPixels) throw new ViewerError('no_pixel_data', 'the file has no pixel data');
  if (frame < frameCount) return;
  const bound = frameCount === 0 ? 'the file has no whole frame' : `frame ${frame} is outside 0 to ${frameCount - 1}`;
  throw new ViewerError('frame_out_of_range', bound);
}

type Context = { readonly tasks: TaskRunner; readonly admission: Admission };
type Wanted = { readonly file: FrameFile; readonly frame: number; readonly options: FrameOptions };
type Run = <Input, Output>(task: Task<Input, Output>, input: Input) => Promise<Output>;

type Product<Value> = {
  readonly cache: ByteCache<Value>;
  readonly key: string;
  readonly bytesOf: (value: Value) => number;
  readonly produce: (run: Run) => Promise<Value>;
};

async function getOrRun<Value extends object>(
  { tasks, admission }: Context,
  { file, frame, options }: Wanted,
  { cache, key, bytesOf, produce }: Product<Value>,
): Promise<Value & Cached> {
  const known = cache.get(key);
  if (known !== undefined) {
    await checkUnchanged(file);
    return { ...known, cached: true };
  }
  const { signal, priority = 'interactive' } = options;
  const run: Run = (task, input) =>
    tasks.run(task, input, {
      priority,
      timeoutMs: decodeTimeoutMs(file),
      // Without the window: it is the frame that kills a decoder.
      key: keyOf(file, frame),
      shareKey: key,
      ...(signal !== undefined && { signal }),
    });
  const value = await admission.reserve({ bytes: decodeBytesOf(file), priority, signal }, async () => {
    // Somebody else may have asked for the same while this one waited.
    const meanwhile = cache.get(key);
    if (meanwhile !== undefined) return meanwhile;
    try {
      return await produce(run);
    } catch (error) {
      throw explainTaskError(error, frame);
    }
  });
  cache.set(key, value, bytesOf(value));
  return { ...value, cached: false };
}

/** A file in another state has other keys, so what was kept of the old one is never found again. */
function keyOf({ realPath, identity }: FrameFile, frame: number, ...more: readonly unknown[]): string {
  const { dev, ino, size, mtimeMs } = identity;
  return [realPath, dev, ino, size, mtimeMs, frame, ...more].join('\0');
}

function requestOf({ realPath, identity }: FrameFile, frame: number): FrameRequest {
  return { file: { path: realPath, identity }, frame };
}

async function checkUnchanged({ realPath, identity }: FrameFile): Promise<void> {
  try {
    const { dev, ino, size, mtimeMs } = await stat(realPath);
    if (isSameFile({ dev, ino, size, mtimeMs }, identity)) return;
  } catch (error) {
    throw new ViewerError('file_gone', 'the file is no longer there', { cause: error });
  }
  throw new ViewerError('file_gone', 'the file has changed since it was scanned');
}
