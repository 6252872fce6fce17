import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { ViewerError } from '../../shared/contract/errors.ts';
import { isSameFile } from './byteSource.ts';
import { explainMissing, type KnownFile } from './openSameFile.ts';

/** A part of a file: `end` is the first byte that does not belong to it. */
export type ByteRange = { readonly start: number; readonly end: number };

export type FileStream = {
  /** In pieces, each read when it is asked for. */
  bytes(range: ByteRange): AsyncGenerator<Uint8Array>;
  /** To be called in the end, whether it was read or not. */
  close(): Promise<void>;
};

const PIECE_BYTES = 64 * 1024;

/**
 * Opens a file that was scanned before, to be read as it is stored. Throws `file_gone` where the path leads to something
 * else by now. A file that somebody writes to while it is read ends in an error too, before the piece that may have
 * changed is handed out: a mixture of two states would be a file that never was.
 */
export async function streamSameFile({ path, identity }: KnownFile): Promise<FileStream> {
  // A link in the place of the file is not followed, and a FIFO does not block.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const handle = await open(path, flags).catch((error: unknown) => {
    throw explainMissing(error);
  });
  const requireSame = async (ctimeMs?: number) => {
    const found = await handle.stat();
    const isSame = found.isFile() && isSameFile(found, identity) && (ctimeMs ?? found.ctimeMs) === found.ctimeMs;
    if (!isSame) throw new ViewerError('file_gone', 'the file has changed since it was scanned');
    return found.ctimeMs;
  };
  try {
    const ctimeMs = await requireSame();
    return {
      bytes: (range) => readPieces(handle, range, () => requireSame(ctimeMs)),
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function* readPieces(
  handle: FileHandle,
  { start, end }: ByteRange,
  requireSame: () => Promise<unknown>,
): AsyncGenerator<Uint8Array> {
  for (let at = start; at < end;) {
    const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, end - at));
    const { bytesRead } = await handle.read(piece, 0, piece.length, at);
    await requireSame();
    if (bytesRead === 0) throw new ViewerError('file_gone', 'the file has become shorter');
    at += bytesRead;
    yield piece.subarray(0, bytesRead);
  }
}
