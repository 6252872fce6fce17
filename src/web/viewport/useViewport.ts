import { type RefObject, useEffect, useRef } from 'react';
import type { WindowChoice } from '../../shared/chooseVoi.ts';
import { type CellWindow, cellOf, cellsStore, stackOfCell, toWindowChoice } from '../state/cells.ts';
import { fileInfoStore, findInfo } from '../state/fileInfo.ts';
import { findFile, libraryStore } from '../state/library.ts';
import { isSlideStack } from '../state/slides.ts';
import { setReport } from '../state/viewports.ts';
import { createViewport, type Scene, type Viewport } from './createViewport.ts';
import type { FrameShape } from './frameForms.ts';
import { imaging } from './imaging.ts';

/** Keeps a canvas showing what a cell says. Nothing of it goes through React but the canvas itself. */
export function useViewport(cell: number, canvasRef: RefObject<HTMLCanvasElement | null>): RefObject<Viewport | null> {
  const viewportRef = useRef<Viewport | null>(null);

  useEffect(() => {
    const canvas = canvasRef.current;
    if (canvas === null) return undefined;
    const viewport = createViewport({
      ...imaging,
      cell: String(cell),
      canvas,
      shapeOf,
      onReport: (report) => setReport(cell, report),
    });
    viewportRef.current = viewport;
    let last: Scene | undefined;
    const show = () => {
      const scene = sceneOf(cell);
      if (isSameScene(scene, last)) return;
      last = scene;
      viewport.show(scene);
    };
    const stopWatching = [cellsStore, libraryStore, fileInfoStore].map((store) => store.subscribe(show));
    const stopMeasuring = watchSize(canvas, (size) => viewport.resize(size, window.devicePixelRatio));
    show();
    return () => {
      for (const stop of stopWatching) stop();
      stopMeasuring();
      viewport.close();
      viewportRef.current = null;
      setReport(cell, undefined);
    };
  }, [cell, canvasRef]);

  return viewportRef;
}

function sceneOf(cell: number): Scene | undefined {
  const stack = stackOfCell(cell);
  // A slide is drawn from its tiles, in another part of the page.
  if (stack === undefined || stack.frames.length === 0 || isSlideStack(stack)) return undefined;
  const { position, window, invert, view, interpolation, cine } = cellOf(cell);
  const frame = stack.frames[position];
  return {
    frames: stack.frames,
    position,
    choice: resolveWindow(window, frame?.fileIndex),
    invert,
    view,
    interpolation,
    isPlaying: cine.playing,
  };
}

/** With a frame comes only its first declared window; the others are known by their numbers. */
function resolveWindow(window: CellWindow, fileIndex: number | undefined): WindowChoice {
  if (window.kind !== 'file' || window.index === 0 || fileIndex === undefined) return toWindowChoice(window);
  const declared = findInfo(fileIndex)?.windows[window.index];
  return declared === undefined ? { kind: 'default' } : { kind: 'explicit', ...pickWindow(declared) };
}

function pickWindow({ center, width }: { center: number; width: number }) {
  return { center, width };
}

function shapeOf(fileIndex: number): FrameShape | undefined {
  const file = findFile(fileIndex);
  if (file === undefined) return undefined;
  const { rows, columns, photometric_interpretation: photometricInterpretation } = file;
  return { rows, columns, photometricInterpretation, aspect: file.pixel_aspect_ratio ?? 1 };
}

function isSameScene(a: Scene | undefined, b: Scene | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return (
    a.frames === b.frames &&
    a.position === b.position &&
    isSameChoice(a.choice, b.choice) &&
    a.invert === b.invert &&
    a.view === b.view &&
    a.interpolation === b.interpolation &&
    a.isPlaying === b.isPlaying
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
