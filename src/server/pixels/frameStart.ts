/** Whether the first bytes of a fragment begin a frame. */
export type FrameStart = (opening: Uint8Array) => boolean;

/**
 * Tells the first fragment of a frame from the others. Without an offset table, which PS3.5 A.4 lets writers leave
 * empty, this alone says where a frame of several fragments ends. Undefined where streams have no such beginning: RLE,
 * deflated and uncompressed frames are one fragment each (PS3.5 A.4.2, A.4.13).
 */
export function frameStartOf(transferSyntaxUid: string): FrameStart | undefined {
  const family = /^1\.2\.840\.10008\.1\.2\.4\.(\d+)$/.exec(transferSyntaxUid)?.[1];
  const number = Number(family ?? 0);
  if (number >= 50 && number <= 81) return (opening) => begins(opening, SOI);
  if ((number >= 90 && number <= 93) || (number >= 201 && number <= 203)) {
    return (opening) => begins(opening, J2K) || begins(opening, JP2);
  }
  if (number >= 110 && number <= 112) return (opening) => begins(opening, JXL) || begins(opening, JXL_FILE);
  return undefined;
}

const SOI = [0xff, 0xd8, 0xff];
const J2K = [0xff, 0x4f, 0xff, 0x51];
const JP2 = [0, 0, 0, 0x0c, 0x6a, 0x50, 0x20, 0x20];
const JXL = [0xff, 0x0a];
const JXL_FILE = [0, 0, 0, 0x0c, 0x4a, 0x58, 0x4c, 0x20];

function begins(opening: Uint8Array, signature: readonly number[]): boolean {
  return signature.every((byte, i) => opening[i] === byte);
}
