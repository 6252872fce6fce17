import { isFaultOfFile } from '../../../shared/contract/errors.ts';
import type { FileRecord } from '../../../shared/contract/files.ts';
import { findFile, findStack, noteFrameCount } from '../../state/library.ts';
import { loadChunk } from '../../state/loadChunk.ts';
import { definePart, type Page } from '../../state/page.ts';
import { fetchVideoStream } from '../../api/documents.ts';
import type { FrameRequestOptions } from '../../api/frames.ts';
import { RequestRefused } from '../../api/send.ts';
import type { PictureFrame } from '../loadedFrame.ts';
import type { PictureKind, PictureTraits, PictureWarning } from '../pictureSource.ts';
import { refusePicture } from '../refusals.ts';
import { defineStackSources, describeFrames } from '../storedFrames.ts';
import { FramePicture } from '../viewport/FramePicture.tsx';
import { VideoControls } from './VideoControls.tsx';
import { VIDEO, type VideoFacts } from './videoMessages.ts';

const TRAITS: PictureTraits = {
  scrolls: true,
  plays: true,
  turns: false,
  pans: false,
  sharesWindow: false,
  measures: true,
  cuts: false,
  prefetches: 'few',
  layers: false,
  frames: 'pictures',
};

/**
 * Videos whose frames the browser decodes. Others are documents, which a player plays, or which can be saved. They are
 * named in links as other files are.
 */
export const videoPictures: PictureKind = {
  ...VIDEO,
  open(page, id) {
    const stack = findStack(page, id);
    const file = findFile(page, stack?.fileIndex);
    if (stack === undefined || stack.frames.length === 0 || file?.object_kind !== 'video') return undefined;
    // Browsers have decoders only in pages that are served by this machine or by HTTPS.
    return typeof VideoDecoder === 'undefined' ? undefined : sourceOf(page, stack);
  },
};

const sourceOf = defineStackSources((page, stack) => {
  const frames = describeFrames(page, stack);
  return {
    ...frames,
    get warnings() {
      const file = findFile(page, stack.fileIndex);
      return file === undefined ? [] : listWarnings(file, factsOf(page).get(file));
    },
    viewName: stack.id,
    traits: TRAITS,
    caption: '',
    Component: FramePicture,
    Controls: VideoControls,
    sizeOf(position) {
      const file = frames.fileOf(position)?.file;
      if (file === undefined || file.columns === 0 || file.rows === 0) return undefined;
      const aspect = factsOf(page).get(file)?.aspect ?? file.pixel_aspect_ratio ?? 1;
      return { width: file.columns, height: file.rows, aspect };
    },
    wishes(position) {
      const place = frames.fileOf(position);
      if (place === undefined) return [];
      const { file, frame } = place;
      const load = (options: FrameRequestOptions) => loadVideoFrame(page, stack.id, file, frame, options);
      return [{ fileIndex: file.index, frame, form: { kind: 'own', load } }];
    },
  };
});

/** What the streams of files say of themselves, once they are open. */
const factsOf = definePart(() => new WeakMap<FileRecord, VideoFacts>());

const threadOf = definePart((page) => {
  const thread = loadChunk(page, () => import('./videoThread.ts')).then((module) => ({
    ...module.createVideoThread(),
    isForGood: (error: unknown) => error instanceof module.UndecodableVideo,
  }));
  page.onRestartFirst(() => void thread.then((started) => started.close()));
  return thread;
});

async function loadVideoFrame(
  page: Page,
  id: string,
  file: FileRecord,
  frame: number,
  options: FrameRequestOptions,
): Promise<PictureFrame> {
  const thread = await threadOf(page);
  try {
    if (!factsOf(page).has(file)) {
      // The server says why there is nothing to play.
      await fetchVideoStream(file.index, options.signal);
      const facts = await thread.open(file.index, options.signal);
      factsOf(page).set(file, facts);
      noteFrameCount(page, file, facts.frames);
    }
    const bitmap = await thread.readFrame({ fileIndex: file.index, frame }, options);
    return { kind: 'picture', rows: bitmap.height, columns: bitmap.width, bitmap, window: undefined, isPreview: false };
  } catch (error) {
    if (thread.isForGood(error) || isRefusal(error)) refusePicture(page, VIDEO, id);
    throw error;
  }
}

/** What is wrong with the stream is explained by its document, where it can be saved. */
function isRefusal(error: unknown): boolean {
  return error instanceof RequestRefused && isFaultOfFile(error.code);
}

function listWarnings({ frame_count }: FileRecord, facts: VideoFacts | undefined): readonly PictureWarning[] {
  if (facts === undefined || facts.frames === frame_count) return [];
  const message = `The object declares ${frame_count} frames, and the stream has ${facts.frames}. The stream is shown.`;
  return [{ code: 'frame_count', message }];
}
