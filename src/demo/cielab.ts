/** An sRGB color as the three integers of Recommended Display CIELab Value, PS3.3 C.10.7.1.1: D50, scaled to 16 bits. */
export function toDicomCielab([red, green, blue]: readonly [number, number, number]): [number, number, number] {
  const [r, g, b] = [linear(red), linear(green), linear(blue)];
  // sRGB to XYZ under D50, by the Bradford transform.
  const x = 0.4360747 * r + 0.3850649 * g + 0.1430804 * b;
  const y = 0.2225045 * r + 0.7168786 * g + 0.0606169 * b;
  const z = 0.0139322 * r + 0.0971045 * g + 0.7141733 * b;
  const [fx, fy, fz] = [lightness(x / 0.96422), lightness(y), lightness(z / 0.82521)];
  return [
    toUint16((116 * fy - 16) / 100),
    toUint16((500 * (fx - fy) + 128) / 255),
    toUint16((200 * (fy - fz) + 128) / 255),
  ];
}

function toUint16(part: number): number {
  return Math.round(Math.min(1, Math.max(0, part)) * 65535);
}

function linear(channel: number): number {
  const value = channel / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

function lightness(t: number): number {
  return t > 216 / 24389 ? Math.cbrt(t) : ((24389 / 27) * t + 16) / 116;
}
