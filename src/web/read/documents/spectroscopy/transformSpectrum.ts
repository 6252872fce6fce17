export type SpectrumOptions = {
  readonly domain: 'TIME' | 'FREQUENCY';
  readonly widthHz: number;
  /** Width of the lines that apodization adds. */
  readonly apodizationHz: number;
  /** Times the number of points. */
  readonly zeroFill: number;
  readonly isMirrored: boolean;
};

export type ComplexValues = { readonly real: Float64Array; readonly imaginary: Float64Array };

/**
 * The spectrum of stored points (pairs of real and imaginary part), with ascending frequency and frequency 0 at the middle
 * point. A decay in time is multiplied with an exponential, filled with zeros to a power of two, and transformed.
 */
export function transformSpectrum(pairs: Float32Array, options: SpectrumOptions): ComplexValues {
  const { domain, widthHz, apodizationHz, zeroFill, isMirrored } = options;
  const points = pairs.length / 2;
  const isTime = domain === 'TIME';
  const length = isTime ? filledLength(points, zeroFill) : points;
  const real = new Float64Array(length);
  const imaginary = new Float64Array(length);
  for (let at = 0; at < points; at += 1) {
    const weight = isTime ? Math.exp((-Math.PI * apodizationHz * at) / widthHz) : 1;
    real[at] = pairs[2 * at]! * weight;
    imaginary[at] = pairs[2 * at + 1]! * weight;
  }
  if (isTime) transform(real, imaginary);
  const half = isTime ? length / 2 : 0;
  const turned = { real: new Float64Array(length), imaginary: new Float64Array(length) };
  for (let at = 0; at < length; at += 1) {
    const from = (at + half) % length;
    // Frequency 0 stays where it is.
    const to = isMirrored ? (length - at) % length : at;
    turned.real[to] = real[from]!;
    turned.imaginary[to] = imaginary[from]!;
  }
  return turned;
}

/** Points after filling: the next power of two. */
export function filledLength(points: number, zeroFill: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(1, points * zeroFill)));
}

/** Multiplies with a phase: the same for all points, and one that grows by `firstOrder` degrees over the whole width. */
export function turnPhase({ real, imaginary }: ComplexValues, zeroOrder: number, firstOrder: number): ComplexValues {
  const { length } = real;
  const turned = { real: new Float64Array(length), imaginary: new Float64Array(length) };
  for (let at = 0; at < length; at += 1) {
    const angle = ((zeroOrder + firstOrder * (at / length - 0.5)) * Math.PI) / 180;
    const [cosine, sine] = [Math.cos(angle), Math.sin(angle)];
    turned.real[at] = real[at]! * cosine - imaginary[at]! * sine;
    turned.imaginary[at] = real[at]! * sine + imaginary[at]! * cosine;
  }
  return turned;
}

/** The discrete Fourier transform in place, of a power of two points. */
function transform(real: Float64Array, imaginary: Float64Array): void {
  const { length } = real;
  for (let at = 1, mirrored = 0; at < length; at += 1) {
    let bit = length >> 1;
    for (; mirrored & bit; bit >>= 1) mirrored ^= bit;
    mirrored ^= bit;
    if (at < mirrored) {
      swap(real, at, mirrored);
      swap(imaginary, at, mirrored);
    }
  }
  for (let size = 2; size <= length; size *= 2) {
    const half = size / 2;
    for (let part = 0; part < half; part += 1) {
      const angle = (-2 * Math.PI * part) / size;
      const [cosine, sine] = [Math.cos(angle), Math.sin(angle)];
      for (let low = part; low < length; low += size) {
        const high = low + half;
        const a = real[high]! * cosine - imaginary[high]! * sine;
        const b = real[high]! * sine + imaginary[high]! * cosine;
        real[high] = real[low]! - a;
        imaginary[high] = imaginary[low]! - b;
        real[low]! += a;
        imaginary[low]! += b;
      }
    }
  }
}

function swap(values: Float64Array, a: number, b: number): void {
  [values[a], values[b]] = [values[b]!, values[a]!];
}
