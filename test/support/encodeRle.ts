/** Encodes little-endian, color-by-pixel samples as RLE Lossless (PS3.5 Annex G). Packs runs of three or more. */
export function encodeRle(bytes: Uint8Array, bytesPerSample: number, samplesPerPixel: number): Uint8Array {
  const segments: Uint8Array[] = [];
  for (let sample = 0; sample < samplesPerPixel; sample++) {
    for (let byte = bytesPerSample - 1; byte >= 0; byte--) {
      const plane = bytes.filter((_, i) => i % (bytesPerSample * samplesPerPixel) === sample * bytesPerSample + byte);
      segments.push(packBits(plane));
    }
  }
  const header = new DataView(new ArrayBuffer(64));
  header.setUint32(0, segments.length, true);
  let offset = 64;
  for (const [i, segment] of segments.entries()) {
    header.setUint32(4 + 4 * i, offset, true);
    offset += segment.length;
  }
  return Buffer.concat([new Uint8Array(header.buffer), ...segments]);
}

function packBits(plane: Uint8Array): Uint8Array {
  const packed: number[] = [];
  let literal: number[] = [];
  const flush = () => {
    if (literal.length > 0) packed.push(literal.length - 1, ...literal);
    literal = [];
  };
  for (let i = 0; i < plane.length;) {
    let run = 1;
    while (run < 128 && plane[i + run] === plane[i]) run++;
    if (run >= 3) {
      flush();
      packed.push(257 - run, plane[i]!);
      i += run;
    } else {
      literal.push(plane[i]!);
      if (literal.length === 128) flush();
      i++;
    }
  }
  flush();
  if (packed.length % 2 === 1) packed.push(0x80);
  return Uint8Array.from(packed);
}
