import type { WindowChoice } from '../../../../shared/chooseVoi.ts';
import type { RawPresentation } from '../../../../shared/contract/headers.ts';
import type { FrameAddress } from '../../../kit/api/frames.ts';
import { findArea, type KnownPresentation } from '../../../kit/state/presentations.ts';
import type { Size, ViewedImage, ViewState } from '../../../kit/state/viewState.ts';
import { type FrameLoader, type FrameWish, isPreview } from '../frameLoader.ts';
import type { LoadedFrame } from '../loadedFrame.ts';
import type { FilePlace, PictureSource } from '../pictureSource.ts';
import { createMotionTracker, orderPrefetch } from './prefetchOrder.ts';
import type { Scene } from './scene.ts';

/** The picture on the screen, with everything that identifies it. */
export type ShownPicture = {
  readonly source: PictureSource;
  readonly serverRun: number;
  readonly position: number;
  readonly place: FilePlace | undefined;
  readonly frame: LoadedFrame;
  readonly image: ViewedImage;
  /** The part of the image that the frame covers: a coarse one may reach beyond the edge by part of a sample. */
  readonly covered: Size;
  /** How it is placed if it is of an earlier source, whose pixels are not those of the scene. */
  readonly view: ViewState;
  /** The window with which the server drew it; undefined for samples, which accept any window. */
  readonly choice: WindowChoice | undefined;
  /** The presentation state by which the server drew it. */
  readonly state: KnownPresentation | undefined;
};

/** What a viewport knows from one picture to the next. */
export type ViewportState = {
  scene: Scene | undefined;
  shown: ShownPicture | undefined;
  wishes: readonly FrameWish[];
  /** Read only when needed, because reading it makes the browser compute the layout. */
  previewSize: number | undefined;
  /** The window of requests for pictures; it is updated when the user pauses. */
  restingChoice: WindowChoice;
  expected: RawPresentation;
  /** The position or the source has just changed, and not only the window or the view. */
  isPassing: boolean;
  /** What was wanted since the picture on the screen, oldest first: it may arrive while the user moves on. */
  trail: readonly Pick<Scene, 'source' | 'position' | 'view'>[];
};

/** Pictures that are loaded in advance where each one takes the server long: three ahead and one behind. */
const FEW = 4;
/** About a second of scrolling; a larger distance is a jump. */
export const MOST_PASSED = 30;

