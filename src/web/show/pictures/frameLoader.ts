import type { WindowChoice } from '../../../shared/chooseVoi.ts';
import type { RawPresentation } from '../../../shared/contract/headers.ts';
import { type FrameAddress, type FrameRequestOptions, toQuery } from '../../kit/api/frames.ts';
import { createLink } from '../../kit/api/link.ts';
import { createLoader, type Loader, type LoaderOptions } from '../../kit/loading/createLoader.ts';
import { createLinePace, type LineFacts } from '../../kit/loading/linePace.ts';
import { bytesOf, closeFrame, type LoadedFrame } from './loadedFrame.ts';

/**
 * One thing to load: the samples of a frame, the server's picture of it with a window, the picture with its own window
 * (a JPEG as stored where that shows the same), or a small picture.
 */
export type FrameWish = FrameAddress & { readonly form: FrameForm };

export type FrameForm =
  | { readonly kind: 'raw' }
  /** `state` is the file of the presentation state that decides how it looks. */
  | { readonly kind: 'picture'; readonly choice: WindowChoice; readonly state?: number | undefined }
  | { readonly kind: 'source' }
  /** A picture that its source loads by itself, such as a frame of a video. */
  | { readonly kind: 'own'; readonly load: (options: FrameRequestOptions) => Promise<LoadedFrame> }
  /** A plane of the volume that the frame belongs to. */
  | PlaneForm
  | { readonly kind: 'preview'; readonly size: number; readonly choice: WindowChoice };

export type PlaneForm = {
  readonly kind: 'plane';
  /** The samples and how they are taken, as the server is asked for them. */
  readonly query: string;
  /** Samples of the exact picture along each side that one sample stands for. */
  readonly step: 1 | 2;
  /** A modality value of the plane times this is one of the stored frames. */
  readonly toFrameValue: number;
  /**
   * Set if the picture may be made of the slices that are loaded already: how far the loading was. A picture is asked
   * for again when it has gone on.
   */
  readonly partial?: number | undefined;
  /** Pictures of one stream follow each other in a cell, so the newest is the only one that matters. */
  readonly stream: string;
};

export type FrameLoaderOptions = Pick<LoaderOptions<FrameWish, LoadedFrame>, 'load' | 'budgetBytes' | 'now'> & {
  readonly link?: LineFacts;
};

/** Loads frames for all cells of the page. */
export interface FrameLoader extends Loader<FrameWish, LoadedFrame> {
  /** Whether the link to the server limits the loading of frames. */
  readonly isThin: () => boolean;
}

export function createFrameLoader({ link = createLink(), ...options }: FrameLoaderOptions): FrameLoader {
  const loader = createLoader({
    ...options,
    keyOf,
    bytesOf,
    dispose: closeFrame,
    pace: createLinePace({ ...link, isPreview, streamOf }),
    // A user who returns to a frame that failed wants to see it.
    failuresLast: 'until_wanted_again',
  });
  return { ...loader, isThin: link.isThin };
}

export function keyOf({ fileIndex, frame, form }: FrameWish): string {
  if (form.kind === 'plane') {
    const partial = form.partial === undefined ? '' : ` partial ${form.partial}`;
    return `${fileIndex}/${frame}/plane?${form.query}${partial}`;
  }
  const window = 'choice' in form ? toQuery(form.choice) : '';
  const state = form.kind === 'picture' && form.state !== undefined ? ` by ${form.state}` : '';
  return `${fileIndex}/${frame}/${form.kind}${form.kind === 'preview' ? form.size : ''}${window}${state}`;
}

export function isPreview({ form }: FrameWish): boolean {
  return form.kind === 'preview' || (form.kind === 'plane' && form.step > 1);
}

function streamOf({ form }: FrameWish): string | undefined {
  return form.kind === 'plane' ? form.stream : undefined;
}

/** What loaded samples say about themselves; undefined until they are loaded. */
export function findPresentation(loader: FrameLoader, raw: FrameWish): RawPresentation | undefined {
  const outcome = loader.find(raw);
  return outcome?.status === 'ready' && outcome.value.kind === 'gray' ? outcome.value.presentation : undefined;
}
