import { type RefObject, useLayoutEffect, useRef } from 'react';
import type { WindowChoice } from '../../../../shared/chooseVoi.ts';
import { cellsOf } from '../../../kit/state/cells.ts';
import { fileInfoOf } from '../../../kit/state/fileInfo.ts';
import { libraryOf } from '../../../kit/state/library.ts';
import { usePage } from '../../../kit/state/page.ts';
import { presentationsOf } from '../../../kit/state/presentations.ts';
import { stackWindowsOf } from '../../../kit/state/stackWindows.ts';
import { volumeProgressOf } from '../../../kit/state/volumeProgress.ts';
import { volumesOf } from '../../../kit/state/volumes.ts';
import { setReport } from '../viewports.ts';
import { createViewport, type Viewport } from './createViewport.ts';
import type { Scene } from './scene.ts';
import type { PictureSource } from '../pictureSource.ts';
import { refusalsOf } from '../refusals.ts';
import { imagingOf } from './imaging.ts';
import { sceneOf } from './sceneOf.ts';
import { setSampleSource } from './shownSamples.ts';

/**
 * Keeps a canvas in step with the state of its cell and with the source that it shows there. Only the canvas element
 * itself goes through React.
 */
export function useViewport(
  cell: number,
  canvasRef: RefObject<HTMLCanvasElement | null>,
  getSource: () => PictureSource | undefined,
): RefObject<Viewport | null> {
  const page = usePage();
  const viewportRef = useRef<Viewport | null>(null);

  // A layout effect, so that the first image appears with the first paint of the page.
  useLayoutEffect(() => {
    const canvas = canvasRef.current;
    if (canvas === null) return undefined;
    const viewport = createViewport({
      ...imagingOf(page),
      cell: String(cell),
      canvas,
      onReport: (report) => setReport(page, cell, report),
    });
    viewportRef.current = viewport;
    setSampleSource(page, cell, () => viewport.samples());
    let last: Scene | undefined;
    const show = () => {
      const scene = sceneOf(page, cell, getSource());
      if (isSameScene(scene, last)) return;
      last = scene;
      viewport.show(scene);
    };
    const states = [cellsOf(page), libraryOf(page), fileInfoOf(page).changes, stackWindowsOf(page)];
    const stores = [...states, refusalsOf(page), volumesOf(page).changes, presentationsOf(page)];
    const stopWatching = stores.map((store) => store.subscribe(show));
    const stopProgress = volumeProgressOf(page).subscribe(() => {
      if (getSource()?.samplesOf !== undefined) viewport.refresh();
    });
    const stopMeasuring = watchSize(canvas, (size) => viewport.resize(size, window.devicePixelRatio));
    show();
    return () => {
      for (const stop of stopWatching) stop();
      stopProgress();
      stopMeasuring();
      viewport.close();
      setSampleSource(page, cell, undefined);
      viewportRef.current = null;
      setReport(page, cell, undefined);
    };
  }, [page, cell, canvasRef, getSource]);

  return viewportRef;
}

function isSameScene(a: Scene | undefined, b: Scene | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return (
    a.source === b.source &&
    a.serverRun === b.serverRun &&
    a.position === b.position &&
    a.window === b.window &&
    a.stackWindow === b.stackWindow &&
    a.awaitsWindow === b.awaitsWindow &&
    isSameChoice(a.choice, b.choice) &&
    a.invert === b.invert &&
    a.colorMap === b.colorMap &&
    a.view === b.view &&
    a.interpolation === b.interpolation &&
    a.isPlaying === b.isPlaying &&
    a.state === b.state
  );
}

function isSameChoice(a: WindowChoice, b: WindowChoice): boolean {
  if (a.kind !== 'explicit' || b.kind !== 'explicit') return a.kind === b.kind;
  return a.center === b.center && a.width === b.width;
}

function watchSize(canvas: HTMLCanvasElement, onSize: (size: { width: number; height: number }) => void): () => void {
  const box = canvas.parentElement ?? canvas;
  const observer = new ResizeObserver(() => onSize({ width: box.clientWidth, height: box.clientHeight }));
  observer.observe(box);
  return () => observer.disconnect();
}
