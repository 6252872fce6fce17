import { startWorker } from '../../../kit/loading/startWorker.ts';
// oxlint-disable-next-line import/default -- the bundler creates it: the URL of the built worker
import videoWorkerUrl from './video.worker.ts?worker&url';
import { completeHeaders } from '../../../kit/api/send.ts';
import type { VideoAddress, VideoAnswer, VideoFacts, VideoRequest } from './videoMessages.ts';

/** Decodes videos in a thread of its own, so that a damaged stream cannot stop the page. */
export interface VideoThread {
  open(fileIndex: number, signal: AbortSignal): Promise<VideoFacts>;
  readFrame(
    address: { readonly fileIndex: number; readonly frame: number },
    options: { readonly isPrefetch?: boolean; readonly signal: AbortSignal },
  ): Promise<ImageBitmap>;
  close(): void;
}

/** This browser will never decode the stream. */
export class UndecodableVideo extends Error {
  override readonly name = 'UndecodableVideo';
}

type Waiting = { readonly settle: (answer: VideoAnswer) => void; readonly fail: (error: Error) => void };

export function createVideoThread(): VideoThread {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let lastId = 0;

  const end = (reason: string) => {
    worker?.terminate();
    worker = undefined;
    for (const { fail } of waiting.values()) fail(new Error(reason));
    waiting.clear();
  };
  const start = (): Worker => {
    const started = startWorker(videoWorkerUrl);
    started.addEventListener('message', ({ data }: MessageEvent<VideoAnswer>) => {
      const receiver = waiting.get(data.id);
      waiting.delete(data.id);
      if (receiver !== undefined) receiver.settle(data);
      else if (data.kind === 'frame') data.bitmap.close();
    });
    started.addEventListener('error', () => end('the thread that decodes the video has failed'));
    return started;
  };

  const ask = (request: VideoRequest, signal: AbortSignal): Promise<VideoAnswer> =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const thread = (worker ??= start());
      const { id } = request;
      const stop = () => {
        waiting.delete(id);
        thread.postMessage({ kind: 'cancel', id } satisfies VideoRequest);
        reject(signal.reason);
      };
      signal.addEventListener('abort', stop, { once: true });
      const settle = (answer: VideoAnswer) => {
        signal.removeEventListener('abort', stop);
        if (answer.kind !== 'failed') resolve(answer);
        else reject(answer.isForGood ? new UndecodableVideo(answer.message) : new Error(answer.message));
      };
      waiting.set(id, { settle, fail: reject });
      thread.postMessage(request);
    });

  return {
    async open(fileIndex, signal) {
      const answer = await ask({ kind: 'open', id: (lastId += 1), video: addressOf(fileIndex) }, signal);
      if (answer.kind !== 'open') throw new Error('the thread of the video gave another answer');
      return answer.facts;
    },
    async readFrame({ fileIndex, frame }, { isPrefetch = false, signal }) {
      const video = addressOf(fileIndex);
      const answer = await ask({ kind: 'frame', id: (lastId += 1), video, frame, isUrgent: !isPrefetch }, signal);
      if (answer.kind !== 'frame') throw new Error('the thread of the video gave another answer');
      return answer.bitmap;
    },
    close: () => end('the files of the server have changed'),
  };
}

/** Absolute, because a worker would find a relative address beside its own script. */
function addressOf(fileIndex: number): VideoAddress {
  const url = new URL(`api/file/${fileIndex}/video`, document.baseURI).href;
  return { fileIndex, url, headers: Object.fromEntries(completeHeaders()) };
}
