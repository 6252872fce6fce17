import { samplePositions } from '../../../shared/chooseStackWindow.ts';
import type { StackKind } from '../../../shared/contract/series.ts';
import { keySlices, sharePictures, spreadPlaces } from '../../../shared/keySlices.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import type { Series, Stack, StackFrames } from './stack.ts';

/** Frames count from 0. */
export type KeyFrame = { readonly fileIndex: number; readonly frame: number };

/** The frames that stand for a stack of images. */
export type KeyStack = {
  readonly kind: StackKind;
  readonly imageTypeRole: string | undefined;
  /** Number of its frames. */
  readonly length: number;
  /** Those that are shown, in order. Of a slide: the first tile of each of its files. */
  readonly frames: readonly KeyFrame[];
  /** Of a cine with more than one picture: frames of which one is the second picture. */
  readonly peaks: readonly KeyFrame[];
  /** Those that tell the window of the stack. */
  readonly sampled: readonly KeyFrame[];
};

/** What stands for a series. */
export type KeyFrames = {
  readonly stacks: readonly KeyStack[];
  /** The first file of the series that is in no stack. */
  readonly other: number | undefined;
  /** Positions are still being read, so that the order of frames may be another one soon. */
  readonly isPending: boolean;
};

/** Frames that are looked at for the peak of a cine, beside the first. */
const MOST_PEAKS = 8;
/** Files that a level of a slide is put together from. */
const MOST_PARTS = 16;
/** Levels and other images of slides that one is chosen of. */
const MOST_SLIDES = 64;

/** Chooses frames for `wanted` pictures of a series. */
export function listKeyFrames(series: Series, wanted: number): readonly KeyStack[] {
  const slides = series.stacks.filter(isOfSlide);
  const others = series.stacks.filter((stack) => !isOfSlide(stack));
  const places = others.map(listPlaces);
  const shares = sharePictures(
    places.map(({ length, isCine }) => (isCine ? Math.min(2, length) : length)),
    wanted,
  );
  return [
    ...slides.slice(0, MOST_SLIDES).map(describeSlide),
    ...others.flatMap((stack, at) => (shares[at] === 0 ? [] : [chooseFrames(stack, places[at]!, shares[at]!)])),
  ];
}

/** Frames of a file that is in no series. */
export function listKeyFramesOf({ index, frameCount }: DicomFile, wanted: number): KeyStack {
  const toFrame = (frame: number): KeyFrame => ({ fileIndex: index, frame });
  return {
    kind: 'ordinary',
    imageTypeRole: undefined,
    length: frameCount,
    frames: spreadPlaces(frameCount, wanted).map(toFrame),
    peaks: [],
    sampled: samplePositions(frameCount).map(toFrame),
  };
}

/** Whether the frames of a stack are those of the files in order, because their positions are not known yet. */
export function isOrderPending(
  { frames }: Pick<Stack, 'frames'>,
  files: readonly DicomFile[],
  isRead: (file: DicomFile) => boolean,
): boolean {
  for (const index of new Set(frames.fileIndices)) {
    const file = files[index];
    if (file?.placement?.hasFrameGeometry === true && !isRead(file)) return true;
  }
  return false;
}

function isOfSlide({ kind }: Stack): boolean {
  return kind === 'wsi_pyramid_level' || kind === 'wsi_companion';
}

function describeSlide(stack: Stack): KeyStack {
  const files = [...new Set(stack.frames.fileIndices)].slice(0, MOST_PARTS);
  const frames = files.map((fileIndex) => ({ fileIndex, frame: 0 }));
  return { ...toHead(stack), frames, peaks: [], sampled: [] };
}

function toHead({ kind, imageTypeRole, frames }: Stack) {
  return { kind, imageTypeRole, length: frames.length };
}

/** The distinct places of a stack: of each, the frames that are there. Without positions, every frame is a place. */
type Places = {
  readonly length: number;
  readonly framesOf: (place: number) => readonly number[];
  readonly hasPositions: boolean;
  /** Whether its frames differ only in time. */
  readonly isCine: boolean;
};

/** Positions that differ by less are one: writers round them. */
const SAME_MM = 0.01;

function listPlaces({ frames }: Stack): Places {
  const places = new Map<number, number[]>();
  let lacking = 0;
  for (let at = 0; at < frames.length; at += 1) {
    const position = frames.positionsMm[at] ?? NaN;
    if (Number.isNaN(position)) {
      lacking += 1;
      continue;
    }
    const place = Math.round(position / SAME_MM);
    const known = places.get(place);
    if (known === undefined) places.set(place, [at]);
    else known.push(at);
  }
  const isOneFile = frames.length > 1 && new Set(frames.fileIndices).size === 1;
  if (lacking > 0 || places.size < 2) {
    // Single images without positions are different pictures, and those of one place are not.
    const isCine = lacking === 0 ? frames.length > 1 : isOneFile && places.size === 0;
    return { length: frames.length, framesOf: (at) => [at], hasPositions: false, isCine };
  }
  const all = [...places.values()];
  return { length: all.length, framesOf: (place) => all[place] ?? [], hasPositions: true, isCine: false };
}

function chooseFrames(stack: Stack, { length, framesOf, hasPositions, isCine }: Places, wanted: number): KeyStack {
  const { frames } = stack;
  const sampled = samplePositions(frames.length).map((at) => frameAt(frames, at));
  if (isCine && wanted > 1) {
    const peaks = spreadPlaces(length, MOST_PEAKS + 1).slice(1);
    return {
      ...toHead(stack),
      frames: [frameAt(frames, 0)],
      peaks: peaks.map((at) => frameAt(frames, at)),
      sampled,
    };
  }
  const chosen = hasPositions ? keySlices(length, wanted) : spreadPlaces(length, wanted);
  const shown = chosen.map((place) => {
    const there = framesOf(place);
    return frameAt(frames, there[there.length >> 1] ?? 0);
  });
  return { ...toHead(stack), frames: shown, peaks: [], sampled };
}

function frameAt({ fileIndices, frameIndices }: StackFrames, at: number): KeyFrame {
  return { fileIndex: fileIndices[at] ?? 0, frame: frameIndices[at] ?? 0 };
}
