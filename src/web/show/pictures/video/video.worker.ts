import { asError } from '../../../../shared/asError.ts';
import { openVideo, Undecodable, type VideoReader } from './openVideo.ts';
import type { VideoAddress, VideoAnswer, VideoRequest } from './videoMessages.ts';

/** Videos that stay open, each with a decoder and a part of its stream. */
const MOST_OPEN = 2;

/** By file, the least recently used first. */
const videos = new Map<number, Promise<VideoReader>>();
const running = new Map<number, AbortController>();

addEventListener('message', ({ data }: MessageEvent<VideoRequest>) => {
  if (data.kind === 'cancel') running.get(data.id)?.abort();
  else void answer(data);
});

type Asked = Exclude<VideoRequest, { kind: 'cancel' }>;

/** Every request is answered, because a rejected promise in a worker does not reach the page. */
async function answer(request: Asked): Promise<void> {
  const { id } = request;
  const controller = new AbortController();
  running.set(id, controller);
  try {
    const video = await keepOpen(request.video);
    controller.signal.throwIfAborted();
    if (request.kind === 'open') {
      send({ id, kind: 'open', facts: video.facts });
    } else {
      const { frame, isUrgent } = request;
      const bitmap = await video.read(frame, { isUrgent, signal: controller.signal });
      send({ id, kind: 'frame', bitmap }, [bitmap]);
    }
  } catch (error) {
    const message = asError(error).message;
    send({ id, kind: 'failed', message, isForGood: error instanceof Undecodable });
  } finally {
    running.delete(id);
  }
}

function keepOpen(address: VideoAddress): Promise<VideoReader> {
  const { fileIndex } = address;
  const video = videos.get(fileIndex) ?? openVideo(address);
  videos.delete(fileIndex);
  videos.set(fileIndex, video);
  // What failed is opened again when it is asked for again.
  video.catch(() => {
    if (videos.get(fileIndex) === video) videos.delete(fileIndex);
  });
  for (const [oldest, old] of [...videos].slice(0, -MOST_OPEN)) {
    videos.delete(oldest);
    void old.then((each) => each.close()).catch(() => undefined);
  }
  return video;
}

function send(message: VideoAnswer, transfer: Transferable[] = []): void {
  postMessage(message, { transfer });
}
