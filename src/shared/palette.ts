import { entryCount, parseEntries, toSignedness } from './lookupTable.ts';
import { decodeSegments } from './segmentedPalette.ts';
import type { NumberSamples } from './sampleArray.ts';

/** A palette ready to be looked at: 8-bit colors. PS3.3 C.7.6.3.1.5 and C.7.9. */
export type Palette = {
  /** The sample that the first color stands for. Lower samples get the first color, too high ones the last. */
  readonly firstValue: number;
  /** Red, green, blue of the first color, of the second … */
  readonly colors: Uint8Array;
};

export type PaletteAttributes = {
  readonly red: PaletteChannel;
  readonly green: PaletteChannel;
  readonly blue: PaletteChannel;
  /** Whether samples are signed: then the descriptor's second value is, whatever VR it came with. */
  readonly signedInput: boolean;
};

export type PaletteChannel = {
  /** Number of entries, first value mapped, bits per entry (8 or 16). */
  readonly descriptor: readonly number[];
  /** Palette Color Lookup Table Data, little endian. */
  readonly data: Uint8Array;
  /** The data is the one of a Segmented Palette Color Lookup Table. */
  readonly segmented: boolean;
};

/** Undefined where one of the channels does not make a table. */
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
 * The high byte, because writers fill 16 bits with an 8-bit color either as 0xFF00 or as 0xFFFF, and both are meant to be
 * full. Some declare 16 bits and write 8, or the reverse: what the entries hold decides.
 */
function shiftToByte(channels: readonly Channel[]): number {
  return channels.some((entries) => entries.some((entry) => entry > 255)) ? 8 : 0;
}

/** Paints samples in the colors of the palette, as RGB. */
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
 * Supplemental palette: samples from its first value on have the palette's colors, the others stay gray.
 * PS3.3 C.7.6.19.
 */
export function applySupplementalPalette(samples: NumberSamples, gray: Uint8Array, palette: Palette): Uint8Array {
  const rgb = applyPalette(samples, palette);
  for (let i = 0; i < gray.length; i++) {
    if (samples[i]! >= palette.firstValue) continue;
    rgb.fill(gray[i]!, i * 3, i * 3 + 3);
  }
  return rgb;
}
