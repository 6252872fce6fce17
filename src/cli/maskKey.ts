import { createHash, randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';
import { printable } from './printable.ts';
import { StartFailure } from './startFailure.ts';

const LEAST_BYTES = 16;
const MOST_BYTES = 64 * 1024;

/** The key of pseudonyms and shifts: random for this run, or made from the content of a file that the user keeps. */
export async function readMaskKey(path: string | undefined): Promise<Uint8Array> {
  if (path === undefined) return new Uint8Array(randomBytes(32));
  const content = await readBeginning(path).catch((error: unknown) => {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    throw new StartFailure(`--mask-key ${printable(path)} cannot be read (${reason})`);
  });
  if (content.length < LEAST_BYTES) {
    throw new StartFailure(`--mask-key ${printable(path)}: a secret has at least ${LEAST_BYTES} bytes`);
  }
  return new Uint8Array(createHash('sha256').update(content).digest());
}

async function readBeginning(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MOST_BYTES), 0, MOST_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
