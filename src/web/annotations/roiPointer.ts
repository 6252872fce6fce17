import type { RoiBox } from '../../shared/contract/annotations.ts';
import { activateCell, cellsStore, setCine } from '../state/cells.ts';
import { libraryStore } from '../state/library.ts';
import { toolsStore } from '../state/tools.ts';
import type { Point } from '../state/viewState.ts';
import { reportOf, viewportsStore } from '../state/viewports.ts';
import { pageRois } from './pageRois.ts';
import { createRoiDrawing, nameRoi, type RoiScene } from './roiDrawing.ts';
import { beginGesture, type RoiGesture, toImagePoint } from './roiGesture.ts';
import { cursorOf, findHit } from './roiScreen.ts';
import { findShownFrame, roisOn, type ShownFrame } from './shownFrame.ts';

/** Less than this is a click that trembled. */
const DRAG_PIXELS = 3;
const MOUSE_REACH = 5;
const FINGER_REACH = 14;

type Pressed = {
  readonly gesture: RoiGesture;
  readonly pointerId: number;
  readonly from: Point;
  at: Point;
  hasMoved: boolean;
};

export type RoiPointerOptions = {
  readonly cell: number;
  readonly svg: SVGSVGElement;
  /** The cell's element, which holds the SVG element and gets the pointer's events. */
  readonly surface: HTMLElement;
};

/** Keeps the ROIs of a cell drawn and answers hands on them. Returns how to let go. */
export function followRoiPointer({ cell, svg, surface }: RoiPointerOptions): () => void {
  const letGo = new AbortController();
  const { signal } = letGo;
  const drawing = createRoiDrawing(svg);
  let pressed: Pressed | undefined;
  let isSpaceDown = false;
  let drawn: readonly unknown[] = [];

  const draw = () => {
    const shown = findShownFrame(cell);
    if (pressed !== undefined && !isSameFrame(pressed.gesture.shown, shown)) pressed = undefined;
    const { files, selection } = pageRois.store.getState();
    const { file, frame, screen } = shown ?? {};
    const box = shown && pressed?.hasMoved === true ? String(boxOf(pressed, shown)) : undefined;
    const now = [file, frame, screen?.imageToScreen, files.get(file?.index ?? -1)?.rois, selection, pressed, box];
    if (now.every((part, i) => part === drawn[i]) && drawn.length > 0) return;
    drawn = now;
    drawing.draw(shown && sceneOf(shown, pressed));
  };

  const pointOf = ({ clientX, clientY }: MouseEvent): Point => {
    const { left, top } = surface.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  };

  const down = (event: PointerEvent) => {
    if (event.target !== surface && !isPicture(event.target)) return;
    if (pressed !== undefined) {
      // A second finger: the two move the image.
      pressed = undefined;
      draw();
      return;
    }
    const shown = findShownFrame(cell);
    if (event.button !== 0 || isSpaceDown || shown === undefined) return;
    const isRoiTool = toolsStore.getState().tool === 'roi';
    const at = pointOf(event);
    const gesture = beginGesture({ shown, at, reach: reachOf(event), isRoiTool });
    if (gesture === undefined) return;
    // Another tool must not take the same press. With the ROI tool none does, and it may count fingers.
    if (!isRoiTool) event.stopPropagation();
    activateCell(cell);
    setCine(cell, { playing: false });
    pressed = { gesture, pointerId: event.pointerId, from: at, at, hasMoved: false };
    surface.setPointerCapture(event.pointerId);
  };

  const move = (event: PointerEvent) => {
    const at = pointOf(event);
    if (pressed === undefined) {
      surface.style.cursor = cursorAt(cell, at, event);
      return;
    }
    if (pressed.pointerId !== event.pointerId) return;
    pressed.at = at;
    pressed.hasMoved ||= Math.hypot(at.x - pressed.from.x, at.y - pressed.from.y) >= DRAG_PIXELS;
    draw();
  };

  const up = (event: PointerEvent) => {
    if (pressed?.pointerId !== event.pointerId) return;
    const { gesture, hasMoved } = pressed;
    const shown = findShownFrame(cell);
    pressed = undefined;
    if (event.type === 'pointerup' && !hasMoved) gesture.click();
    else if (event.type === 'pointerup' && shown !== undefined) gesture.commit(toImagePoint(shown, pointOf(event)));
    draw();
  };

  const key = (event: KeyboardEvent) => {
    if (event.key === ' ') isSpaceDown = event.type === 'keydown';
    if (event.key !== 'Escape' || event.type !== 'keydown' || pressed === undefined) return;
    // The first Escape ends the gesture and nothing else.
    event.stopImmediatePropagation();
    pressed = undefined;
    draw();
  };

  // While it captures: the tools listen on the same element, and come after.
  surface.addEventListener('pointerdown', down, { signal, capture: true });
  surface.addEventListener('pointermove', move, { signal });
  surface.addEventListener('pointerup', up, { signal });
  surface.addEventListener('pointercancel', up, { signal });
  window.addEventListener('keydown', key, { signal, capture: true });
  window.addEventListener('keyup', key, { signal, capture: true });
  window.addEventListener('blur', () => (isSpaceDown = false), { signal });
  const stops = [pageRois.store, viewportsStore, cellsStore, libraryStore].map((store) => store.subscribe(draw));
  draw();
  return () => {
    letGo.abort();
    for (const stop of stops) stop();
    surface.style.cursor = '';
    svg.replaceChildren();
  };
}