/** Finds what a viewport can show of what is loaded, and what it needs. */
export function createPictureFinder(known: ViewportState, loader: FrameLoader, canvas: HTMLCanvasElement) {
  const motion = createMotionTracker();

  const formsAt = ({ source, choice, state }: Scene, position: number): readonly FrameWish[] =>
    source.wishes(position, {
      state: stateAt(state, source.fileOf(position))?.file_index,
      choice,
      restingChoice: choice.kind === 'explicit' ? known.restingChoice : choice,
      loader,
      isPassing: known.isPassing,
      expected: known.expected,
      previewSize: () => (known.previewSize ??= choosePreviewSize(canvas)),
    });

  const listSoon = (current: Scene): FrameWish[] => {
    const { position, isPlaying } = current;
    const { positions: count, traits } = current.source;
    const isFew = traits.prefetches === 'few' && !isPlaying;
    // Nothing is taken from the loading of the picture itself.
    const [first] = known.wishes;
    const isThere = first !== undefined && loader.find(first)?.status === 'ready';
    if (traits.prefetches === false || (isFew && (known.isPassing || !isThere))) return [];
    const { direction, speed } = motion.track(position, performance.now(), isPlaying ? count : undefined);
    const order = orderPrefetch({ position, count, direction, speed, wraps: isPlaying || traits.turns });
    const forms = order.slice(0, isFew ? FEW : order.length).map((at) => formsAt(current, at));
    const previews = forms.flatMap((each) => each.filter(isPreview));
    return [...previews, ...forms.flatMap((each) => each.slice(0, 1))];
  };

  /** The frame at a position, or its preview until the frame is loaded. */
  const findLoaded = (current: Scene, position: number): ShownPicture | undefined => {
    const { source, serverRun, view } = current;
    for (const [i, wish] of formsAt(current, position).entries()) {
      const outcome = i === 0 || isPreview(wish) ? loader.find(wish) : undefined;
      if (outcome?.status !== 'ready') continue;
      const choice = 'choice' in wish.form ? wish.form.choice : undefined;
      const frame = outcome.value;
      // Nothing can be seen between fewer slices.
      if (frame.kind === 'gray' && frame.places !== undefined && frame.places.used < 2) continue;
      const place = source.fileOf(position);
      const state = stateAt(current.state, place);
      const own = source.sizeOf(position) ?? { width: frame.columns, height: frame.rows, aspect: 1 };
      const image = { ...own, aspect: aspectOf(state, place) ?? own.aspect };
      const step = frame.kind === 'gray' ? frame.coarseness : undefined;
      const covered = step === undefined ? image : { width: step * frame.columns, height: step * frame.rows };
      return { source, serverRun, position, place, frame, image, covered, view, choice, state };
    }
    return undefined;
  };

  /** The user may scroll faster than frames load. Returns the loaded frame nearest to the target among those passed. */
  const findPassed = (current: Scene): ShownPicture | undefined => {
    const { shown } = known;
    if (shown?.source !== current.source) return findInTrail(current);
    const back = Math.sign(shown.position - current.position);
    const passed = Math.min(MOST_PASSED, Math.abs(shown.position - current.position) - 1);
    for (let i = 1; i <= passed; i++) {
      const found = findLoaded(current, current.position + i * back);
      if (found !== undefined) return found;
    }
    return findInTrail(current);
  };

  /** The newest loaded picture that was wanted since the one on the screen. Older ones are not shown after it. */
  const findInTrail = (current: Scene): ShownPicture | undefined => {
    for (let i = known.trail.length - 1; i >= 0; i--) {
      const earlier = known.trail[i];
      const found = earlier && findLoaded({ ...current, ...earlier }, earlier.position);
      if (found === undefined) continue;
      known.trail = known.trail.slice(i + 1);
      return found;
    }
    return undefined;
  };

  /**
   * The last picture stays on the screen only if it belongs to the source, so that it is never labeled as another one.
   */
  const findKept = ({ source, serverRun }: Scene): ShownPicture | undefined => {
    const { shown } = known;
    if (shown?.serverRun !== serverRun) return undefined;
    if (shown.source === source || source.continues?.(shown.source) === true) return shown;
    // The stack may have grown, or may include a file that was on its own before.
    const position = shown.place && source.positionOf(toAddress(shown.place));
    return position === undefined ? undefined : { ...shown, source, position };
  };

  /** The stored samples behind a picture, if it is a stored frame and they are loaded. */
  const findRaw = ({ source, position, place }: ShownPicture) => {
    const raw = source.samplesOf?.(position) ?? storedWish(place);
    return raw && loader.find(raw);
  };

  return { formsAt, listSoon, findLoaded, findPassed, findKept, findRaw };
}

/** The presentation state, if it names the frame. */
function stateAt(state: KnownPresentation | undefined, place: FilePlace | undefined): KnownPresentation | undefined {
  return place !== undefined && state?.names(place.file.index, place.frame) === true ? state : undefined;
}

/** The shape of pixels that a presentation state declares. */
function aspectOf(state: KnownPresentation | undefined, place: FilePlace | undefined): number | undefined {
  const area = state && place && findArea(state, place.file.index, place.frame);
  return area?.pixel_aspect_ratio ?? undefined;
}

function toAddress({ file, frame }: FilePlace): FrameAddress {
  return { fileIndex: file.index, frame };
}

export function storedWish(place: FilePlace | undefined): FrameWish | undefined {
  return place && { ...toAddress(place), form: { kind: 'raw' } };
}

/** As large as the cell, up to the largest size that the server makes. */
function choosePreviewSize({ clientWidth, clientHeight }: HTMLCanvasElement): number {
  return Math.max(clientWidth, clientHeight) * devicePixelRatio <= 512 ? 512 : 1024;
}
