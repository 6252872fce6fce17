import type { WindowChoice } from '../../../../shared/chooseVoi.ts';
import type { FileRecord } from '../../../../shared/contract/files.ts';
import type { RawPresentation } from '../../../../shared/contract/headers.ts';
import { isFetchedRaw, isGray, type PictureSize } from '../../../../shared/rawFrames.ts';
import type { FrameAddress } from '../../../kit/api/frames.ts';
import { findPresentation, type FrameLoader, type FrameWish } from '../frameLoader.ts';

/** What must be known of a frame before it is loaded. */
export type FrameShape = PictureSize & {
  /** Height of a pixel divided by its width. */
  readonly aspect: number;
};

export function shapeOf(file: FileRecord): FrameShape {
  const { rows, columns, photometric_interpretation: photometricInterpretation } = file;
  return { rows, columns, photometricInterpretation, aspect: file.pixel_aspect_ratio ?? 1 };
}

/** For larger frames a small picture is loaded first. */
export const PREVIEW_PIXELS = 16_000_000;
/** The same for a slow link: two bytes per pixel, compressed to a third, take 400 ms at 20 Mbit/s. */
const PREVIEW_PIXELS_WHEN_THIN = 1_500_000;

const DEFAULT_WINDOW: WindowChoice = { kind: 'default' };

export type FormOptions = {
  readonly choice: WindowChoice;
  readonly loader: FrameLoader;
  readonly expected: RawPresentation;
  /** Parameters of a small picture; called only where one is needed. */
  readonly preview: () => { readonly size: number; readonly choice: WindowChoice };
};

/**
 * The forms to load for one frame: first the one that shows it, then those that help. Samples declare whether they give
 * the whole picture; until they are loaded, the frame is assumed to be like the one before.
 */
export function listForms(
  { fileIndex, frame }: FrameAddress,
  shape: FrameShape,
  { choice, loader, expected, preview }: FormOptions,
): readonly [FrameWish, ...FrameWish[]] {
  const raw: FrameWish = { fileIndex, frame, form: { kind: 'raw' } };
  const pictureThrough = (window: WindowChoice): FrameWish => {
    return { fileIndex, frame, form: { kind: 'picture', choice: window } };
  };
  const small = (): FrameWish => ({ fileIndex, frame, form: { kind: 'preview', ...preview() } });
  const isLong = shape.rows * shape.columns > (loader.isThin() ? PREVIEW_PIXELS_WHEN_THIN : PREVIEW_PIXELS);
  if (isFetchedRaw(shape)) {
    const known = findPresentation(loader, raw);
    const forms: [FrameWish, ...FrameWish[]] = isDrawnHere(known ?? expected, choice)
      ? [raw]
      : [pictureThrough(choice), raw];
    return isLong && known === undefined ? [...forms, small()] : forms;
  }
  // Color is not windowed.
  const picture = pictureThrough(isGray(shape) ? choice : DEFAULT_WINDOW);
  return isLong ? [picture, small()] : [picture];
}

/** The picture that the server draws by a presentation state, and the samples, for values under the pointer. */
export function listStateForms(
  { fileIndex, frame }: FrameAddress,
  shape: FrameShape,
  choice: WindowChoice,
  state: number,
): readonly [FrameWish, ...FrameWish[]] {
  const picture: FrameWish = {
    fileIndex,
    frame,
    form: { kind: 'picture', choice: isGray(shape) ? choice : DEFAULT_WINDOW, state },
  };
  return isFetchedRaw(shape) ? [picture, { fileIndex, frame, form: { kind: 'raw' } }] : [picture];
}

function isDrawnHere(presentation: RawPresentation, choice: WindowChoice): boolean {
  return presentation === 'raw' || (presentation === 'server_default' && choice.kind !== 'default');
}
