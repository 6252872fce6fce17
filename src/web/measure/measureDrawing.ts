import type { Matrix, Point, Size } from '../state/viewState.ts';
import { createSvgElement, createSvgPool, setNumbers } from '../ui/svgElements.ts';
import { describeMeasurement } from './describeMeasurement.ts';
import { toScreen } from './measureHit.ts';
import { MEASURE_KINDS } from './measureKinds.ts';
import type { Measurement } from './measurement.ts';
import styles from '../tools/MarkLayer.module.css';

export type MeasureScene = {
  readonly items: readonly Measurement[];
  readonly selectedId: number | undefined;
  readonly chosenIds: ReadonlySet<number>;
  /** Drawn without handles, because they would be under the pointer. */
  readonly draftId: number | undefined;
  readonly imageToScreen: Matrix;
  readonly screen: Size;
  /** The color of its class. */
  readonly colorOf: (item: Measurement) => string | undefined;
  /** Its class and label. */
  readonly nameOf: (item: Measurement) => string;
};

const HANDLE_RADIUS = 4;
const LABEL_GAP = 9;
const LINE_HEIGHT = 15;
/**
 * Estimate that is wide enough for most texts: reading the real width would make the browser compute the layout for
 * each.
 */
const LETTER_WIDTH = 6.8;

/** Draws measurements into an SVG element. */
export function createMeasureDrawing(svg: SVGSVGElement): (scene: MeasureScene | undefined) => void {
  const outlines = createSvgPool(svg, createItemElement);
  const handles = createSvgPool(svg, createHandleElement);
  /** What each outline shows. */
  const drawn = new WeakMap<SVGGElement, readonly unknown[]>();
  return (scene) => {
    const { items = [], selectedId, chosenIds, draftId, imageToScreen, screen, colorOf, nameOf } = scene ?? {};
    if (imageToScreen === undefined || screen === undefined || nameOf === undefined) {
      outlines.use(0);
      handles.use(0);
      return;
    }
    for (const [i, element] of outlines.use(items.length).entries()) {
      const item = items[i]!;
      const isActive = item.id === draftId || (chosenIds?.has(item.id) ?? false);
      // The selected mark has the color of the selection.
      const color = isActive ? '' : (colorOf?.(item) ?? '');
      const look = [item, imageToScreen, screen.width, screen.height, isActive, color, nameOf(item)];
      // While one of thousands is dragged, the others are as they were.
      if (drawn.get(element)?.every((part, n) => part === look[n]) === true) continue;
      drawn.set(element, look);
      element.dataset['measure'] = item.kind;
      element.style.color = color;
      element.classList.toggle(styles.selected ?? '', isActive);
      element.classList.toggle(styles.interpolated ?? '', item.isInterpolated === true);
      placeItem(element, item, { imageToScreen, screen, nameOf });
    }
    const selected = draftId === undefined ? items.find(({ id }) => id === selectedId) : undefined;
    const points = selected === undefined ? [] : toScreen(selected.points, imageToScreen);
    const placed =
      selected === undefined || selected.isFixed === true ? [] : MEASURE_KINDS[selected.kind].handlesOf(points);
    for (const [i, element] of handles.use(placed.length).entries()) {
      setNumbers(element, { cx: placed[i]!.x, cy: placed[i]!.y });
    }
  };
}

function createItemElement(): SVGGElement {
  const group = createSvgElement('g', styles.item);
  group.append(
    createSvgElement('path', styles.halo),
    createSvgElement('path', styles.line),
    createSvgElement('text', styles.label),
  );
  return group;
}

function createHandleElement(): SVGCircleElement {
  const handle = createSvgElement('circle', styles.handle);
  setNumbers(handle, { r: HANDLE_RADIUS });
  return handle;
}

type Placement = Pick<MeasureScene, 'screen' | 'imageToScreen' | 'nameOf'>;

function placeItem(group: SVGGElement, item: Measurement, { imageToScreen, screen, nameOf }: Placement): void {
  const points = toScreen(item.points, imageToScreen);
  const { outline, handlesOf, labelPointsOf = handlesOf } = MEASURE_KINDS[item.kind];
  const [halo, line, text] = group.children;
  for (const element of [halo, line]) element?.setAttribute('d', outline(points));
  const name = nameOf(item);
  const lines = [...(name === '' ? [] : [name]), ...describeMeasurement(item)];
  if (text !== undefined) placeLabel(text, lines, findLabelPlace(labelPointsOf(points), lines, screen));
}

/**
 * Beside the lowest handle: to its right, or to the left of all handles if there is no room, and always inside the
 * cell.
 */
function findLabelPlace(handles: readonly Point[], lines: readonly string[], screen: Size): Point {
  const width = Math.max(0, ...lines.map((line) => line.length)) * LETTER_WIDTH;
  const bottom = Math.max(...handles.map(({ y }) => y));
  const right = Math.max(...handles.filter(({ y }) => y === bottom).map(({ x }) => x));
  const left = Math.min(...handles.map(({ x }) => x));
  const x = right + LABEL_GAP + width <= screen.width ? right + LABEL_GAP : left - LABEL_GAP - width;
  const lowest = screen.height - (lines.length - 1) * LINE_HEIGHT - LABEL_GAP;
  return {
    x: Math.min(Math.max(x, LABEL_GAP), Math.max(LABEL_GAP, screen.width - width - LABEL_GAP)),
    y: Math.min(Math.max(bottom + LABEL_GAP, LINE_HEIGHT), Math.max(LINE_HEIGHT, lowest)),
  };
}

function placeLabel(text: Element, lines: readonly string[], { x, y }: Point): void {
  while (text.childElementCount > lines.length) text.lastElementChild?.remove();
  while (text.childElementCount < lines.length) text.append(createSvgElement('tspan', undefined));
  for (const [i, line] of lines.entries()) {
    const element = text.children[i];
    if (element === undefined) continue;
    setNumbers(element, { x, y: y + i * LINE_HEIGHT });
    if (element.textContent !== line) element.textContent = line;
  }
}
