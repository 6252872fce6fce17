import type { ImageBounds } from '../../../shared/annotations.ts';
import { countMarkableFrames } from '../../../shared/videoFrames.ts';
import type { KnownSource } from '../../bytes/origins/origins.ts';

/** The properties of a file that ROIs, marks and redactions need. */
export type AnnotatedFile = ImageBounds & {
  /** As shown in the list of files. */
  readonly path: string;
  readonly source: KnownSource;
  /** Empty if the file has none. */
  readonly sopInstanceUid: string;
  /** Of a video, the stream decides how many frames it has. Absent: an image. */
  readonly objectKind?: string;
  readonly placement?: { readonly slide?: SlideSize | undefined } | undefined;
};

/** Of the level of a slide that a file belongs to. */
type SlideSize = { readonly totalRows: number | undefined; readonly totalColumns: number | undefined };

/** The limits that ROIs and marks of a file must stay within. */
export function boundsOfFile({ rows, columns, frameCount, objectKind }: FileBounds): ImageBounds {
  return { rows, columns, frameCount: countMarkableFrames(objectKind, frameCount) };
}

type FileBounds = ImageBounds & Pick<AnnotatedFile, 'objectKind'>;

/** The files that can be annotated, which are those of the catalog. */
export interface AnnotatedFiles {
  /** Grows during the scan; existing entries do not change. */
  readonly files: readonly AnnotatedFile[];
  /** The file at an index, which counts from 0. Throws `not_found`. */
  get(index: number): AnnotatedFile;
  /** Settles when no more files will be added. */
  readonly scanComplete: Promise<'complete' | 'cancelled'>;
}
