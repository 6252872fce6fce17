import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { PictureChoice } from '../state/shownTiles.ts';
import type { FocalPlane, OpticalPath } from './levelTiles.ts';
import type { SlideCompanion } from './slide.ts';
import type { MixedPath } from './slideMix.ts';

/** What the controls of a slide show. */
export type SlideState = {
  readonly paths: readonly OpticalPath[];
  readonly planes: readonly FocalPlane[];
  readonly choice: PictureChoice | undefined;
  readonly companions: readonly SlideCompanion[];
  readonly warnings: readonly string[];
  /** Of the tiles on screen. */
  readonly failedTiles: number;
  readonly failure: string;
  /** More tiles are on screen than can be held. */
  readonly isCut: boolean;
  readonly areCompanionsShown: boolean;
  /** Of a zoom of 1. */
  readonly magnification: number | undefined;
  /** Whether its paths are gray, so that they can be mixed in color. */
  readonly canMix: boolean;
  /** The paths in one picture; undefined where one of them is shown alone. */
  readonly mix: readonly MixedPath[] | undefined;
  /** Ranges that fit the paths, by path, as far as they are known. */
  readonly fitting: Readonly<Record<string, { readonly low: number; readonly high: number }>>;
  readonly select: (choice: PictureChoice) => void;
  readonly setMix: (mix: readonly MixedPath[] | undefined) => void;
};

export const NO_SLIDE: SlideState = {
  paths: [],
  planes: [],
  choice: undefined,
  companions: [],
  warnings: [],
  failedTiles: 0,
  failure: '',
  isCut: false,
  areCompanionsShown: false,
  magnification: undefined,
  canMix: false,
  mix: undefined,
  fitting: {},
  select: () => {},
  setMix: () => {},
};

/** By cell. */
export const slidesStore = createStore<{ readonly slides: ReadonlyMap<number, SlideState> }>(() => ({
  slides: new Map(),
}));

export function useSlideState(cell: number): SlideState {
  return useStore(slidesStore, ({ slides }) => slides.get(cell) ?? NO_SLIDE);
}

export function slideStateOf(cell: number): SlideState {
  return slidesStore.getState().slides.get(cell) ?? NO_SLIDE;
}

export function updateSlide(cell: number, change: Partial<SlideState>): void {
  const known = slideStateOf(cell);
  const next = { ...known, ...change };
  if (JSON.stringify(Object.entries(next)) !== JSON.stringify(Object.entries(known))) setSlide(cell, next);
}

export function setSlide(cell: number, state: SlideState | undefined): void {
  const slides = new Map(slidesStore.getState().slides);
  if (state === undefined) slides.delete(cell);
  else slides.set(cell, state);
  slidesStore.setState({ slides });
}