function sceneOf(shown: ShownFrame, pressed: Pressed | undefined): RoiScene {
  const { files, selection } = pageRois.store.getState();
  const all = files.get(shown.file.index)?.rois ?? [];
  const { gesture } = pressed ?? {};
  return {
    rois: roisOn(shown),
    labelOf: (roi) => nameRoi(roi, all.indexOf(roi) + 1),
    selectedId: selection?.fileIndex === shown.file.index ? selection.id : undefined,
    draft:
      pressed?.hasMoved === true && gesture !== undefined
        ? { id: gesture.roi?.id, box: boxOf(pressed, shown) }
        : undefined,
    imageToScreen: shown.screen.imageToScreen,
    screen: shown.screen,
  };
}

function boxOf({ gesture, at }: Pressed, shown: ShownFrame): RoiBox {
  return gesture.boxAt(toImagePoint(shown, at));
}

/** What the pointer looks like here; empty where the tools decide. */
function cursorAt(cell: number, at: Point, event: PointerEvent): string {
  const shown = findShownFrame(cell);
  if (shown === undefined || reportOf(cell).status === 'failed') return '';
  const { selection } = pageRois.store.getState();
  const selectedId = selection?.fileIndex === shown.file.index ? selection.id : undefined;
  const { imageToScreen } = shown.screen;
  const hit = findHit(at, { rois: roisOn(shown), selectedId, imageToScreen, reach: reachOf(event) });
  const isRoiTool = toolsStore.getState().tool === 'roi';
  if (hit?.part === 'handle') return cursorOf(hit.handle, imageToScreen);
  if (hit?.part === 'edge' || (isRoiTool && hit !== undefined && hit.roi.id === selectedId)) return 'move';
  return isRoiTool ? 'crosshair' : '';
}

function reachOf({ pointerType }: PointerEvent): number {
  return pointerType === 'touch' ? FINGER_REACH : MOUSE_REACH;
}

/** Not a button or a menu that lies over the image. */
function isPicture(target: EventTarget | null): boolean {
  return target instanceof HTMLCanvasElement || target instanceof SVGElement;
}

function isSameFrame(a: ShownFrame, b: ShownFrame | undefined): boolean {
  return a.file.index === b?.file.index && a.frame === b.frame;
}
