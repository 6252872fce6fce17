import { defineTask } from '../../workers/task.ts';
import type { DocumentFile } from '../documentTasks.ts';
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

export const findVideoTask = defineTask<DocumentFile, FoundVideo>('documents.findVideo');
export const packVideoTask = defineTask<DocumentFile, PackedVideo>('documents.packVideo');
