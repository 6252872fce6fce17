import {
  EncodedPacketSink,
  Input,
  type InputVideoTrack,
  MP4,
  QTFF,
  UrlSource,
  type VideoSample,
  VideoSampleSink,
} from 'mediabunny';
import { MOST_VIDEO_FRAMES } from '../../../../shared/videoFrames.ts';
import { chooseFrame, findFrameAt, isReachedByGoingOn } from './frameTimes.ts';
import type { VideoAddress, VideoFacts } from './videoMessages.ts';

/** A stream whose frames are decoded on request, in a worker. */
export interface VideoReader {
  readonly facts: VideoFacts;
  /** The frame as a bitmap of as many pixels as the stream has. */
  read(frame: number, options: { readonly isUrgent: boolean; readonly signal: AbortSignal }): Promise<ImageBitmap>;
  close(): void;
}

/** The browser does not decode the stream. */
export class Undecodable extends Error {
  override readonly name = 'Undecodable';
}

/** Parts of the stream that are kept. */
const KEPT_BYTES = 32 * 2 ** 20;

export async function openVideo({ url, headers }: VideoAddress): Promise<VideoReader> {
  const source = new UrlSource(url, {
    requestInit: { headers },
    maxCacheSize: KEPT_BYTES,
    // The page asks again, on request of the user.
    getRetryDelay: () => null,
    handleUnhandledError: () => undefined,
  });
  const input = new Input({ source, formats: [MP4, QTFF] });
  try {
    const track = await input.getPrimaryVideoTrack();
    if (track === null || !(await track.canDecode())) throw new Undecodable('this browser does not decode the video');
    const times = await listTimes(track);
    if (times.length === 0) throw new Undecodable('the video has no frames');
    await settleColors(track);
    return createReader(input, track, times, await findAspect(track));
  } catch (error) {
    input.dispose();
    throw error;
  }
}

/** The times of all frames in the order of display. Frames may have unequal times, so none is computed from a rate. */
async function listTimes(track: InputVideoTrack): Promise<Float64Array> {
  const times: number[] = [];
  for await (const packet of new EncodedPacketSink(track).packets(undefined, undefined, { metadataOnly: true })) {
    times.push(packet.timestamp);
    if (times.length >= MOST_VIDEO_FRAMES) break;
  }
  return Float64Array.from(times).toSorted();
}

type Wanted = {
  readonly frame: number;
  readonly isUrgent: boolean;
  readonly settle: (bitmap: ImageBitmap) => void;
  readonly fail: (error: unknown) => void;
};

function createReader(
  input: Input,
  track: InputVideoTrack,
  times: Float64Array,
  aspect: number | undefined,
): VideoReader {
  const sink = new VideoSampleSink(track);
  const wanted = new Set<Wanted>();
  let samples: AsyncGenerator<VideoSample, void, unknown> | undefined;
  /** The frame that `samples` yields next. */
  let next = 0;
  let isBusy = false;

  const work = async () => {
    if (isBusy) return;
    isBusy = true;
    for (let frame = chooseFrame(wanted, next); frame !== undefined; frame = chooseFrame(wanted, next)) {
      try {
        await decodeUpTo(frame);
      } catch (error) {
        await restart(undefined);
        for (const one of [...wanted].filter((each) => each.frame === frame)) one.fail(error);
      }
    }
    isBusy = false;
  };

  const restart = async (frame: number | undefined) => {
    await samples?.return().catch(() => undefined);
    samples = frame === undefined ? undefined : sink.samples(times[frame]);
    next = frame ?? 0;
  };

  /** Decodes until a frame is reached; frames on the way that are wanted as well are not decoded again. */
  const decodeUpTo = async (frame: number) => {
    if (samples === undefined || !isReachedByGoingOn(frame, next)) await restart(frame);
    for (;;) {
      const { value: sample, done } = await samples!.next();
      if (done === true || sample === undefined) throw new Error(`the video ends before frame ${frame + 1}`);
      const at = findFrameAt(times, sample.timestamp);
      next = at + 1;
      const takers = [...wanted].filter((one) => one.frame === at);
      try {
        for (const one of takers) one.settle(await toBitmap(sample));
      } finally {
        sample.close();
      }
      if (at === frame) return;
      if (at > frame) throw new Error(`frame ${frame + 1} of the video cannot be decoded`);
      // Nobody waits for it any more.
      if (![...wanted].some((one) => one.frame === frame)) return;
    }
  };

  return {
    facts: { frames: times.length, aspect },
    read(frame, { isUrgent, signal }) {
      return new Promise((resolve, reject) => {
        if (frame >= times.length) {
          reject(new Error(`the stream of the video has ${times.length} frames`));
          return;
        }
        const end = () => {
          wanted.delete(one);
          signal.removeEventListener('abort', cancel);
        };
        const one: Wanted = {
          frame,
          isUrgent,
          settle: (bitmap) => {
            end();
            resolve(bitmap);
          },
          fail: (error) => {
            end();
            reject(error);
          },
        };
        const cancel = () => one.fail(signal.reason);
        signal.addEventListener('abort', cancel);
        wanted.add(one);
        void work();
      });
    },
    close() {
      for (const one of wanted) one.fail(new Error('the video was closed'));
      input.dispose();
    },
  };
}

