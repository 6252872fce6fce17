import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ImageBounds } from '../../../shared/annotations.ts';
import { placeOf } from '../../bytes/origins/origins.ts';
import { type AnnotatedFile, boundsOfFile } from '../journal/annotatedFiles.ts';

/** An image that can have ROIs, and its location. */
export type RoiTarget = ImageBounds & {
  /** As shown in the list of files. */
  readonly path: string;
  /** Its location: for a local file, `path` with symbolic links resolved. */
  readonly place: string;
};

/**
 * The files in shared memory for a worker thread, because copying 100,000 objects, or even their bytes, would block the
 * event loop.
 */
export type PackedTargets = {
  /**
   * For each file its path and its place, each followed by NUL, which no path contains. The place is empty if it equals
   * the path.
   */
  readonly paths: readonly Uint8Array[];
  /** For each file its rows, columns and frame count. */
  readonly bounds: Uint32Array;
};

const FILES_A_TURN = 256;

type Packable = Omit<AnnotatedFile, 'sopInstanceUid'>;

/** Yields to the event loop between groups of files. Files that are added meanwhile are left out. */
export async function packTargets(files: readonly Packable[]): Promise<PackedTargets> {
  const count = files.length;
  const encoder = new TextEncoder();
  const paths: Uint8Array[] = [];
  const bounds = new Uint32Array(new SharedArrayBuffer(count * 3 * Uint32Array.BYTES_PER_ELEMENT));
  for (let start = 0; start < count; start += FILES_A_TURN) {
    const group = files.slice(start, Math.min(start + FILES_A_TURN, count));
    const texts = group.map(({ path, source }) => {
      const place = placeOf(source);
      return `${path}\0${place === path ? '' : place}\0`;
    });
    const bytes = encoder.encode(texts.join(''));
    const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
    shared.set(bytes);
    paths.push(shared);
    const sizes = group.map(boundsOfFile).flatMap(({ rows, columns, frameCount }) => [rows, columns, frameCount]);
    bounds.set(sizes, start * 3);
    await nextTurn();
  }
  return { paths, bounds };
}

export function unpackTargets({ paths, bounds }: PackedTargets): RoiTarget[] {
  const files: RoiTarget[] = [];
  for (const { buffer, byteOffset, byteLength } of paths) {
    const texts = Buffer.from(buffer, byteOffset, byteLength).toString('utf8').split('\0');
    for (let at = 0; at + 1 < texts.length; at += 2) {
      const path = texts[at] ?? '';
      const [rows = 0, columns = 0, frameCount = 0] = bounds.subarray(files.length * 3, files.length * 3 + 3);
      files.push({ path, place: texts[at + 1] || path, rows, columns, frameCount });
    }
  }
  return files;
}
