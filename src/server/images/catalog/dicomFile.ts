import type { FieldValues } from '../../../shared/contract/fileFields.ts';
import type { KnownSource } from '../../bytes/origins/origins.ts';
import type { Placement } from './placement.ts';

declare const Fields: abstract new () => FieldValues;

/**
 * One file of the catalog: the fields of `FILE_FIELDS`, and what is needed to open the file again. It is declared as a
 * class, which exists nowhere, so that the linter refuses `{ ...file }`: a PackedFile has getters, which a spread
 * leaves out.
 */
export declare abstract class DicomFile extends Fields {
  /** Counts from 0 and never changes. */
  readonly index: number;
  readonly revision: number;
  /** Which of the empty fields are elements without a value; `isInFile` reads it. */
  readonly emptyElements: number;
  /** Only for files with pixels. */
  readonly placement: Placement | undefined;
  /** What to open, and the state of the file when it was scanned. `path` is only a label. */
  readonly source: KnownSource;
}

/** The content of a file's header, before the catalog assigns an index. */
export type FileDescription = Omit<DicomFile, 'index' | 'revision'>;
