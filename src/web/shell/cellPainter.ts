/** In CSS pixels of the cell. */
export type PaintedBox = {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
};
export type TextLine = { readonly line: string; readonly left: number; readonly top: number };

/** Receives what a cell shows, from the lowest to the uppermost. */
export interface CellPainter {
  /** The picture itself, from the upper left corner of the cell. */
  picture(canvas: HTMLCanvasElement): void;
  /** A canvas over the picture. */
  canvas(canvas: HTMLCanvasElement, box: PaintedBox, style: CSSStyleDeclaration): void;
  /** The background and borders of an element. */
  box(box: PaintedBox, style: CSSStyleDeclaration): void;
  /** Lines of text; `top` is that of their letters. */
  text(lines: readonly TextLine[], style: CSSStyleDeclaration): void;
  /** A drawing that needs no style sheet. */
  drawing(svg: SVGSVGElement, box: PaintedBox): void | Promise<void>;
}

/** The borders of an element as filled boxes. */
export function listEdges(
  { left, top, width, height }: PaintedBox,
  style: CSSStyleDeclaration,
): readonly (PaintedBox & { readonly color: string })[] {
  const sides = [
    ['Top', left, top, width, 0],
    ['Bottom', left, top + height, width, 0],
    ['Left', left, top, 0, height],
    ['Right', left + width, top, 0, height],
  ] as const;
  return sides.flatMap(([side, x, y, across, down]) => {
    const thick = parseFloat(style[`border${side}Width`]);
    if (!(thick > 0) || style[`border${side}Style`] === 'none') return [];
    const shift = side === 'Bottom' || side === 'Right' ? -thick : 0;
    return {
      color: style[`border${side}Color`],
      left: x + (down > 0 ? shift : 0),
      top: y + (across > 0 ? shift : 0),
      width: across || thick,
      height: down || thick,
    };
  });
}
