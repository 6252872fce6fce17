import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { FileRecord } from '../../../shared/contract/files.ts';
import type { FrameDamage } from '../../../shared/frameDamage.ts';
import type { AppliedWindow } from '../../../shared/presentation.ts';
import type { ColorMapName } from '../../kit/state/colorMaps.ts';
import type { CellWindow } from '../../kit/state/cells.ts';
import { setImageOnScreen } from '../../kit/state/firstImage.ts';
import { definePart, type Page, usePage } from '../../kit/state/page.ts';
import type { KnownPresentation } from '../../kit/state/presentations.ts';
import type { ShownTiles } from '../../kit/state/shownTiles.ts';
import type { StackFrame, ViewStack } from '../../kit/state/stacks.ts';
import type { StackWindow } from '../../../shared/chooseStackWindow.ts';
import type { UsedPlaces } from './loadedFrame.ts';
import type { PictureSource } from './pictureSource.ts';
import type { ProbedSample } from './probeFrame.ts';
import type { Matrix, Size, ViewedImage } from '../../kit/state/viewState.ts';
import type { Watched } from '../../kit/ui/followStores.ts';

/** What a viewport reports after each draw. */
export type ViewportReport = {
  readonly status: 'empty' | 'loading' | 'ready' | 'failed';
  /** Why the requested frame cannot be shown. */
  readonly error: Error | undefined;
  /** Undefined if the canvas is empty. */
  readonly shown: ShownImage | undefined;
  /** The window on screen, in modality units; undefined for color. */
  readonly window: AppliedWindow | undefined;
  /** `sampled`: pixels are skipped during user input; `preview`: a small picture until the whole one has loaded. */
  readonly quality: 'exact' | 'sampled' | 'preview';
  /** Whether the window was applied in the browser to the stored samples, or the picture came from the server. */
  readonly source: 'samples' | 'server' | undefined;
  readonly screen: ViewportScreen | undefined;
  /** Set while the picture on screen is made of a part of its slices, because the others are still being loaded. */
  readonly places?: UsedPlaces | undefined;
  /** What is missing from the picture on screen; undefined if nothing is. */
  readonly damage?: FrameDamage | undefined;
  /** How many samples of the picture on screen are outside the range of Bits Stored; absent: none. */
  readonly outOfRange?: number | undefined;
  /** Set for an image that is made of tiles. */
  readonly tiles?: ShownTiles | undefined;
};

/**
 * Identifies the pixels on screen. Everything written or drawn over them must describe this image, never the one that
 * the cell is about to show: the two differ while a picture is loading.
 */
export type ShownImage = (StoredImage | NotStored) & {
  readonly source: PictureSource;
  readonly position: number;
  /** The window choice that was applied; undefined while the picture still has another window. */
  readonly chosen: CellWindow | undefined;
  /** Set if the window is that of the stack. */
  readonly stackWindow?: StackWindow | undefined;
  readonly invert: boolean;
  /** Ignored for color images, which are drawn in their own colors. */
  readonly colorMap: ColorMapName;
  /** The presentation state by which its pixels were drawn. */
  readonly state?: KnownPresentation | undefined;
};

/** A frame of a file. For a slide, the frame by which it was opened. */
export type StoredImage = { readonly stack: ViewStack; readonly frame: StackFrame; readonly file: FileRecord };
/** A picture that is in no file. */
type NotStored = { readonly stack?: undefined; readonly frame?: undefined; readonly file?: undefined };

export type ShownFrameImage = ShownImage & StoredImage;

/** The stored frame at a position of a source. `file` is the record with which the picture was loaded. */
export function describeStored(
  { stack }: PictureSource,
  position: number,
  file: FileRecord | undefined,
): StoredImage | NotStored {
  const frame = stack?.frames[position];
  return stack === undefined || frame === undefined || file === undefined ? {} : { stack, frame, file };
}

