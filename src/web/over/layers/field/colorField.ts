import { fieldColorsOf, type FieldPaint } from './fieldLook.ts';

type Colored = Omit<FieldPaint, 'isDose' | 'mix'>;

const OPAQUE = 0xff000000;

/** One RGBA pixel for each value. What is missing or below the threshold stays transparent. */
export function colorField(pixels: Uint32Array, values: Float32Array, paint: Colored): void {
  const colorOf = createColorer(paint);
  const { slope, intercept } = paint.line;
  const transparency = OPAQUE - Math.round(paint.opacity * 255) * 0x1000000;
  for (let at = 0; at < values.length; at += 1) {
    const color = colorOf(values[at]! * slope + intercept);
    if (color !== 0) pixels[at] = color - transparency;
  }
}

/** The opaque color of a value of the look; 0 for one that is missing or below the threshold. */
export function createColorer(paint: Pick<Colored, 'low' | 'high' | 'threshold' | 'palette' | 'colorMap'>) {
  const { low, high, threshold = -Infinity } = paint;
  const colors = fieldColorsOf(paint);
  const top = colors.length - 1;
  const perLevel = high === low ? 0 : top / (high - low);
  return (value: number): number => {
    if (!(value >= threshold)) return 0;
    const level = perLevel === 0 ? (value < low ? 0 : top) : (value - low) * perLevel;
    return colors[level <= 0 ? 0 : level >= top ? top : Math.round(level)]!;
  };
}
