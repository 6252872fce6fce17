import type { DicomFile } from '../catalog/dicomFile.ts';
import type { Stack } from './stack.ts';

/** A stack that has no id yet. */
export type StackDraft = Omit<Stack, 'id'> & {
  /** The UID that names it: that of its first file, or of the concatenation. */
  readonly uid: string;
  /** Of the first file in the list: stacks of a series come in this order. */
  readonly firstFileIndex: number;
};

type Content = Pick<Stack, 'frames' | 'warnings'> & Partial<StackDraft>;

/** `first` is the file of the lowest index. */
export function ordinaryStack(first: DicomFile | undefined, content: Content): StackDraft {
  return {
    uid: first?.sopInstanceUid || `file-${first?.index}`,
    firstFileIndex: first?.index ?? 0,
    kind: 'ordinary',
    concatenationUid: undefined,
    pyramidUid: undefined,
    imageTypeRole: undefined,
    totalPixelMatrixRows: undefined,
    totalPixelMatrixColumns: undefined,
    ...content,
  };
}
