import type { DicomFile } from '../catalog/dicomFile.ts';
import type { Stack } from './stack.ts';

/** A stack that has no id yet. */
export type StackDraft = {
  /** The UID that names it: that of its first file, or of the concatenation. */
  readonly uid: string;
  /** Of the file with the lowest index: stacks of a series come in this order. */
  readonly firstFileIndex: number;
  readonly stack: Omit<Stack, 'id'>;
};

/** `first` is the file with the lowest index; the rest is that of an ordinary stack where `content` says nothing. */
export function draftStack(
  first: DicomFile | undefined,
  content: Pick<Stack, 'frames' | 'warnings'> & Partial<Omit<Stack, 'id'>>,
): StackDraft {
  return {
    uid: content.concatenationUid ?? (first?.sopInstanceUid || `file-${first?.index}`),
    firstFileIndex: first?.index ?? 0,
    stack: {
      kind: 'ordinary',
      concatenationUid: undefined,
      pyramidUid: undefined,
      imageTypeRole: undefined,
      totalPixelMatrixRows: undefined,
      totalPixelMatrixColumns: undefined,
      ofFrames: undefined,
      ...content,
    },
  };
}
