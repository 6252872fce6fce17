// AssemblyScript, compiled to dist/kernels/slab.wasm by scripts/buildKernels.mjs. The largest or smallest of several rows
// of 16-bit samples, eight columns at a time; slabKernel.ts declares these functions and documents what they expect.

export function maxSigned(from: u32, rows: u32, rowBytes: u32, to: u32): void {
  for (let column: u32 = 0; column < rowBytes; column += 16) {
    let at = from + column;
    let most = v128.load(at);
    for (let row: u32 = 1; row < rows; row++) {
      at += rowBytes;
      most = i16x8.max_s(most, v128.load(at));
    }
    v128.store(to + column, most);
  }
}

export function minSigned(from: u32, rows: u32, rowBytes: u32, to: u32): void {
  for (let column: u32 = 0; column < rowBytes; column += 16) {
    let at = from + column;
    let least = v128.load(at);
    for (let row: u32 = 1; row < rows; row++) {
      at += rowBytes;
      least = i16x8.min_s(least, v128.load(at));
    }
    v128.store(to + column, least);
  }
}

export function maxUnsigned(from: u32, rows: u32, rowBytes: u32, to: u32): void {
  for (let column: u32 = 0; column < rowBytes; column += 16) {
    let at = from + column;
    let most = v128.load(at);
    for (let row: u32 = 1; row < rows; row++) {
      at += rowBytes;
      most = i16x8.max_u(most, v128.load(at));
    }
    v128.store(to + column, most);
  }
}

export function minUnsigned(from: u32, rows: u32, rowBytes: u32, to: u32): void {
  for (let column: u32 = 0; column < rowBytes; column += 16) {
    let at = from + column;
    let least = v128.load(at);
    for (let row: u32 = 1; row < rows; row++) {
      at += rowBytes;
      least = i16x8.min_u(least, v128.load(at));
    }
    v128.store(to + column, least);
  }
}
