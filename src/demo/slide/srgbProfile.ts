/** A minimal ICC profile (version 2.1) that declares sRGB samples. Whole slide images must have one. */
export function createSrgbProfile(): Uint8Array {
  const tags: readonly (readonly [string, Uint8Array])[] = [
    ['desc', description('sRGB')],
    ['cprt', padded([...ascii('text'), 0, 0, 0, 0, ...ascii('No copyright, use freely'), 0])],
    ['wtpt', xyz(0.9642, 1, 0.8249)],
    ['rXYZ', xyz(0.4361, 0.2225, 0.0139)],
    ['gXYZ', xyz(0.3851, 0.7169, 0.0971)],
    ['bXYZ', xyz(0.1431, 0.0606, 0.7141)],
    ['rTRC', gamma()],
    ['gTRC', gamma()],
    ['bTRC', gamma()],
  ];
  const tableBytes = 4 + 12 * tags.length;
  const size = tags.reduce((sum, [, bytes]) => sum + bytes.length, HEADER_BYTES + tableBytes);
  const profile = new Uint8Array(size);
  const view = new DataView(profile.buffer);
  writeHeader(profile, size);
  view.setUint32(HEADER_BYTES, tags.length);
  let at = HEADER_BYTES + tableBytes;
  for (const [index, [signature, bytes]] of tags.entries()) {
    const entry = HEADER_BYTES + 4 + 12 * index;
    profile.set(ascii(signature), entry);
    view.setUint32(entry + 4, at);
    view.setUint32(entry + 8, bytes.length);
    profile.set(bytes, at);
    at += bytes.length;
  }
  return profile;
}

const HEADER_BYTES = 128;

function writeHeader(profile: Uint8Array, size: number): void {
  const view = new DataView(profile.buffer);
  view.setUint32(0, size);
  view.setUint32(8, 0x02100000);
  profile.set(ascii('mntrRGB XYZ '), 12);
  for (const [index, part] of [2025, 1, 14, 0, 0, 0].entries()) view.setUint16(24 + 2 * index, part);
  profile.set(ascii('acsp'), 36);
  // The illuminant of the connection space, D50.
  profile.set(xyz(0.9642, 1, 0.8249).subarray(8), 68);
}

function xyz(...values: readonly [number, number, number]): Uint8Array {
  const view = new DataView(new ArrayBuffer(20));
  const bytes = new Uint8Array(view.buffer);
  bytes.set(ascii('XYZ '));
  for (const [index, value] of values.entries()) view.setInt32(8 + 4 * index, Math.round(value * 65536));
  return bytes;
}

/** 1,024 points of the sRGB curve. */
function gamma(): Uint8Array {
  const points = 1024;
  const view = new DataView(new ArrayBuffer(12 + 2 * points));
  const bytes = new Uint8Array(view.buffer);
  bytes.set(ascii('curv'));
  view.setUint32(8, points);
  for (let i = 0; i < points; i++) {
    const value = i / (points - 1);
    const linear = value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    view.setUint16(12 + 2 * i, Math.round(linear * 65535));
  }
  return bytes;
}

function description(content: string): Uint8Array {
  // The ASCII name is followed by an empty Unicode name and an empty Macintosh name of fixed size.
  const length = content.length + 1;
  return padded([...ascii('desc'), 0, 0, 0, 0, 0, 0, 0, length, ...ascii(content), 0, ...new Uint8Array(8 + 3 + 67)]);
}

function padded(bytes: readonly number[]): Uint8Array {
  const whole = new Uint8Array(Math.ceil(bytes.length / 4) * 4);
  whole.set(bytes);
  return whole;
}

function ascii(content: string): Uint8Array {
  return Uint8Array.from(content, (character) => character.charCodeAt(0));
}
