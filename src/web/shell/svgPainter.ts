import { createSvgElement, setNumbers } from '../kit/ui/svgElements.ts';
import { type CellPainter, listEdges, type PaintedBox } from './cellPainter.ts';

/**
 * Paints into a new SVG document of this size, in CSS pixels. Pictures are PNG files in it; marks stay lines, and texts stay
 * texts, which other programs can edit and search.
 */
export function createSvgPainter(
  width: number,
  height: number,
  ratio: number,
): { readonly painter: CellPainter; readonly write: () => string } {
  const root = createSvgElement('svg', undefined);
  setNumbers(root, { width, height });
  root.setAttribute('viewBox', `0 0 ${width} ${height}`);
  const measuring = document.createElement('canvas').getContext('2d');
  if (measuring === null) throw new Error('The browser does not have enough memory for an image of this size.');
  addBox(root, { left: 0, top: 0, width, height }, '#000');

  const addPicture = (canvas: HTMLCanvasElement, box: PaintedBox, isPixelated: boolean) => {
    const image = createSvgElement('image', undefined);
    setBox(image, box);
    image.setAttribute('preserveAspectRatio', 'none');
    if (isPixelated) image.setAttribute('image-rendering', 'pixelated');
    image.setAttribute('href', canvas.toDataURL('image/png'));
    root.append(image);
  };
  const painter: CellPainter = {
    picture(canvas) {
      addPicture(canvas, { left: 0, top: 0, width: canvas.width / ratio, height: canvas.height / ratio }, true);
    },
    canvas(canvas, box, style) {
      addPicture(canvas, box, style.imageRendering === 'pixelated');
    },
    box(box, style) {
      if (!isTransparent(style.backgroundColor)) {
        addBox(root, box, style.backgroundColor).setAttribute('rx', String(parseFloat(style.borderTopLeftRadius) || 0));
      }
      for (const { color, ...edge } of listEdges(box, style)) if (!isTransparent(color)) addBox(root, edge, color);
    },
    text(lines, style) {
      measuring.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
      const { fontBoundingBoxAscent: ascent } = measuring.measureText('x');
      for (const { line, left, top } of lines) {
        const text = createSvgElement('text', undefined);
        setNumbers(text, { x: left, y: top + ascent });
        text.setAttribute('font-family', style.fontFamily);
        text.setAttribute('font-size', style.fontSize);
        text.setAttribute('font-weight', style.fontWeight);
        text.setAttribute('fill', style.color);
        text.setAttribute('xml:space', 'preserve');
        const stroke = parseFloat(style.webkitTextStrokeWidth);
        if (stroke > 0) {
          text.setAttribute('stroke', style.webkitTextStrokeColor);
          text.setAttribute('stroke-width', String(stroke));
          text.setAttribute('stroke-linejoin', 'round');
          text.setAttribute('paint-order', 'stroke');
        }
        text.textContent = toXmlText(line);
        root.append(text);
      }
    },
    drawing(svg, box) {
      setBox(svg, box);
      for (const text of svg.querySelectorAll('text, tspan, title')) {
        for (const node of text.childNodes) if (node instanceof Text) node.data = toXmlText(node.data);
      }
      root.append(svg);
    },
  };
  return {
    painter,
    write: () => `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(root)}\n`,
  };
}

function addBox(parent: SVGElement, box: PaintedBox, color: string): SVGElement {
  const rectangle = createSvgElement('rect', undefined);
  setBox(rectangle, box);
  rectangle.setAttribute('fill', color);
  parent.append(rectangle);
  return rectangle;
}

function setBox(element: Element, { left, top, width, height }: PaintedBox): void {
  setNumbers(element, { x: left, y: top, width, height });
}

function isTransparent(color: string): boolean {
  return color === 'transparent' || /^rgba\(.*, 0\)$/.test(color);
}

/** Texts come from files; XML has no control characters. */
function toXmlText(text: string): string {
  return text.replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD');
}
