import { defineTask } from '../../../machine/workers/task.ts';
import { type DocumentFile, documentTask } from '../documentTasks.ts';
import type { FilePlaces } from '../storedValue.ts';
import type { VideoFormat } from './sniffVideo.ts';

/** What a stream says of itself. */
export type StreamFacts = {
  /** As `canPlayType` takes it, such as `avc1.640029`. */
  readonly codec?: string | undefined;
  readonly frames?: number | undefined;
  readonly frameTimeMs?: number | undefined;
};

export type FoundVideo = StreamFacts & {
  readonly format: VideoFormat;
  readonly places: FilePlaces;
  readonly length: number;
};

/** A stream that a browser plays, made of one that it does not. */
export type PackedVideo = StreamFacts & { readonly bytes: Uint8Array<ArrayBuffer> };

/** Longer streams are not packed, because all of it is in memory then. */
export const MOST_PACKED_BYTES = 256 * 2 ** 20;

export const findVideoTask = documentTask<unknown, FoundVideo>('documents.findVideo');
export const packVideoTask = defineTask<DocumentFile, PackedVideo, Pick<FoundVideo, 'length'>>('documents.packVideo', {
  timeoutMs: 120_000,
  // The stream, its packets, and the file that is made of them, which grows by doubling.
  bytes: (_, { length }) => 32 * 2 ** 20 + 5 * Math.min(length, MOST_PACKED_BYTES),
});
