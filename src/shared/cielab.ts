/** Red, green and blue in sRGB, 0 to 255. */
export type Rgb = readonly [number, number, number];

/**
 * Converts a Recommended Display CIELab Value (0062,000D) to sRGB. The three integers are L* multiplied by 65535/100,
 * and (a* + 128) and (b* + 128) multiplied by 65535/255, with the D50 white of the profile connection space: PS3.3
 * C.10.7.1.1. Colors outside sRGB are clipped per channel.
 */
export function dicomCielabToRgb([l, a, b]: readonly [number, number, number]): Rgb {
  const lightness = (l / 65535) * 100;
  const fy = (lightness + 16) / 116;
  const fx = fy + ((a / 65535) * 255 - 128) / 500;
  const fz = fy - ((b / 65535) * 255 - 128) / 200;
  const x = WHITE_X * fromLightness(fx);
  const y = fromLightness(fy);
  const z = WHITE_Z * fromLightness(fz);
  // XYZ (D50) to linear sRGB (D65): the inverse of the Bradford-adapted primaries.
  return [
    toChannel(3.1338561 * x - 1.6168667 * y - 0.4906146 * z),
    toChannel(-0.9787684 * x + 1.9161415 * y + 0.033454 * z),
    toChannel(0.0719453 * x - 0.2289914 * y + 1.4052427 * z),
  ];
}

const WHITE_X = 0.96422;
const WHITE_Z = 0.82521;

function fromLightness(f: number): number {
  return f > 6 / 29 ? f ** 3 : (116 * f - 16) / (24389 / 27);
}

function toChannel(linear: number): number {
  const value = linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055;
  return Math.round(Math.min(1, Math.max(0, value)) * 255);
}

/** An sRGB color as the three integers of Recommended Display CIELab Value, PS3.3 C.10.7.1.1: D50, scaled to 16 bits. */
export function toDicomCielab([red, green, blue]: Rgb): [number, number, number] {
  const [r, g, b] = [fromChannel(red), fromChannel(green), fromChannel(blue)];
  // sRGB to XYZ under D50, by the Bradford transform.
  const x = 0.4360747 * r + 0.3850649 * g + 0.1430804 * b;
  const y = 0.2225045 * r + 0.7168786 * g + 0.0606169 * b;
  const z = 0.0139322 * r + 0.0971045 * g + 0.7141733 * b;
  const [fx, fy, fz] = [toLightness(x / WHITE_X), toLightness(y), toLightness(z / WHITE_Z)];
  return [
    toUint16((116 * fy - 16) / 100),
    toUint16((500 * (fx - fy) + 128) / 255),
    toUint16((200 * (fy - fz) + 128) / 255),
  ];
}

function toUint16(part: number): number {
  return Math.round(Math.min(1, Math.max(0, part)) * 65535);
}

function fromChannel(channel: number): number {
  const value = channel / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

function toLightness(t: number): number {
  return t > 216 / 24389 ? Math.cbrt(t) : ((24389 / 27) * t + 16) / 116;
}
