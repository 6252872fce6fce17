import { entryCount, parseEntries, toSignedness } from './lookupTable.ts';
import { decodeSegments } from './segmentedPalette.ts';
import type { NumberSamples } from './sampleArray.ts';

/** A palette converted to 8-bit colors. PS3.3 C.7.6.3.1.5 and C.7.9. */
export type Palette = {
  /**
   * The sample that maps to the first color. Lower samples get the first color, samples beyond the end get the last.
   */
  readonly firstValue: number;
  /** Red, green and blue of each color in turn. */
  readonly colors: Uint8Array;
};

export type PaletteAttributes = {
  readonly red: PaletteChannel;
  readonly green: PaletteChannel;
  readonly blue: PaletteChannel;
  /** Whether samples are signed. If so, the second value of the descriptor is signed, whatever its VR. */
  readonly signedInput: boolean;
};

export type PaletteChannel = {
  /** Number of entries, first value mapped, bits per entry (8 or 16). */
  readonly descriptor: readonly number[];
  /** Palette Color Lookup Table Data, little endian. */
  readonly data: Uint8Array;
  /** Whether the data is from a Segmented Palette Color Lookup Table. */
  readonly segmented: boolean;
};

/** Undefined if one of the channels does not form a table. */
export function parsePalette({ red, green, blue, signedInput }: PaletteAttributes): Palette | undefined {
  const firstValue = red.descriptor[1];
  const channels = [red, green, blue].map(parseChannel);
  const count = Math.min(...channels.map((entries) => entries.length));
  if (firstValue === undefined || count === 0) return undefined;
  const shift = shiftToByte(channels);
  const colors = new Uint8Array(count * 3);
  for (const [position, entries] of channels.entries()) {
    for (let i = 0; i < count; i++) colors[i * 3 + position] = (entries[i] ?? 0) >> shift;
  }
  return { firstValue: toSignedness(firstValue, signedInput), colors };
}

type Channel = Uint8Array | Uint16Array;

function parseChannel({ descriptor, data, segmented }: PaletteChannel): Channel {
  const [described, , bits] = descriptor;
  if (described === undefined || bits === undefined) return new Uint8Array(0);
  const count = entryCount(described);
  return segmented ? decodeSegments(data, count, bits) : parseEntries(data, count, bits);
}

/**
 * Takes the high byte, because writers expand an 8-bit color to 16 bits either as 0xFF00 or as 0xFFFF, and both mean
 * full intensity. Some declare 16 bits and write 8, or the reverse, so the entries decide.
 */
function shiftToByte(channels: readonly Channel[]): number {
  return channels.some((entries) => entries.some((entry) => entry > 255)) ? 8 : 0;
}

export function applyPalette(samples: NumberSamples, { firstValue, colors }: Palette): Uint8Array {
  const rgb = new Uint8Array(samples.length * 3);
  const last = colors.length / 3 - 1;
  for (let i = 0; i < samples.length; i++) {
    const position = samples[i]! - firstValue;
    const from = (position <= 0 ? 0 : position >= last ? last : position) * 3;
    rgb[i * 3] = colors[from]!;
    rgb[i * 3 + 1] = colors[from + 1]!;
    rgb[i * 3 + 2] = colors[from + 2]!;
  }
  return rgb;
}

/**
 * Supplemental palette: samples from its first value on get the palette's colors, the others stay gray. PS3.3 C.7.6.19.
 */
export function applySupplementalPalette(samples: NumberSamples, gray: Uint8Array, palette: Palette): Uint8Array {
  const rgb = applyPalette(samples, palette);
  for (let i = 0; i < gray.length; i++) {
    if (samples[i]! >= palette.firstValue) continue;
    rgb.fill(gray[i]!, i * 3, i * 3 + 3);
  }
  return rgb;
}
