import type { RoiBox } from '../../../../shared/contract/annotations.ts';
import type { FrameOrder } from '../../../kit/state/frameOrder.ts';
import type { Matrix, Size } from '../../../kit/state/viewState.ts';
import { createSvgElement, createSvgPool, setNumbers } from '../../../kit/ui/svgElements.ts';
import { describeScope } from './frameScope.ts';
import { createMarkCrowd, type CrowdMark } from '../../../show/tools/markCrowd.ts';
import styles from '../../../show/tools/MarkLayer.module.css';
import type { Roi } from './roi.ts';
import type { Handle } from './roiEditing.ts';
import { placeHandles, type ScreenRect, toScreenRect } from './roiScreen.ts';

export type RoiScene = {
  readonly rois: readonly Roi[];
  /** Text beside each ROI, such as its number in the file. */
  readonly labelOf: (roi: Roi) => string;
  readonly selected: string | undefined;
  /** The box being dragged: of an existing ROI that is being changed, or of a new one that is being drawn. */
  readonly draft: { readonly uid: string | undefined; readonly box: RoiBox; readonly label: string } | undefined;
  readonly imageToScreen: Matrix;
  readonly screen: Size;
};

export interface RoiDrawing {
  draw(scene: RoiScene | undefined): void;
}

const HANDLE_SIZE = 7;
const LABEL_GAP = 4;
/** With more ROIs on the screen, only the selected one has a label: labels would cover the image and each other. */
const MOST_NAMED = 50;

/** Draws ROIs into an SVG element. */
export function createRoiDrawing(svg: SVGSVGElement): RoiDrawing {
  const crowd = createMarkCrowd(svg);
  const boxes = createSvgPool(svg, createBoxElement);
  const handles = createSvgPool(svg, createHandleElement);

  return {
    draw(scene) {
      if (scene === undefined) {
        crowd.clear();
        boxes.use(0);
        handles.use(0);
        return;
      }
      const { imageToScreen, screen } = scene;
      const all = listBoxes(scene);
      const shown = all.filter(({ rect }) => isOnScreen(rect, screen));
      const isCrowded = shown.length > MOST_NAMED;
      const named = isCrowded ? shown.filter(({ isSelected }) => isSelected) : shown;
      if (isCrowded)
        crowd.draw(all.filter(({ isSelected }) => !isSelected).map(toCrowdMark), { imageToScreen, screen });
      else crowd.clear();
      for (const [i, element] of boxes.use(named.length).entries()) {
        const { box, rect, uid, label, isSelected } = named[i]!;
        element.dataset['roi'] = uid;
        element.dataset['box'] = box.join(' ');
        element.classList.toggle(styles.selected ?? '', isSelected);
        placeBox(element, rect, label());
      }
      const selected = shown.find(({ isSelected }) => isSelected);
      // A box that is being drawn has no handles yet: they would be under the pointer.
      const placed = selected === undefined || selected.uid === 'new' ? [] : placeHandles(selected.box, imageToScreen);
      for (const [i, element] of handles.use(placed.length).entries()) {
        const { handle, at } = placed[i]!;
        element.dataset['handle'] = nameOf(handle);
        setNumbers(element, { x: at.x - HANDLE_SIZE / 2, y: at.y - HANDLE_SIZE / 2 });
      }
    },
  };
}

type ShownBox = {
  readonly box: RoiBox;
  readonly rect: ScreenRect;
  readonly uid: string;
  readonly label: () => string;
  readonly isSelected: boolean;
};

function listBoxes({ rois, draft, labelOf, selected, imageToScreen }: RoiScene): readonly ShownBox[] {
  const shown = rois.map((roi): ShownBox => {
    const isDraft = draft?.uid === roi.uid;
    const box = isDraft ? draft.box : roi.box;
    const label = () => (isDraft ? draft.label : labelOf(roi));
    return {
      box,
      rect: toScreenRect(box, imageToScreen),
      uid: roi.uid,
      label,
      isSelected: roi.uid === selected,
    };
  });
  if (draft === undefined || draft.uid !== undefined) return shown;
  const { box, label } = draft;
  const rect = toScreenRect(box, imageToScreen);
  return [...shown, { box, rect, uid: 'new', label: () => label, isSelected: true }];
}

function toCrowdMark({ box }: ShownBox): CrowdMark {
  return {
    form: box,
    text: box,
    name: '',
    color: undefined,
    isDashed: false,
    boundsAt(imageToScreen) {
      const { x, y, width, height } = toScreenRect(box, imageToScreen);
      return { left: x, top: y, right: x + width, bottom: y + height };
    },
    outlineAt(imageToScreen) {
      const { x, y, width, height } = toScreenRect(box, imageToScreen);
      return `M${x} ${y}h${width}v${height}h${-width}z`;
    },
  };
}

function isOnScreen({ x, y, width, height }: ScreenRect, screen: Size): boolean {
  return x + width >= 0 && y + height >= 0 && x <= screen.width && y <= screen.height;
}

/** Compass name in the orientation of the stored image: n is the edge at its first row. */
export function nameOf({ x, y }: Handle): string {
  return `${{ [-1]: 'n', 0: '', 1: 's' }[y]}${{ [-1]: 'w', 0: '', 1: 'e' }[x]}`;
}

export function nameRoi({ frames }: Roi, number: number, order: FrameOrder): string {
  return frames.length === 0 ? `${number}` : `${number} · ${describeScope(frames, order)}`;
}

export function describeBoxSize([ymin, xmin, ymax, xmax]: RoiBox): string {
  return `${xmax - xmin} × ${ymax - ymin} px`;
}

function createBoxElement(): SVGGElement {
  const group = createSvgElement('g', styles.roi);
  group.append(
    createSvgElement('rect', styles.halo),
    createSvgElement('rect', styles.line),
    createSvgElement('text', styles.label),
  );
  return group;
}

function placeBox(group: SVGGElement, rect: ScreenRect, label: string): void {
  const [halo, line, text] = group.children;
  for (const element of [halo, line]) if (element !== undefined) setNumbers(element, rect);
  if (text === undefined) return;
  // Above the box, or inside it where there is no room above.
  const above = rect.y - LABEL_GAP;
  setNumbers(text, { x: Math.max(rect.x, LABEL_GAP), y: above > 12 ? above : rect.y + 14 });
  if (text.textContent !== label) text.textContent = label;
}

function createHandleElement(): SVGRectElement {
  const handle = createSvgElement('rect', styles.handle);
  setNumbers(handle, { width: HANDLE_SIZE, height: HANDLE_SIZE });
  return handle;
}
