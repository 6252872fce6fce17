import { writeNpyHeader } from '../../../images/exports/numpy/writeNpyHeader.ts';
import { writeZip, type ZipFile } from '../../../images/exports/numpy/writeZip.ts';
import { type GzipPart, mergeGzipParts, packGzipPart, STRIP_BYTES } from '../../../machine/workers/gzipParts.ts';
import type { TaskContext } from '../../../machine/workers/serveTasks.ts';
import type { WriteNpzInput } from './labelTasks.ts';

/**
 * Implements `writeNpzTask`: `labels` has the axes slice, row, column, after that of the volume if there are several;
 * `affine` is a matrix of 4 × 4 from column, row and slice to millimetres (LPS); `labels.json` says what the labels are.
 */
export function writeNpz(
  { volumes, size: [columns, rows, slices], affine, about }: WriteNpzInput,
  { transfer, throwIfCancelled }: Pick<TaskContext, 'transfer' | 'throwIfCancelled'>,
): Uint8Array<ArrayBuffer> {
  const storage = volumes[0] instanceof Uint16Array ? 'uint16' : 'uint8';
  const parts: GzipPart[] = [
    packGzipPart(writeNpyHeader(storage, [...(volumes.length > 1 ? [volumes.length] : []), slices, rows, columns])),
  ];
  for (const labels of volumes) {
    const samples = new Uint8Array(labels.buffer, labels.byteOffset, labels.byteLength);
    for (let at = 0; at < samples.length; at += STRIP_BYTES) {
      throwIfCancelled();
      parts.push(packGzipPart(samples.subarray(at, at + STRIP_BYTES)));
    }
  }
  const files: ZipFile[] = [{ name: 'labels.npy', ...mergeGzipParts(parts) }];
  if (affine !== undefined) {
    const matrix = Float64Array.from([...affine, 0, 0, 0, 1]);
    const packed = mergeGzipParts([
      packGzipPart(writeNpyHeader('float64', [4, 4])),
      packGzipPart(new Uint8Array(matrix.buffer)),
    ]);
    files.push({ name: 'affine.npy', ...packed });
  }
  files.push({ name: 'labels.json', ...packGzipPart(new TextEncoder().encode(about)) });
  return transfer(writeZip(files));
}
