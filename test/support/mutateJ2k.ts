import type { Random } from '../fuzz/random.ts';

type Mutation = (stream: Uint8Array, random: Random) => Uint8Array;

/** Ways in which the codestream of a frame is damaged. Each changes at least one byte, and the same ones for the same numbers. */
export const J2K_MUTATIONS: Readonly<Record<string, Mutation>> = {
  'zeroed tail': (stream, random) => {
    const from = placeIn(stream, random);
    return Uint8Array.from(stream).fill(0, from, Math.max(from + 1, stream.length - 2));
  },
  'bytes removed': (stream, random) => {
    const from = placeIn(stream, random);
    const count = Math.min(1 + random.below(random.pick([4, 64, 512])), stream.length - 2 - from);
    return Uint8Array.from(Buffer.concat([stream.subarray(0, from), stream.subarray(from + count)]));
  },
  'bytes inserted': (stream, random) => {
    const from = placeIn(stream, random);
    const added = random.bytes(1 + random.below(random.pick([4, 64])));
    return Uint8Array.from(Buffer.concat([stream.subarray(0, from), added, stream.subarray(from)]));
  },
  truncated: (stream, random) => stream.slice(0, placeIn(stream, random)),
  'block of FF': (stream, random) => {
    const from = placeIn(stream, random);
    return Uint8Array.from(stream).fill(0xff, from, Math.min(from + 2 + random.below(64), stream.length - 2));
  },
  'flipped bit of the header': (stream, random) => flipBit(stream, 2 + random.below(dataStart(stream) - 2), random),
  'flipped bit of the data': (stream, random) => flipBit(stream, placeIn(stream, random), random),
};

/** A place within the packets, before the end marker. */
function placeIn(stream: Uint8Array, random: Random): number {
  const start = dataStart(stream);
  return start + random.below(stream.length - 2 - start);
}

/** After the header of the first tile-part. */
function dataStart(stream: Uint8Array): number {
  return Buffer.from(stream.buffer, stream.byteOffset, stream.length).indexOf(Buffer.from([0xff, 0x93])) + 2;
}

function flipBit(stream: Uint8Array, at: number, random: Random): Uint8Array {
  return stream.with(at, stream[at]! ^ (1 << random.below(8)));
}
