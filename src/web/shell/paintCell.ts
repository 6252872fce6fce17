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
export async function paintCell(cell: HTMLElement, { withOverlays, ratio }: PaintOptions): Promise<HTMLCanvasElement> {
  const frame = cell.getBoundingClientRect();
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(frame.width * ratio);
  canvas.height = Math.round(frame.height * ratio);
  const context = canvas.getContext('2d', { alpha: false });
  if (context === null) throw new Error('The browser does not have enough memory for an image of this size.');
  const picture = cell.querySelector('canvas');
  if (picture !== null) context.drawImage(picture, 0, 0);
  if (!withOverlays) return canvas;
  context.setTransform(ratio, 0, 0, ratio, -frame.left * ratio, -frame.top * ratio);
  for (const child of cell.children) if (child !== picture) await paintElement(context, child);
  return canvas;
}

async function paintElement(context: CanvasRenderingContext2D, element: Element): Promise<void> {
  if (element.matches(NOT_IN_PICTURE)) return;
  const style = getComputedStyle(element);
  const { left, top, width, height } = element.getBoundingClientRect();
  if (style.display === 'none' || style.visibility === 'hidden' || isFolded(element)) return;
  if (element instanceof SVGSVGElement) {
    // Others are icons of buttons and badges.
    if (element.dataset['layer'] !== undefined) await paintSvg(context, element);
    return;
  }
  if (element instanceof HTMLCanvasElement) {
    context.imageSmoothingEnabled = style.imageRendering !== 'pixelated';
    const hasPixels = element.width > 0 && element.height > 0;
    if (hasPixels && width > 0 && height > 0) context.drawImage(element, left, top, width, height);
    return;
  }
  if (width > 0 && height > 0) paintBox(context, element, style);
  for (const child of element.childNodes) {
    if (child instanceof Element) await paintElement(context, child);
    else if (child instanceof Text) paintText(context, child, style);
  }
}

/** Whether an element is the content of a closed list. It has a size nevertheless, and no style that says so. */
function isFolded({ parentElement, tagName }: Element): boolean {
  return parentElement instanceof HTMLDetailsElement && !parentElement.open && tagName !== 'SUMMARY';
}

/** The background and borders of an element. */
function paintBox(context: CanvasRenderingContext2D, element: Element, style: CSSStyleDeclaration): void {
  const { left, top, width, height } = element.getBoundingClientRect();
  context.fillStyle = style.backgroundColor;
  context.beginPath();
  context.roundRect(left, top, width, height, parseFloat(style.borderTopLeftRadius) || 0);
  context.fill();
  const edges = [
    ['Top', left, top, width, 0],
    ['Bottom', left, top + height, width, 0],
    ['Left', left, top, 0, height],
    ['Right', left + width, top, 0, height],
  ] as const;
  for (const [side, x, y, across, down] of edges) {
    const thick = parseFloat(style[`border${side}Width`]);
    if (!(thick > 0) || style[`border${side}Style`] === 'none') continue;
    context.fillStyle = style[`border${side}Color`];
    const shift = side === 'Bottom' || side === 'Right' ? -thick : 0;
    context.fillRect(x + (down > 0 ? shift : 0), y + (across > 0 ? shift : 0), across || thick, down || thick);
  }
}

function paintText(context: CanvasRenderingContext2D, text: Text, style: CSSStyleDeclaration): void {
  context.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  context.textBaseline = 'alphabetic';
  context.lineJoin = 'round';
  const { fontBoundingBoxAscent: ascent } = context.measureText('x');
  for (const { line, left, top } of listLines(text)) {
    const stroke = parseFloat(style.webkitTextStrokeWidth);
    if (stroke > 0) {
      context.lineWidth = stroke;
      context.strokeStyle = style.webkitTextStrokeColor;
      context.strokeText(line, left, top + ascent);
    }
    context.fillStyle = style.color;
    context.fillText(line, left, top + ascent);
  }
}

/** The lines into which the browser has broken a text, with their positions. */
function listLines(text: Text): { line: string; left: number; top: number }[] {
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

async function paintSvg(context: CanvasRenderingContext2D, svg: SVGSVGElement): Promise<void> {
  const { left, top, width, height } = svg.getBoundingClientRect();
  if (width === 0 || height === 0 || svg.childElementCount === 0) return;
  const copy = svg.cloneNode(true);
  if (!(copy instanceof SVGSVGElement)) return;
  const copies = [...copy.querySelectorAll('*')];
  for (const [i, element] of [...svg.querySelectorAll('*')].entries()) {
    const style = getComputedStyle(element);
    for (const name of SVG_LOOKS) copies[i]?.setAttribute(name, style.getPropertyValue(name));
    copies[i]?.removeAttribute('class');
    copies[i]?.removeAttribute('style');
  }
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('viewBox', `0 0 ${width} ${height}`);
  // In device pixels, so that letters are as sharp as on the screen.
  const scale = context.getTransform().a;
  copy.setAttribute('width', String(width * scale));
  copy.setAttribute('height', String(height * scale));
  const blob = new Blob([new XMLSerializer().serializeToString(copy)], { type: 'image/svg+xml' });
  const url = URL.createObjectURL(blob);
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    context.drawImage(image, left, top, width, height);
  } finally {
    URL.revokeObjectURL(url);
  }
}
