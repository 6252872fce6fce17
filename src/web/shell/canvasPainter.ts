import { type CellPainter, listEdges } from './cellPainter.ts';

/** Paints into a new canvas with `ratio` device pixels per CSS pixel. */
export function createCanvasPainter(
  width: number,
  height: number,
  ratio: number,
): { readonly canvas: HTMLCanvasElement; readonly painter: CellPainter } {
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext('2d', { alpha: false });
  if (context === null) throw new Error('The browser does not have enough memory for an image of this size.');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  const painter: CellPainter = {
    picture(picture) {
      // Device pixel for device pixel.
      context.setTransform(1, 0, 0, 1, 0, 0);
      context.drawImage(picture, 0, 0);
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
    },
    canvas(element, { left, top, width: across, height: down }, style) {
      context.imageSmoothingEnabled = style.imageRendering !== 'pixelated';
      context.drawImage(element, left, top, across, down);
    },
    box({ left, top, width: across, height: down }, style) {
      context.fillStyle = style.backgroundColor;
      context.beginPath();
      context.roundRect(left, top, across, down, parseFloat(style.borderTopLeftRadius) || 0);
      context.fill();
      for (const { color, ...edge } of listEdges({ left, top, width: across, height: down }, style)) {
        context.fillStyle = color;
        context.fillRect(edge.left, edge.top, edge.width, edge.height);
      }
    },
    text(lines, style) {
      context.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
      context.textBaseline = 'alphabetic';
      context.lineJoin = 'round';
      const { fontBoundingBoxAscent: ascent } = context.measureText('x');
      const stroke = parseFloat(style.webkitTextStrokeWidth);
      for (const { line, left, top } of lines) {
        if (stroke > 0) {
          context.lineWidth = stroke;
          context.strokeStyle = style.webkitTextStrokeColor;
          context.strokeText(line, left, top + ascent);
        }
        context.fillStyle = style.color;
        context.fillText(line, left, top + ascent);
      }
    },
    async drawing(svg, { left, top, width: across, height: down }) {
      svg.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
      // In device pixels, so that letters are as sharp as on the screen.
      svg.setAttribute('width', String(across * ratio));
      svg.setAttribute('height', String(down * ratio));
      const blob = new Blob([new XMLSerializer().serializeToString(svg)], { type: 'image/svg+xml' });
      const url = URL.createObjectURL(blob);
      try {
        const image = new Image();
        image.src = url;
        await image.decode();
        context.drawImage(image, left, top, across, down);
      } finally {
        URL.revokeObjectURL(url);
      }
    },
  };
  return { canvas, painter };
}
