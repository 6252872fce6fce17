import { createColorer } from './colorField.ts';
import type { FieldMix, FieldPaint, MixGroup } from './fieldLook.ts';
import type { SpreadField } from './spreadField.ts';

/** A field that shares pixels with others. All of them are spread over the same picture. */
export type MixedField = {
  readonly spread: SpreadField;
  readonly paint: Omit<FieldPaint, 'isDose' | 'mix'>;
  readonly mix: FieldMix;
};

export type MixedPicture = Pick<SpreadField, 'left' | 'top' | 'width' | 'height' | 'parts'> & {
  /** RGBA, as little-endian numbers. */
  readonly pixels: Uint32Array<ArrayBuffer>;
};

/** The colors of fields in the shares that a group says, for each pixel by the fields that have a value there. */
export function mixFields(fields: readonly MixedField[], { weights }: MixGroup): MixedPicture | undefined {
  const [first] = fields;
  if (first === undefined) return undefined;
  const left = Math.min(...fields.map(({ spread }) => spread.left));
  const top = Math.min(...fields.map(({ spread }) => spread.top));
  const width = Math.max(...fields.map(({ spread }) => spread.left + spread.width)) - left;
  const height = Math.max(...fields.map(({ spread }) => spread.top + spread.height)) - top;
  const pixels = new Uint32Array(width * height);
  const members = fields.map(({ spread, paint, mix }) => ({
    colorAt: createColorAt(spread, paint, mix),
    place: mix.place,
    opacity: paint.opacity,
  }));
  const colors = new Uint32Array(members.length);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      let present = 0;
      for (const [at, { colorAt, place }] of members.entries()) {
        const color = colorAt(left + x, top + y);
        colors[at] = color;
        if (color !== 0) present |= 1 << place;
      }
      if (present === 0) continue;
      const shares = weights[present] ?? [];
      let [red, green, blue, sum] = [0, 0, 0, 0];
      for (const [at, { place, opacity }] of members.entries()) {
        const share = colors[at] === 0 ? 0 : (shares[place] ?? 0) * opacity;
        red += share * (colors[at]! & 0xff);
        green += share * ((colors[at]! >>> 8) & 0xff);
        blue += share * ((colors[at]! >>> 16) & 0xff);
        sum += share;
      }
      if (sum === 0) continue;
      const level = (value: number) => Math.round(value / sum);
      pixels[y * width + x] =
        Math.round(Math.min(1, sum) * 255) * 0x1000000 + level(blue) * 0x10000 + level(green) * 0x100 + level(red);
    }
  }
  return { left, top, width, height, parts: first.spread.parts, pixels };
}

/** The opaque color of a field at a place of the picture; 0 where it has no value. */
function createColorAt(
  { left, top, width, height, values }: SpreadField,
  paint: MixedField['paint'],
  { ranges }: FieldMix,
): (x: number, y: number) => number {
  const colorOf = createColorer(paint);
  const { slope, intercept } = paint.line;
  return (x, y) => {
    const [column, row] = [x - left, y - top];
    if (column < 0 || row < 0 || column >= width || row >= height) return 0;
    const value = values[row * width + column]! * slope + intercept;
    const isShown =
      ranges === undefined ||
      ranges.some(({ low, high, hasEnds }) => (hasEnds ? value >= low && value <= high : value > low && value < high));
    return isShown ? colorOf(value) : 0;
  };
}
