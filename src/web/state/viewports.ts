import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { FileRecord } from '../../shared/contract/files.ts';
import type { FrameDamage } from '../../shared/frameDamage.ts';
import type { AppliedWindow } from '../../shared/presentation.ts';
import type { ColorMapName } from './colorMaps.ts';
import type { CellWindow } from './cells.ts';
import { definePart, type Page } from './page.ts';
import type { ShownTiles } from './shownTiles.ts';
import type { StackFrame, ViewStack } from './stacks.ts';
import type { StackWindow } from './stackWindows.ts';
import type { Matrix, Size, ViewedImage } from './viewState.ts';

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
  /** What is missing from the picture on screen; undefined if nothing is. */
  readonly damage?: FrameDamage | undefined;
  /** Set for an image that is made of tiles. */
  readonly tiles?: ShownTiles | undefined;
};

/**
 * Identifies the pixels on screen. Everything written or drawn over them must describe this image, never the one that
 * the cell is about to show: the two differ while a frame is loading.
 */
export type ShownImage = {
  readonly stack: ViewStack;
  /** Index in the stack, from 0. */
  readonly position: number;
  /** For a slide, the frame by which it was opened. */
  readonly frame: StackFrame;
  readonly file: FileRecord;
  /** The window choice that was applied; undefined while the picture still has another window. */
  readonly chosen: CellWindow | undefined;
  /** Set if the window is that of the stack. */
  readonly stackWindow?: StackWindow | undefined;
  readonly invert: boolean;
  /** Ignored for color images, which are drawn in their own colors. */
  readonly colorMap: ColorMapName;
};

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

/** The sample under the pointer. */
export type ProbedSample = {
  readonly column: number;
  readonly row: number;
  /** As stored; for color, the displayed red, green and blue. */
  readonly stored: number | readonly [number, number, number];
  /** In modality units; undefined for color, and if the transform is not known in the browser. */
  readonly value: number | undefined;
  readonly isPadding: boolean;
  /** The sample lies in a damaged part of the image, so its value may be invented. */
  readonly isDamaged?: boolean;
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

/** By cell. Written by the viewports, read by the layers drawn over them. */
export const viewportsStore = createStore<{ readonly reports: ReadonlyMap<number, ViewportReport> }>(() => ({
  reports: new Map(),
}));

export function reportOf(cell: number): ViewportReport {
  return viewportsStore.getState().reports.get(cell) ?? NOTHING_SHOWN;
}

/** The single frame that a cell has on screen; undefined for a slide, which is made of many. */
export function frameOnScreen(cell: number): ShownImage | undefined {
  const { shown, tiles } = reportOf(cell);
  return tiles === undefined ? shown : undefined;
}

export function setReport(cell: number, report: ViewportReport | undefined): void {
  const reports = new Map(viewportsStore.getState().reports);
  if (report === undefined) reports.delete(cell);
  else reports.set(cell, report);
  viewportsStore.setState({ reports });
}

/** By cell. Kept apart from the reports because it changes with every pointer move. */
export const probesOf = definePart(() =>
  createStore<{ readonly probes: ReadonlyMap<number, ProbedSample> }>(() => ({ probes: new Map() })),
);

export function setProbe(page: Page, cell: number, sample: ProbedSample | undefined): void {
  const probes = new Map(probesOf(page).getState().probes);
  if (sample === undefined && !probes.delete(cell)) return;
  if (sample !== undefined) probes.set(cell, sample);
  probesOf(page).setState({ probes });
}

export function useReport<T>(cell: number, select: (report: ViewportReport) => T): T {
  return useStore(viewportsStore, ({ reports }) => select(reports.get(cell) ?? NOTHING_SHOWN));
}
