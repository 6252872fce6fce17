import type { FileRecord } from '../../../../shared/contract/files.ts';
import { findFile, findStack } from '../../../kit/state/library.ts';
import { loadChunk } from '../../../kit/state/loadChunk.ts';
import type { FrameRequestOptions } from '../../../kit/api/frames.ts';
import type { PictureKind, PictureTraits, PictureWarning } from '../pictureSource.ts';
import { defineStackSources, describeFrames } from '../storedFrames.ts';
import { FramePicture } from '../viewport/FramePicture.tsx';
import { VideoControls } from './VideoControls.tsx';
import { factsOfVideos } from './videoFacts.ts';
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
      return file === undefined ? [] : listWarnings(file, factsOfVideos(page).get(file));
    },
    viewName: stack.id,
    traits: TRAITS,
    caption: '',
    Component: FramePicture,
    Controls: VideoControls,
    sizeOf(position) {
      const file = frames.fileOf(position)?.file;
      if (file === undefined || file.columns === 0 || file.rows === 0) return undefined;
      const aspect = factsOfVideos(page).get(file)?.aspect ?? file.pixel_aspect_ratio ?? 1;
      return { width: file.columns, height: file.rows, aspect };
    },
    wishes(position) {
      const place = frames.fileOf(position);
      if (place === undefined) return [];
      const { file, frame } = place;
      const load = async (options: FrameRequestOptions) => {
        const { loadVideoFrame } = await loadChunk(page, () => import('./loadVideoFrame.ts'));
        return loadVideoFrame(page, { id: stack.id, file, frame }, options);
      };
      return [{ fileIndex: file.index, frame, form: { kind: 'own', load } }];
    },
  };
});

function listWarnings({ frame_count }: FileRecord, facts: VideoFacts | undefined): readonly PictureWarning[] {
  if (facts === undefined || facts.frames === frame_count) return [];
  const message = `The object declares ${frame_count} frames, and the stream has ${facts.frames}. The stream is shown.`;
  return [{ code: 'frame_count', message }];
}
