import { paletteColor } from './segmentColor.ts';

type Color = readonly [number, number, number];

/** What is drawn in a color. */
type ColoredPart = {
  readonly color: Color;
  /** The color that the file declares, if an earlier part has it already. */
  readonly declaredColor?: Color;
};

/** Colors nearer to each other than this, in sRGB, are hard to tell apart in an image. */
const NEAR = 40;
/** Beyond them, colors repeat anyway. */
const MOST_PARTS = 128;
const PALETTE = Array.from({ length: 32 }, (_, i): Color => paletteColor(i + 1));

/**
 * Gives parts that are drawn in the same color, or nearly the same, different ones. The first part keeps its color. The
 * same parts always get the same colors.
 */
export function separateColors<Part extends ColoredPart>(
  parts: readonly Part[],
  isDrawn: (part: Part) => boolean = () => true,
): Part[] {
  const declared = parts.filter(isDrawn).map(({ color }) => color);
  if (declared.length > MOST_PARTS) return [...parts];
  const taken: Color[] = [];
  return parts.map((part) => {
    if (!isDrawn(part)) return part;
    const isFree = (color: Color) => !taken.some((one) => isNear(one, color));
    const other = isFree(part.color)
      ? undefined
      : PALETTE.find((color) => isFree(color) && !declared.some((one) => isNear(one, color)));
    taken.push(other ?? part.color);
    return other === undefined ? part : { ...part, color: other, declaredColor: part.color };
  });
}

function isNear(one: Color, other: Color): boolean {
  return Math.hypot(...one.map((channel, at) => channel - other[at]!)) < NEAR;
}
