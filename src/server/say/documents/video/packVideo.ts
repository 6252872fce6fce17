import {
  BufferSource,
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  Input,
  type InputTrack,
  Mp4OutputFormat,
  MPEG_TS,
  Output,
} from 'mediabunny';
import { ViewerError } from '../../../../shared/contract/errors.ts';
import { findFrameTimeMs } from '../../../images/catalog/buildPixelInfo.ts';
import type { DataSet } from '../../../standard/dicom/dataSet.ts';
import { MOST_VALUES } from '../../../standard/dicom/mostValues.ts';
import * as Tag from '../../../standard/dicom/tag.ts';
import type { TaskContext } from '../../../machine/workers/serveTasks.ts';
import type { DocumentFile } from '../documentTasks.ts';
import { withVideo } from './findVideo.ts';
import { readMp4 } from './readMp4.ts';
import { splitH264 } from './splitH264.ts';
import { MOST_PACKED_BYTES, type PackedVideo } from './videoTasks.ts';

/** Implements `packVideoTask`: puts the packets of a stream into an MP4 file, as they are. */
export async function packVideo(file: DocumentFile, context: TaskContext): Promise<PackedVideo> {
  const { format, bytes, showTimes } = withVideo(file, ({ found, dataSet, read }) => {
    if (found.length > MOST_PACKED_BYTES) {
      throw new ViewerError(
        'document_too_large',
        `the video has ${found.length} bytes, and a stream of this form plays up to ${MOST_PACKED_BYTES}`,
      );
    }
    return { format: found.format, bytes: read(0, found.length), showTimes: readShowTimes(dataSet) };
  });
  const output = new Output({ format: new Mp4OutputFormat({ fastStart: 'in-memory' }), target: new BufferTarget() });
  const packed = await (
    format === 'ts' ? packTransportStream(bytes, output, context) : packPictures(bytes, output, showTimes, context)
  ).catch((error: unknown) => {
    context.throwIfCancelled();
    if (error instanceof ViewerError) throw error;
    // The library throws errors of all kinds for streams that it cannot read.
    throw new ViewerError('malformed_content', 'the stream of the video cannot be read', { cause: error });
  });
  const {
    codec,
    frames,
    frameTimeMs: shownMs,
  } = readMp4((at, length) => packed.subarray(at, at + length), packed.length);
  return { codec, frames, frameTimeMs: shownMs, bytes: context.transfer(packed) };
}

const USUAL_FRAME_TIME_MS = 40;

/** When the pictures of a bare stream are shown, which has no times of its own. */
type ShowTimes = {
  /** Of the first pictures, in milliseconds. */
  readonly startsMs: readonly number[];
  /** From one of the others to the next. */
  readonly frameTimeMs: number;
};

/** PS3.3 C.7.6.5.1: Frame Time, or a Frame Time Vector with the time between each picture and the one before. */
function readShowTimes(dataSet: DataSet): ShowTimes {
  const frameTimeMs = findFrameTimeMs(dataSet) ?? USUAL_FRAME_TIME_MS;
  const hasFrameTime = (dataSet.number(Tag.FrameTime) ?? 0) > 0;
  const increments = hasFrameTime ? [] : dataSet.numbers(Tag.FrameTimeVector, MOST_VALUES.frames);
  // The first picture is shown at once, whatever its increment says.
  const startsMs = increments.length === 0 ? [] : [0];
  for (const increment of increments.slice(1)) {
    // Two pictures at one time would be one for a player.
    const step = Number.isFinite(increment)
      ? Math.min(LONGEST_STEP_MS, Math.max(SHORTEST_STEP_MS, increment))
      : frameTimeMs;
    startsMs.push(startsMs.at(-1)! + step);
  }
  return { startsMs, frameTimeMs };
}

const SHORTEST_STEP_MS = 1;
const LONGEST_STEP_MS = 3_600_000;

/** The time at which a picture, counted from 0, is shown. */
function secondsOf({ startsMs, frameTimeMs }: ShowTimes, picture: number): number {
  const known = startsMs[picture];
  if (known !== undefined) return known / 1000;
  const last = picture < 0 ? 0 : Math.max(0, startsMs.length - 1);
  return ((startsMs[last] ?? 0) + (picture - last) * frameTimeMs) / 1000;
}

type BytesOutput = Output<Mp4OutputFormat, BufferTarget>;

async function packTransportStream(bytes: Uint8Array, output: BytesOutput, context: TaskContext) {
  const input = new Input({ source: new BufferSource(bytes), formats: [MPEG_TS] });
  const video = await input.getPrimaryVideoTrack();
  if (video === null || video.codec === null) {
    throw new ViewerError('unsupported_video', 'the transport stream has no video that browsers play, such as H.264');
  }
  const sound = await input.getPrimaryAudioTrack();
  // The times of a broadcast begin anywhere.
  const start = await video.getFirstTimestamp();
  const pictures = new EncodedVideoPacketSource(video.codec);
  output.addVideoTrack(pictures);
  const config = metaOf(await video.getDecoderConfig());
  const copies = [copyPackets(video, start, context, (packet) => pictures.add(packet, config))];
  if (sound?.codec === 'aac') {
    const sounds = new EncodedAudioPacketSource('aac');
    output.addAudioTrack(sounds);
    const soundConfig = metaOf(await sound.getDecoderConfig());
    copies.push(copyPackets(sound, start, context, (packet) => sounds.add(packet, soundConfig)));
  }
  await output.start();
  await Promise.all(copies.map((copy) => copy()));
  return finish(output);
}

function metaOf<Config>(decoderConfig: Config | null): { decoderConfig?: Config } {
  return decoderConfig === null ? {} : { decoderConfig };
}

function copyPackets(
  track: InputTrack,
  start: number,
  context: TaskContext,
  add: (packet: EncodedPacket) => Promise<void>,
): () => Promise<void> {
  return async () => {
    for await (const packet of new EncodedPacketSink(track).packets()) {
      context.throwIfCancelled();
      await add(packet.clone({ timestamp: Math.max(0, packet.timestamp - start) }));
    }
  };
}

/** The pictures of a bare stream, at the times that the object gives them. */
async function packPictures(bytes: Uint8Array, output: BytesOutput, showTimes: ShowTimes, context: TaskContext) {
  const { units, codec, width, height } = splitH264(bytes);
  const first = units.findIndex(({ isKey }) => isKey);
  if (first === -1) throw new ViewerError('unsupported_video', 'the video has no picture to start with');
  const source = new EncodedVideoPacketSource('avc');
  output.addVideoTrack(source);
  await output.start();
  const decoderConfig = { codec, codedWidth: width, codedHeight: height };
  for (const [at, { start, end, isKey, shownAt }] of units.slice(first).entries()) {
    if (at % 256 === 0) context.throwIfCancelled();
    const data = bytes.subarray(start, end);
    const [from, to] = [secondsOf(showTimes, shownAt - first), secondsOf(showTimes, shownAt - first + 1)];
    const packet = new EncodedPacket(data, isKey ? 'key' : 'delta', from, to - from);
    await source.add(packet, { decoderConfig });
  }
  return finish(output);
}

async function finish(output: BytesOutput): Promise<Uint8Array<ArrayBuffer>> {
  await output.finalize();
  return new Uint8Array(output.target.buffer!);
}
