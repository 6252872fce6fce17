import { isFaultOfFile } from '../../../../shared/contract/errorStatus.ts';
import type { FileRecord } from '../../../../shared/contract/files.ts';
import { fetchVideoStream } from '../../../kit/api/documents.ts';
import type { FrameRequestOptions } from '../../../kit/api/frames.ts';
import { RequestRefused } from '../../../kit/api/send.ts';
import { libraryOf, noteFrameCount, stackOf } from '../../../kit/state/library.ts';
import { definePart, type Page } from '../../../kit/state/page.ts';
import type { PictureFrame } from '../loadedFrame.ts';
import { refusePicture } from '../refusals.ts';
import { factsOfVideos } from './videoFacts.ts';
import { VIDEO } from './videoMessages.ts';
import { createVideoThread, UndecodableVideo } from './videoThread.ts';

const threadOf = definePart((page) => {
  const thread = createVideoThread();
  page.onRestartFirst(() => thread.close());
  return thread;
});

export type VideoFrameAddress = {
  /** The id of the picture. */
  readonly id: string;
  readonly file: FileRecord;
  readonly frame: number;
};

/** Decodes a frame of a video. If the browser cannot do that, the video becomes a document. */
export async function loadVideoFrame(
  page: Page,
  { id, file, frame }: VideoFrameAddress,
  options: FrameRequestOptions,
): Promise<PictureFrame> {
  const thread = threadOf(page);
  try {
    if (!factsOfVideos(page).has(file)) {
      // The server says why there is nothing to play.
      await fetchVideoStream(file.index, options.signal);
      const facts = await thread.open(file.index, options.signal);
      factsOfVideos(page).set(file, facts);
      noteFrameCount(page, file, facts.frames);
    }
    const bitmap = await thread.readFrame({ fileIndex: file.index, frame }, options);
    return { kind: 'picture', rows: bitmap.height, columns: bitmap.width, bitmap, window: undefined, isPreview: false };
  } catch (error) {
    if (error instanceof UndecodableVideo || isRefusal(error)) refuseVideo(page, id, file);
    throw error;
  }
}

/** Also in the stack of its series: until the series are known, a file has a stack of its own with another id. */
function refuseVideo(page: Page, id: string, file: FileRecord): void {
  refusePicture(page, VIDEO, id);
  const stop = libraryOf(page).subscribe(() => {
    const next = stackOf(page, file).id;
    if (next === id) return;
    stop();
    refusePicture(page, VIDEO, next);
  });
  page.onRestart(stop);
}

/** What is wrong with the stream is explained by its document, where it can be saved. */
function isRefusal(error: unknown): boolean {
  return error instanceof RequestRefused && isFaultOfFile(error.code);
}
