import type { DicomFile } from '../catalog/dicomFile.ts';
import type { Stack } from './stack.ts';

/** A stack without an id. */
export type StackDraft = {
  /** The UID in its id: that of its first file, or of the concatenation. */
  readonly uid: string;
  /** The lowest file index: the stacks of a series are in this order. */
  readonly firstFileIndex: number;
  readonly stack: Omit<Stack, 'id'>;
};

/** `first` is the file with the lowest index; whatever `content` omits is that of an ordinary stack. */
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
