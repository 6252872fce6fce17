import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { definePart, type Page, usePage } from '../../../kit/state/page.ts';
import type { PictureChoice } from '../../../kit/state/shownTiles.ts';
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
  readonly failedTiles: number;
  readonly failure: string;
  /** More tiles are on the screen than can be held. */
  readonly isCut: boolean;
  readonly areCompanionsShown: boolean;
  /** Magnification at a zoom of 1. */
  readonly magnification: number | undefined;
  /** Whether the paths are gray, so that they can be mixed in color. */
  readonly canMix: boolean;
  /** The mixed paths; undefined if a single path is shown. */
  readonly mix: readonly MixedPath[] | undefined;
  /** Fitting ranges by path, as far as they are known. */
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
const slidesOf = definePart(() =>
  createStore<{ readonly slides: ReadonlyMap<number, SlideState> }>(() => ({ slides: new Map() })),
);

export function useSlideState(cell: number): SlideState {
  return useStore(slidesOf(usePage()), ({ slides }) => slides.get(cell) ?? NO_SLIDE);
}

export function slideStateOf(page: Page, cell: number): SlideState {
  return slidesOf(page).getState().slides.get(cell) ?? NO_SLIDE;
}

export function updateSlide(page: Page, cell: number, change: Partial<SlideState>): void {
  const known = slideStateOf(page, cell);
  const next = { ...known, ...change };
  if (JSON.stringify(Object.entries(next)) !== JSON.stringify(Object.entries(known))) setSlide(page, cell, next);
}

export function setSlide(page: Page, cell: number, state: SlideState | undefined): void {
  const store = slidesOf(page);
  const slides = new Map(store.getState().slides);
  if (state === undefined) slides.delete(cell);
  else slides.set(cell, state);
  store.setState({ slides });
}
