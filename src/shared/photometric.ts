import type { NumberSamples } from './sampleArray.ts';

/** The color model of a frame, whatever the resolution of its stored chroma. PS3.3 C.7.6.3.1.2. */
export type ColorModel = 'rgb' | 'ybrFull' | 'ybrPartial';

/** Undefined for gray, palettes, and the retired forms that are not supported (HSV, ARGB, CMYK). */
export function findColorModel(photometricInterpretation: string): ColorModel | undefined {
  switch (photometricInterpretation) {
    case 'RGB':
    // The component transforms of JPEG 2000, which every decoder reverses.
    case 'YBR_ICT':
    case 'YBR_RCT':
      return 'rgb';
    case 'YBR_FULL':
    case 'YBR_FULL_422':
      return 'ybrFull';
    case 'YBR_PARTIAL_420':
    case 'YBR_PARTIAL_422':
      return 'ybrPartial';
    default:
      return undefined;
  }
}

/**
 * Converts color samples of `bits` bits, interleaved at full resolution, to 8-bit RGB. The full range of the samples is
 * scaled to the full range of a byte, rounded to the nearest, halves up. Only YBR colors outside RGB are clipped.
 */
export function toRgb(samples: NumberSamples, model: ColorModel, bits: number): Uint8Array {
  if (model === 'rgb') return scaleToBytes(samples, bits);
  const scale = 255 / (2 ** bits - 1);
  // Zero chroma is at half the range; black luma of the partial form is at 16 of 256.
  const chromaZero = 2 ** (bits - 1);
  const rgb = new Uint8Array(samples.length);
  const { black, luma, redByCr, greenByCb, greenByCr, blueByCb } = model === 'ybrFull' ? FULL : PARTIAL;
  const lumaZero = black * 2 ** (bits - 8);
  for (let i = 0; i + 2 < samples.length; i += 3) {
    const y = luma * (samples[i]! - lumaZero);
    const cb = samples[i + 1]! - chromaZero;
    const cr = samples[i + 2]! - chromaZero;
    rgb[i] = toByte((y + redByCr * cr) * scale);
    rgb[i + 1] = toByte((y - greenByCb * cb - greenByCr * cr) * scale);
    rgb[i + 2] = toByte((y + blueByCb * cb) * scale);
  }
  return rgb;
}

type Coefficients = {
  readonly black: number;
  readonly luma: number;
  readonly redByCr: number;
  readonly greenByCb: number;
  readonly greenByCr: number;
  readonly blueByCb: number;
};

// The standard gives the conversion from RGB; these are its inverse, from luma weights 0.299, 0.587 and 0.114.
const FULL: Coefficients = {
  black: 0,
  luma: 1,
  redByCr: 1.402,
  greenByCb: (0.114 * 1.772) / 0.587,
  greenByCr: (0.299 * 1.402) / 0.587,
  blueByCb: 1.772,
};

/** Luma uses 219 of the 255 steps and chroma 224. */
const PARTIAL: Coefficients = {
  black: 16,
  luma: 255 / 219,
  redByCr: (FULL.redByCr * 255) / 224,
  greenByCb: (FULL.greenByCb * 255) / 224,
  greenByCr: (FULL.greenByCr * 255) / 224,
  blueByCb: (FULL.blueByCb * 255) / 224,
};

function scaleToBytes(samples: NumberSamples, bits: number): Uint8Array {
  if (bits === 8) return Uint8Array.from(samples);
  const scale = 255 / (2 ** bits - 1);
  const bytes = new Uint8Array(samples.length);
  for (let i = 0; i < samples.length; i++) bytes[i] = toByte(samples[i]! * scale);
  return bytes;
}

function toByte(level: number): number {
  if (level <= 0) return 0;
  return level >= 255 ? 255 : (level + 0.5) | 0;
}
