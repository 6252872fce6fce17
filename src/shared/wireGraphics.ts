import type { GraphicItem, GraphicStyle, GraphicText, GraphicUnits } from './contract/graphics.ts';

/** A graphic as it is sent. */
export type WireGraphic = Pick<GraphicItem, 'part' | 'shape' | 'units' | 'points' | 'how'> & {
  readonly filled: boolean;
  readonly style: WireStyle;
  readonly text?: WireText;
  readonly distance_mm: number;
  readonly uncertainty_px?: number;
};

type WireStyle = Pick<GraphicStyle, 'color' | 'opacity' | 'arrows' | 'mark'> & {
  readonly width_px?: number;
  readonly dashed?: boolean;
};

type WireText = Pick<GraphicText, 'value' | 'box'> & {
  readonly anchor?: {
    readonly point: readonly [number, number];
    readonly units: GraphicUnits;
    readonly marked: boolean;
  };
};

export function toWireGraphic(item: GraphicItem): WireGraphic {
  const { isFilled, style, text, distanceMm, uncertaintyPx, points, part, shape, units, how } = item;
  const { widthPx, isDashed, ...otherStyle } = style;
  return {
    part,
    shape,
    units,
    points: points.map(round),
    filled: isFilled,
    style: {
      ...otherStyle,
      ...(widthPx !== undefined && { width_px: widthPx }),
      ...(isDashed !== undefined && { dashed: isDashed }),
    },
    ...(text !== undefined && { text: toWireText(text) }),
    how,
    distance_mm: round(distanceMm),
    ...(uncertaintyPx !== undefined && { uncertainty_px: round(uncertaintyPx) }),
  };
}

export function fromWireGraphic(item: WireGraphic): GraphicItem {
  const { filled, style, text, distance_mm, uncertainty_px, part, shape, units, points, how } = item;
  const { width_px, dashed, ...otherStyle } = style;
  return {
    part,
    shape,
    units,
    points,
    isFilled: filled,
    style: {
      ...otherStyle,
      ...(width_px !== undefined && { widthPx: width_px }),
      ...(dashed !== undefined && { isDashed: dashed }),
    },
    ...(text !== undefined && { text: fromWireText(text) }),
    how,
    distanceMm: distance_mm,
    ...(uncertainty_px !== undefined && { uncertaintyPx: uncertainty_px }),
  };
}

function toWireText({ anchor, ...text }: GraphicText): WireText {
  if (anchor === undefined) return text;
  return { ...text, anchor: { point: anchor.point, units: anchor.units, marked: anchor.isMarked } };
}

function fromWireText({ anchor, ...text }: WireText): GraphicText {
  if (anchor === undefined) return text;
  return { ...text, anchor: { point: anchor.point, units: anchor.units, isMarked: anchor.marked } };
}

/** To a millionth of a pixel or millimetre, so that the text is short. */
function round(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
