import type { DataSet } from '../../src/server/standard/dicom/dataSet.ts';
import { tagToHex } from '../../src/server/standard/dicom/tag.ts';

/** An element that is not a sequence: its path, and what was read of it. */
export type Leaf = {
  readonly path: string;
  readonly vr: string;
  /** Position after the value. */
  readonly end: number;
  readonly length: number;
  readonly bytes: string | undefined;
};

export function leavesOf(dataSet: DataSet, prefix = ''): Leaf[] {
  return [...dataSet].flatMap(({ tag, vr, offset, length, bytes, items }) => {
    const path = `${prefix}${tagToHex(tag)}`;
    if (items !== undefined) return items.flatMap((item, index) => leavesOf(item, `${path}/${index}/`));
    return [{ path, vr, end: offset + length, length, bytes: bytes && Buffer.from(bytes).toString('latin1') }];
  });
}
