// AssemblyScript, compiled to dist/kernels/runs.wasm by scripts/buildKernels.mjs. RLE Lossless of PS3.5 Annex G: byte
// planes are unpacked one after the other and then joined to samples. unpackPlanes.ts declares these functions and
// documents what they expect.

/** Where `unpack` stopped reading. */
const READ_END: u32 = 0;

/** Copies sixteen bytes at once. Bytes written beyond a run are overwritten by the next one. */
export function unpack(from: u32, length: u32, to: u32, count: u32): u32 {
  const start = to;
  const end = from + length;
  const full = to + count;
  while (from < end && to < full) {
    const control: u32 = load<u8>(from);
    from += 1;
    if (control < 128) {
      const literal = min<u32>(control + 1, min<u32>(end - from, full - to));
      for (let i: u32 = 0; i < literal; i += 16) v128.store(to + i, v128.load(from + i));
      from += literal;
      to += literal;
    } else if (control > 128 && from < end) {
      const run = min<u32>(257 - control, full - to);
      const value = i8x16.splat(load<i8>(from));
      for (let i: u32 = 0; i < run; i += 16) v128.store(to + i, value);
      from += 1;
      to += run;
    }
  }
  store<u32>(READ_END, from);
  return to - start;
}

/** Joins two planes, low bytes first in the result. */
export function joinPairs(low: u32, high: u32, count: u32, to: u32): void {
  for (let i: u32 = 0; i < count; i += 16) {
    const l = v128.load(low + i);
    const h = v128.load(high + i);
    v128.store(to, i8x16.shuffle(l, h, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23));
    v128.store(to, i8x16.shuffle(l, h, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31), 16);
    to += 32;
  }
}

/** Puts the bytes of one plane at every `step`-th place. */
export function spread(plane: u32, count: u32, to: u32, step: u32): void {
  const end = plane + count;
  while (plane < end) {
    store<u8>(to, load<u8>(plane));
    plane += 1;
    to += step;
  }
}