/** Position of the image on the page. Lengths are CSS pixels from the viewport's top left corner. */
export type ViewportScreen = Size & {
  readonly image: ViewedImage;
  /** Maps image pixels to CSS pixels. */
  readonly imageToScreen: Matrix;
  /** Device pixels per image column: 1 is one to one. */
  readonly zoom: number;
  /** The zoom that shows the whole image. */
  readonly fitZoom: number;
  /** Device pixels per CSS pixel. */
  readonly pixelRatio: number;
  /** Set for an image that is not a single frame, such as a slide; otherwise the frame's file declares the spacing. */
  readonly mmPerPixel?: number | undefined;
  /** For a slide: the magnification at a zoom of 1, such as 40. */
  readonly magnification?: number | undefined;
};

export const NOTHING_SHOWN: ViewportReport = {
  status: 'empty',
  error: undefined,
  shown: undefined,
  window: undefined,
  quality: 'exact',
  source: undefined,
  screen: undefined,
};

/** By cell. Written by the components that draw pictures, read by the layers drawn over them. */
export const viewportsOf = definePart(() =>
  createStore<{ readonly reports: ReadonlyMap<number, ViewportReport> }>(() => ({ reports: new Map() })),
);

export function reportOf(page: Page, cell: number): ViewportReport {
  return viewportsOf(page).getState().reports.get(cell) ?? NOTHING_SHOWN;
}

/** By cell: see `watchReport`. */
const watchesOf = definePart(() => new Map<number, Watched>());

/** Notifies only of the reports of one cell: while several pictures move, those of the others come at any time. */
export function watchReport(page: Page, cell: number): Watched {
  const known = watchesOf(page).get(cell);
  if (known !== undefined) return known;
  const watch: Watched = {
    subscribe: (listener) =>
      viewportsOf(page).subscribe(({ reports }, { reports: before }) => {
        if (reports.get(cell) !== before.get(cell)) listener();
      }),
  };
  watchesOf(page).set(cell, watch);
  return watch;
}

/** The single stored frame that a cell has on screen; undefined for a slide, which is made of many. */
export function frameOnScreen(page: Page, cell: number): ShownFrameImage | undefined {
  const { shown, tiles } = reportOf(page, cell);
  return tiles === undefined && shown?.file !== undefined ? shown : undefined;
}

export function setReport(page: Page, cell: number, report: ViewportReport | undefined): void {
  probersOf(page).get(cell)?.();
  const reports = new Map(viewportsOf(page).getState().reports);
  if (report === undefined) reports.delete(cell);
  else reports.set(cell, report);
  viewportsOf(page).setState({ reports });
  // A preview counts as an image too, and the page must be able to label it as a preview.
  setImageOnScreen(
    page,
    [...reports.values()].some(({ status, screen }) => status === 'failed' || screen !== undefined),
  );
}

/** By cell. Kept apart from the reports because it changes with every pointer move. */
export const probesOf = definePart(() =>
  createStore<{ readonly probes: ReadonlyMap<number, ProbedSample> }>(() => ({ probes: new Map() })),
);

/** By cell: see `probeWithReports`. */
const probersOf = definePart(() => new Map<number, () => void>());

/**
 * Calls `probe` before each report of a cell: the picture can also change under a resting pointer, and what is written
 * with a report must have the value of the same picture. Returns a function that stops.
 */
export function probeWithReports(page: Page, cell: number, probe: () => void): () => void {
  probersOf(page).set(cell, probe);
  return () => {
    if (probersOf(page).get(cell) === probe) probersOf(page).delete(cell);
  };
}

export function setProbe(page: Page, cell: number, sample: ProbedSample | undefined): void {
  const probes = new Map(probesOf(page).getState().probes);
  if (sample === undefined && !probes.delete(cell)) return;
  if (sample !== undefined) probes.set(cell, sample);
  probesOf(page).setState({ probes });
}

export function useReport<T>(cell: number, select: (report: ViewportReport) => T): T {
  const page = usePage();
  return useStore(viewportsOf(page), ({ reports }) => select(reports.get(cell) ?? NOTHING_SHOWN));
}