/** Streams of this height or more are HDTV, whose colors are those of BT.709. */
const HDTV_ROWS = 720;
const BT_601 = { primaries: 'smpte170m', transfer: 'smpte170m', matrix: 'smpte170m', fullRange: false } as const;
const BT_709 = { primaries: 'bt709', transfer: 'bt709', matrix: 'bt709', fullRange: false } as const;

/**
 * Settles how colors are coded, because the library assumes BT.709 for every file without a `colr` box. The stream itself
 * may say it; otherwise players assume BT.601 for small pictures, and so do we.
 */
async function settleColors(track: InputVideoTrack): Promise<void> {
  const config = await track.getDecoderConfig();
  if (config === null) return;
  const usual = (await track.getCodedHeight()) >= HDTV_ROWS ? BT_709 : BT_601;
  const own = { ...(await decodeFirst(track, config)), ...known(config.colorSpace) };
  const colorSpace = { ...usual, ...own };
  track.getDecoderConfig = async () => ({ ...config, colorSpace });
}

/** What the first frame says of its colors if nothing is said for it. */
async function decodeFirst(track: InputVideoTrack, config: VideoDecoderConfig): Promise<VideoColorSpaceInit> {
  const packet = await new EncodedPacketSink(track).getFirstPacket();
  if (packet === null) return {};
  let found: VideoColorSpaceInit = {};
  const decoder = new VideoDecoder({
    output: (frame) => {
      found = known(frame.colorSpace.toJSON());
      frame.close();
    },
    // A stream that cannot be decoded is reported when its frames are asked for; `flush` fails then as well.
    error: () => undefined,
  });
  try {
    decoder.configure(config);
    decoder.decode(packet.toEncodedVideoChunk());
    await decoder.flush();
  } catch {
    return {};
  } finally {
    if (decoder.state !== 'closed') decoder.close();
  }
  return found;
}

function known(colorSpace: VideoColorSpaceInit = {}): VideoColorSpaceInit {
  return Object.fromEntries(Object.entries(colorSpace).filter(([, value]) => value !== null && value !== undefined));
}

async function toBitmap(sample: VideoSample): Promise<ImageBitmap> {
  const picture = sample.toVideoFrame();
  try {
    const { width, height } = picture.visibleRect ?? { width: picture.codedWidth, height: picture.codedHeight };
    // Without a size, pixels that are not square would become more or fewer.
    return await createImageBitmap(picture, { resizeWidth: width, resizeHeight: height });
  } finally {
    picture.close();
  }
}

async function findAspect(track: InputVideoTrack): Promise<number | undefined> {
  const [width, height] = [await track.getCodedWidth(), await track.getCodedHeight()];
  const [squareWidth, squareHeight] = [await track.getSquarePixelWidth(), await track.getSquarePixelHeight()];
  const aspect = squareHeight / height / (squareWidth / width);
  return Number.isFinite(aspect) && aspect > 0 && Math.abs(aspect - 1) > 1e-3 ? aspect : undefined;
}
