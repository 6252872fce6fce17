import { createCanvasPainter } from './canvasPainter.ts';
import type { CellPainter, PaintedBox, TextLine } from './cellPainter.ts';
import { createSvgPainter } from './svgPainter.ts';

/** Elements over an image that do not belong into a picture of it: buttons and panels are tools of the page. */
const NOT_IN_PICTURE =
  'button:not([data-in-picture]), input, [popover], [data-control], [data-lens], [role=alert], [hidden]';

export type PaintOptions = {
  /** Texts, marks and segmentations. */
  readonly withOverlays: boolean;
  /** Device pixels per CSS pixel. */
  readonly ratio: number;
};

/** Draws what a cell shows into a new canvas, laid out as on the page. */
export async function paintCell(cell: HTMLElement, options: PaintOptions): Promise<HTMLCanvasElement> {
  const { width, height } = cell.getBoundingClientRect();
  const { canvas, painter } = createCanvasPainter(width, height, options.ratio);
  await showCell(cell, painter, options);
  return canvas;
}

/** What a cell shows as SVG: the picture as a raster, marks and texts as lines and letters. */
export async function drawCell(cell: HTMLElement, options: PaintOptions): Promise<string> {
  const { width, height } = cell.getBoundingClientRect();
  const { painter, write } = createSvgPainter(width, height, options.ratio);
  await showCell(cell, painter, options);
  return write();
}

async function showCell(cell: HTMLElement, painter: CellPainter, { withOverlays }: PaintOptions): Promise<void> {
  const picture = cell.querySelector('canvas');
  if (picture !== null) painter.picture(picture);
  if (!withOverlays) return;
  const corner = cell.getBoundingClientRect();
  for (const child of cell.children) if (child !== picture) await showElement(painter, child, corner);
}

async function showElement(painter: CellPainter, element: Element, corner: DOMRect): Promise<void> {
  if (element.matches(NOT_IN_PICTURE)) return;
  const style = getComputedStyle(element);
  if (style.display === 'none' || style.visibility === 'hidden' || isFolded(element)) return;
  const { left, top, width, height } = element.getBoundingClientRect();
  const box = { left: left - corner.left, top: top - corner.top, width, height };
  const hasSize = width > 0 && height > 0;
  if (element instanceof SVGSVGElement) {
    // Others are icons of buttons and badges.
    const isLayer = element.dataset['layer'] !== undefined;
    if (isLayer && hasSize && element.childElementCount > 0) await painter.drawing(copyDrawing(element, box), box);
    return;
  }
  if (element instanceof HTMLCanvasElement) {
    if (element.width > 0 && element.height > 0 && hasSize) painter.canvas(element, box, style);
    return;
  }
  if (hasSize) painter.box(box, style);
  for (const child of element.childNodes) {
    if (child instanceof Element) await showElement(painter, child, corner);
    else if (child instanceof Text) {
      const lines = listLines(child);
      const inCell = lines.map((one) => ({ ...one, left: one.left - corner.left, top: one.top - corner.top }));
      painter.text(inCell, style);
    }
  }
}

/** Whether an element is the content of a closed list. It has a size nevertheless, and no style that says so. */
function isFolded({ parentElement, tagName }: Element): boolean {
  return parentElement instanceof HTMLDetailsElement && !parentElement.open && tagName !== 'SUMMARY';
}

/** The lines into which the browser has broken a text, with their positions. */
function listLines(text: Text): TextLine[] {
  const range = document.createRange();
  const lines: { line: string; left: number; top: number }[] = [];
  for (let at = 0; at < text.data.length; at++) {
    range.setStart(text, at);
    range.setEnd(text, at + 1);
    const [rect] = range.getClientRects();
    const character = text.data[at] ?? '';
    if (rect === undefined || rect.width === 0) continue;
    const last = lines.at(-1);
    if (last !== undefined && Math.abs(last.top - rect.top) < 2) last.line += character;
    else lines.push({ line: character, left: rect.left, top: rect.top });
  }
  return lines;
}

/**
 * Properties that determine the look of lines and letters. Set as attributes, because the page allows no inline styles.
 */
const SVG_LOOKS = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'stroke-linejoin',
  'stroke-linecap',
  'stroke-opacity',
  'paint-order',
  'opacity',
  'display',
  'visibility',
  'vector-effect',
  'font-family',
  'font-size',
  'font-weight',
  'text-anchor',
  'dominant-baseline',
];

/** A copy of a layer of the page with its look in attributes. */
function copyDrawing(svg: SVGSVGElement, { width, height }: PaintedBox): SVGSVGElement {
  const copy = svg.cloneNode(true);
  if (!(copy instanceof SVGSVGElement)) throw new Error('a copy is of the same kind');
  const copies = [...copy.querySelectorAll('*')];
  for (const [i, element] of [...svg.querySelectorAll('*')].entries()) {
    const style = getComputedStyle(element);
    for (const name of SVG_LOOKS) copies[i]?.setAttribute(name, style.getPropertyValue(name));
    copies[i]?.removeAttribute('class');
    copies[i]?.removeAttribute('style');
  }
  for (const name of ['class', 'style']) copy.removeAttribute(name);
  copy.setAttribute('viewBox', `0 0 ${width} ${height}`);
  return copy;
}
