import type { FileHandle } from 'node:fs/promises';

const CR = 0x0d;
const LF = 0x0a;
const STEP_BYTES = 256 * 2 ** 10;

/**
 * The line number, counted from 1 as in editors, of the first row at or after this offset, which is the start of a
 * line. The file is read again for this, only to report a failure, because counting during the single pass over
 * millions of rows would cost more.
 */
export async function countLines(file: FileHandle, offset: number): Promise<number> {
  const buffer = Buffer.allocUnsafe(STEP_BYTES);
  let line = 1;
  let previous = 0;
  for (let position = 0; ;) {
    const { bytesRead } = await file.read(buffer, 0, STEP_BYTES, position);
    if (bytesRead === 0) return line;
    for (const byte of buffer.subarray(0, bytesRead)) {
      if (position >= offset && byte !== CR && byte !== LF) return line;
      if (byte === CR || (byte === LF && previous !== CR)) line += 1;
      previous = byte;
      position += 1;
    }
  }
}
