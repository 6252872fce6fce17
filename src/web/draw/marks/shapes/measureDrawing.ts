import type { Matrix, Size } from '../../../kit/state/viewState.ts';
import { haveSameItems } from '../../../kit/state/haveSameItems.ts';
import { createMarkCrowd, type CrowdLabel, type CrowdMark, overlaps } from '../../../show/tools/markCrowd.ts';
import { createSvgElement, createSvgPool, setNumbers } from '../../../kit/ui/svgElements.ts';
import { describeMeasurement } from './describeMeasurement.ts';
import { LINE_HEIGHT, placeLabels, usualLabel } from './labelPlaces.ts';
import { boundsOnScreen } from './markBounds.ts';
import { toScreen } from './measureHit.ts';
import { MEASURE_KINDS } from './measureKinds.ts';
import { isFixed, isInterpolated, type Measurement } from './measurement.ts';
import styles from '../../../show/tools/MarkLayer.module.css';

export type MeasureScene = {
  readonly items: readonly Measurement[];
  readonly selected: string | undefined;
  readonly chosen: ReadonlySet<string>;
  /** Drawn without handles, because they would be under the pointer. */
  readonly draftUid: string | undefined;
  readonly imageToScreen: Matrix;
  readonly screen: Size;
  /** The color of its class. */
  readonly colorOf: (item: Measurement) => string | undefined;
  /** Its class and label. */
  readonly nameOf: (item: Measurement) => string;
};

const HANDLE_RADIUS = 4;
/** More marks on the screen are drawn as a crowd, apart from those that are chosen. */
const MOST_ALONE = 100;
/** How far an outline reaches beyond its points, such as the head of an arrow. In CSS pixels. */
const OUTLINE_REACH = 12;

/** Draws measurements into an SVG element, and many of them onto a canvas below it. */
export function createMeasureDrawing(svg: SVGSVGElement): (scene: MeasureScene | undefined) => void {
  const crowd = createMarkCrowd(svg);
  const outlines = createSvgPool(svg, createItemElement);
  const handles = createSvgPool(svg, createHandleElement);
  /** What each outline shows. */
  const drawn = new WeakMap<SVGGElement, readonly unknown[]>();
  return (scene) => {
    if (scene === undefined) {
      crowd.clear();
      outlines.use(0);
      handles.use(0);
      return;
    }
    const { items, draftUid, imageToScreen, screen, colorOf } = scene;
    const { alone, crowded } = divide(scene);
    if (crowded.length === 0) crowd.clear();
    else
      crowd.draw(
        crowded.map((item) => toCrowdMark(item, scene)),
        scene,
      );
    const labels = placeLabels(
      alone.map((item) => ({
        ...labelTextOf(item, scene),
        bounds: boundsOnScreen(item.points, imageToScreen, 0),
        isActive: isActive(item, scene),
      })),
      screen,
    );
    for (const [i, element] of outlines.use(alone.length).entries()) {
      const item = alone[i]!;
      const active = isActive(item, scene);
      // The selected mark has the color of the selection.
      const color = active ? '' : (colorOf(item) ?? '');
      const label = labels[i]!;
      const look = [item, imageToScreen, active, color, label.at.x, label.at.y, ...label.lines];
      // While one of several is dragged, the others are as they were.
      if (haveSameItems(look, drawn.get(element))) continue;
      drawn.set(element, look);
      element.dataset['measure'] = item.kind;
      element.style.color = color;
      element.classList.toggle(styles.selected ?? '', active);
      element.classList.toggle(styles.interpolated ?? '', isInterpolated(item));
      placeItem(element, item, imageToScreen);
      placeLabel(element.children[2]!, label);
    }
    const selected = draftUid === undefined ? items.find(({ uid }) => uid === scene.selected) : undefined;
    const points = selected === undefined ? [] : toScreen(selected.points, imageToScreen);
    const placed = selected === undefined || isFixed(selected) ? [] : MEASURE_KINDS[selected.kind].handlesOf(points);
    for (const [i, element] of handles.use(placed.length).entries()) {
      setNumbers(element, { cx: placed[i]!.x, cy: placed[i]!.y });
    }
  };
}

function isActive({ uid }: Measurement, { draftUid, chosen }: Pick<MeasureScene, 'draftUid' | 'chosen'>): boolean {
  return uid === draftUid || chosen.has(uid);
}

type Divided = { readonly alone: readonly Measurement[]; readonly crowded: readonly Measurement[] };

/** Of many items, only those on the screen are drawn; if these are many too, all but the active ones are a crowd. */
function divide(scene: MeasureScene): Divided {
  const { items, imageToScreen, screen } = scene;
  if (items.length <= MOST_ALONE) return { alone: items, crowded: [] };
  const area = { left: 0, top: 0, right: screen.width, bottom: screen.height };
  const shown = items.filter(
    (item) => isActive(item, scene) || overlaps(boundsOnScreen(item.points, imageToScreen, OUTLINE_REACH), area),
  );
  if (shown.length <= MOST_ALONE) return { alone: shown, crowded: [] };
  const active: Measurement[] = [];
  const crowded: Measurement[] = [];
  for (const item of items) (isActive(item, scene) ? active : crowded).push(item);
  // Thousands may be chosen together.
  if (active.length > MOST_ALONE) return { alone: [], crowded: items };
  return { alone: active, crowded };
}

function toCrowdMark(item: Measurement, scene: MeasureScene): CrowdMark {
  return {
    form: item.points,
    text: item,
    name: scene.nameOf(item),
    color: isActive(item, scene) ? ACTIVE_COLOR : scene.colorOf(item),
    isDashed: isInterpolated(item),
    boundsAt: (imageToScreen) => boundsOnScreen(item.points, imageToScreen, 0),
    outlineAt: (imageToScreen) => MEASURE_KINDS[item.kind].outline(toScreen(item.points, imageToScreen)),
    labelAt: (imageToScreen) => usualLabel(labelTextOf(item, { ...scene, imageToScreen }), scene.screen),
  };
}

/** As `.selected` of the layer. */
const ACTIVE_COLOR = '#7cf3ff';

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

function placeItem(group: SVGGElement, item: Measurement, imageToScreen: Matrix): void {
  const [halo, line] = group.children;
  const outline = MEASURE_KINDS[item.kind].outline(toScreen(item.points, imageToScreen));
  for (const element of [halo, line]) element?.setAttribute('d', outline);
}

/** Measurements never change, so each is described once under a name. */
const described = new WeakMap<Measurement, { readonly name: string; readonly lines: readonly string[] }>();

function labelTextOf(item: Measurement, { imageToScreen, nameOf }: Pick<MeasureScene, 'imageToScreen' | 'nameOf'>) {
  const { handlesOf, labelPointsOf = handlesOf } = MEASURE_KINDS[item.kind];
  const name = nameOf(item);
  const before = described.get(item);
  const lines = before?.name === name ? before.lines : [...(name === '' ? [] : [name]), ...describeMeasurement(item)];
  described.set(item, { name, lines });
  return { lines, points: labelPointsOf(toScreen(item.points, imageToScreen)) };
}

function placeLabel(text: Element, { lines, at: { x, y } }: CrowdLabel): void {
  while (text.childElementCount > lines.length) text.lastElementChild?.remove();
  while (text.childElementCount < lines.length) text.append(createSvgElement('tspan', undefined));
  for (const [i, line] of lines.entries()) {
    const element = text.children[i];
    if (element === undefined) continue;
    setNumbers(element, { x, y: y + i * LINE_HEIGHT });
    if (element.textContent !== line) element.textContent = line;
  }
}
