import { dicomCielabToRgb, type Rgb } from './cielab.ts';

export type SegmentColorSource = 'recommended_cielab' | 'recommended_grayscale' | 'palette';

/** The colors that a segment recommends. */
export type RecommendedColor = {
  readonly number: number;
  readonly recommendedCielab: readonly [number, number, number] | undefined;
  /** A 16-bit P-Value. */
  readonly recommendedGrayscale: number | undefined;
};

/** The display color of a segment: the one that it recommends, else a fixed color for its number. */
export function colorOfSegment(segment: RecommendedColor): {
  readonly color: Rgb;
  readonly source: SegmentColorSource;
} {
  const { recommendedCielab, recommendedGrayscale } = segment;
  if (recommendedCielab !== undefined) {
    return { color: dicomCielabToRgb(recommendedCielab), source: 'recommended_cielab' };
  }
  if (recommendedGrayscale !== undefined) {
    const gray = Math.round(recommendedGrayscale / 257);
    return { color: [gray, gray, gray], source: 'recommended_grayscale' };
  }
  return { color: paletteColor(segment.number), source: 'palette' };
}

/** The color of a segment that recommends none. Colors repeat after 32. */
export function paletteColor(segmentNumber: number): Rgb {
  const place = (((segmentNumber - 1) % PALETTE.length) + PALETTE.length) % PALETTE.length;
  const hex = parseInt(PALETTE[place] ?? '0', 16);
  return [hex >> 16, (hex >> 8) & 0xff, hex & 0xff];
}

/** Each color is as far in L*a*b* from all colors before it as possible without being dark, pale or gray. */
const PALETTE: readonly string[] = (
  'e13c3c 00ff00 005aff 3cf0ff ffd200 ff00d2 2d781e e1b4ff ' +
  '1effa5 c3965a 0f69a5 b43c78 a500ff b4f05a ff870f 964bc3 ' +
  '69c396 ff0078 ff9696 00b400 1e87ff ff0000 78c3ff 969600 ' +
  'a54b00 e1e187 ff78e1 a54b4b 69691e e15aff 8769b4 ffc35a'
).split(' ');
