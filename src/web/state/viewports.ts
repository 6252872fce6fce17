import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { FileRecord } from '../../shared/contract/files.ts';
import type { FrameDamage } from '../../shared/frameDamage.ts';
import type { AppliedWindow } from '../../shared/presentation.ts';
import type { ColorMapName } from './colorMaps.ts';
import type { CellWindow } from './cells.ts';
import type { ShownTiles } from './shownTiles.ts';
import type { StackFrame, ViewStack } from './stacks.ts';
import type { StackWindow } from './stackWindows.ts';
import type { Matrix, Size, ViewedImage } from './viewState.ts';

/** What a viewport says about itself after each drawing. */
export type ViewportReport = {
  readonly status: 'empty' | 'loading' | 'ready' | 'failed';
  /** Why the wanted frame cannot be shown. */
  readonly error: Error | undefined;
  /** Undefined where the canvas is empty. */
  readonly shown: ShownImage | undefined;
  /** The window on screen, in modality units; undefined for color. */
  readonly window: AppliedWindow | undefined;
  /** `sampled`: pixels are left out while a hand moves; `preview`: a small picture until the whole one is there. */
  readonly quality: 'exact' | 'sampled' | 'preview';
  /** Whether the window was applied here to the stored samples, or the picture came from the server. */
  readonly source: 'samples' | 'server' | undefined;
  readonly screen: ViewportScreen | undefined;
  /** What is missing of the picture on screen; undefined where nothing is. */
  readonly damage?: FrameDamage | undefined;
  /** Of an image that is made of tiles. */
  readonly tiles?: ShownTiles | undefined;
};

/**
 * What the pixels on the screen are. Whatever is written or drawn over them is about this, and never about what the
 * cell is to show: while that is on its way, the two differ.
 */
export type ShownImage = {
  readonly stack: ViewStack;
  /** In the stack, from 0. */
  readonly position: number;
  /** Of a slide, the frame that it was opened by. */
  readonly frame: StackFrame;
  readonly file: FileRecord;
  /** What its window was chosen as; undefined while the picture is still through another one. */
  readonly chosen: CellWindow | undefined;
  /** Where it is the window of the stack. */
  readonly stackWindow?: StackWindow | undefined;
  readonly invert: boolean;
  /** Color images are drawn in their own colors, whatever it says. */
  readonly colorMap: ColorMapName;
};

/** Where the image lies on the page. Lengths are CSS pixels from the viewport's top left corner. */
export type ViewportScreen = Size & {
  readonly image: ViewedImage;
  /** From image pixels. */
  readonly imageToScreen: Matrix;
  /** Device pixels per image column: 1 is one to one. */
  readonly zoom: number;
  /** The zoom that shows the whole image. */
  readonly fitZoom: number;
  /** Device pixels per CSS pixel. */
  readonly pixelRatio: number;
  /** Of an image that is no single frame, such as a slide; else the frame's file says it. */
  readonly mmPerPixel?: number | undefined;
  /** Of a slide: what a zoom of 1 is called, such as 40. */
  readonly magnification?: number | undefined;
};

/** The sample under the pointer. */
export type ProbedSample = {
  readonly column: number;
  readonly row: number;
  /** As stored; of color, the displayed red, green and blue. */
  readonly stored: number | readonly [number, number, number];
  /** In modality units; undefined where the transform is not known here, and for color. */
  readonly value: number | undefined;
  readonly isPadding: boolean;
  /** It lies where the image is damaged, so that its value may be invented. */
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

/** By cell. Written by the viewports, read by whoever draws over them. */
export const viewportsStore = createStore<{ readonly reports: ReadonlyMap<number, ViewportReport> }>(() => ({
  reports: new Map(),
}));

export function reportOf(cell: number): ViewportReport {
  return viewportsStore.getState().reports.get(cell) ?? NOTHING_SHOWN;
}

/** The single frame that a cell has on the screen; a slide is made of many. */
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

/** By cell; apart from the reports because it changes with every move of the pointer. */
export const probesStore = createStore<{ readonly probes: ReadonlyMap<number, ProbedSample> }>(() => ({
  probes: new Map(),
}));

export function setProbe(cell: number, sample: ProbedSample | undefined): void {
  const probes = new Map(probesStore.getState().probes);
  if (sample === undefined && !probes.delete(cell)) return;
  if (sample !== undefined) probes.set(cell, sample);
  probesStore.setState({ probes });
}

export function useReport<T>(cell: number, select: (report: ViewportReport) => T): T {
  return useStore(viewportsStore, ({ reports }) => select(reports.get(cell) ?? NOTHING_SHOWN));
}
