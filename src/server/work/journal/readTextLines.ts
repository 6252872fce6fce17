import type { FileHandle } from 'node:fs/promises';

export type FileLine = {
  /** Counts from 1. */
  readonly number: number;
  /** Undefined for a line that is too long. */
  readonly text: string | undefined;
  /** Whether the file ends before the line does. */
  readonly isCut: boolean;
};

export type LineBounds = {
  /** Of a line. */
  readonly longestBytes: number;
  /** Of the file: a longer one is read up to here, and then an error is thrown. */
  readonly mostBytes: number;
};

const PIECE_BYTES = 2 ** 20;

/** The lines of a file, piece by piece: a line that is too long takes no memory, and has no text. */
export async function* readTextLines(
  file: FileHandle,
  { longestBytes, mostBytes }: LineBounds,
): AsyncGenerator<FileLine> {
  let number = 1;
  let length = 0;
  let parts: Buffer[] = [];
  const toText = () => (length > longestBytes ? undefined : Buffer.concat(parts).toString('utf8'));
  for (let position = 0; ;) {
    if (position > mostBytes) throw new Error(`it is longer than ${mostBytes / 2 ** 30} GiB`);
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(PIECE_BYTES), 0, PIECE_BYTES, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    for (let start = 0; start < bytesRead;) {
      const found = buffer.subarray(0, bytesRead).indexOf(0x0a, start);
      const end = found === -1 ? bytesRead : found;
      length += end - start;
      if (length > longestBytes) parts = [];
      else parts.push(buffer.subarray(start, end));
      start = end + 1;
      if (found === -1) continue;
      yield { number, text: toText(), isCut: false };
      number += 1;
      length = 0;
      parts = [];
    }
  }
  if (length > 0) yield { number, text: toText(), isCut: true };
}
