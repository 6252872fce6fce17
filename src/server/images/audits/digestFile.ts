import { createHash, type Hash } from 'node:crypto';
import { type ByteSource, createReadWindow } from '../../bytes/origins/byteSource.ts';
import { openSame, requireUnchanged } from '../../bytes/origins/origins.ts';
import type { TaskContext } from '../../machine/workers/serveTasks.ts';
import { readDicom } from '../../standard/dicom/readDataSet.ts';
import * as Tag from '../../standard/dicom/tag.ts';
import type { DigestInput, FileDigests } from './digestTask.ts';

const PIECE = 2 ** 20;
/** What the stored pixels mean. */
const MEANING = [
  Tag.Rows,
  Tag.Columns,
  Tag.BitsAllocated,
  Tag.BitsStored,
  Tag.SamplesPerPixel,
  Tag.PixelRepresentation,
  Tag.NumberOfFrames,
];
const NOTHING_ELSE = {
  element: (depth: number, tag: number) => depth === 0 && MEANING.includes(tag),
  item: () => false,
};

/** Digests the bytes of a file and those of its pixels. Implements `digestFileTask`. */
export function digestFile({ source, isWhole }: DigestInput, { throwIfCancelled }: TaskContext): FileDigests {
  const opened = openSame(source, createReadWindow());
  try {
    const update = (hash: Hash, from: ByteSource, place: { readonly start: number; readonly end: number }) => {
      for (let at = place.start; at < place.end; at += PIECE) {
        throwIfCancelled();
        const bytes = from.read(at, Math.min(PIECE, place.end - at));
        if (bytes.length === 0) break;
        hash.update(bytes);
      }
      return hash.digest('hex');
    };
    const whole = isWhole ? update(createHash('sha256'), opened, { start: 0, end: opened.size }) : undefined;
    const { dataSet, pixelData, transferSyntaxUid } = readDicom(opened, {
      until: Tag.FloatPixelData,
      filter: NOTHING_ELSE,
    });
    let pixels: string | undefined;
    if (pixelData !== undefined && pixelData.length > 0) {
      const meaning = MEANING.map((tag) => dataSet.number(tag) ?? '').join(' ');
      const hash = createHash('sha256').update(`${transferSyntaxUid} ${meaning}\n`);
      const { offset, length } = pixelData;
      pixels = update(hash, pixelData.source, { start: offset, end: offset + length });
    }
    requireUnchanged(opened);
    return { whole, pixels };
  } finally {
    opened.close();
  }
}
