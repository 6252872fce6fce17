import type { MaskLayer } from './maskLayers.ts';
import type { LayerLook, PartStyle } from './partStyle.ts';

/** Painted masks of a part of an image, in its pixels. */
export type PaintedMasks = {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** Red, green, blue, alpha. */
  readonly pixels: Uint8ClampedArray<ArrayBuffer>;
};

/** All filled segments of one image on top of each other, later ones above; undefined if there is nothing to paint. */
export function paintMasks(layers: readonly MaskLayer[], look: LayerLook): PaintedMasks | undefined {
  const filled = layers.filter((layer) => layer.kind === 'labels' || isFilled(look.styleOf(layer.segment ?? 0)));
  const [first] = filled;
  if (first === undefined) return undefined;
  const left = filled.reduce((least, layer) => Math.min(least, layer.left), first.left);
  const top = filled.reduce((least, layer) => Math.min(least, layer.top), first.top);
  const right = filled.reduce((most, layer) => Math.max(most, layer.left + layer.columns), 0);
  const bottom = filled.reduce((most, layer) => Math.max(most, layer.top + layer.rows), 0);
  const [width, height] = [right - left, bottom - top];
  const pixels = new Uint8ClampedArray(width * height * 4);
  for (const layer of filled) {
    const colors = buildColors(layer, look);
    for (let row = 0; row < layer.rows; row++) {
      let from = row * layer.columns;
      let to = ((layer.top - top + row) * width + layer.left - left) * 4;
      for (const end = from + layer.columns; from < end; from++, to += 4) {
        const sample = layer.samples[from]!;
        if (sample !== 0) paintOver(pixels, to, colors, sample * 4);
      }
    }
  }
  return { left, top, width, height, pixels };
}

function isFilled({ isVisible, isOutline }: PartStyle): boolean {
  return isVisible && !isOutline;
}

/** For each occurring sample: red, green, blue and the opacity from 0 to 1. */
function buildColors({ kind, samples, segment = 0, maximum = 255 }: MaskLayer, look: LayerLook): Float32Array {
  const values = new Set<number>(samples);
  const colors = new Float32Array(([...values].reduce((most, value) => Math.max(most, value), 0) + 1) * 4);
  for (const value of values) {
    const number = kind === 'labels' ? value : segment;
    const style = look.styleOf(number);
    if (value === 0 || !isFilled(style)) continue;
    const part = kind === 'fractions' ? Math.min(1, value / maximum) : 1;
    colors.set([...look.colorOf(number), style.opacity * part], value * 4);
  }
  return colors;
}

/** The `over` operator of Porter and Duff, with colors that are not premultiplied by alpha. */
function paintOver(pixels: Uint8ClampedArray, at: number, colors: Float32Array, color: number): void {
  const alpha = colors[color + 3]!;
  if (alpha === 0) return;
  const below = (pixels[at + 3]! / 255) * (1 - alpha);
  const whole = alpha + below;
  for (let channel = 0; channel < 3; channel++) {
    pixels[at + channel] = (colors[color + channel]! * alpha + pixels[at + channel]! * below) / whole;
  }
  pixels[at + 3] = whole * 255;
}
