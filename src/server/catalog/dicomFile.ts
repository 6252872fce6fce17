import type { FieldValues } from '../../shared/contract/fileFields.ts';
import type { KnownSource } from '../origins/origins.ts';
import type { Placement } from './placement.ts';

declare const Fields: abstract new () => FieldValues;

/**
 * One file of the catalog: the fields of `FILE_FIELDS`, and what it takes to open the file again. Said to be a class, which
 * exists nowhere, so that the linter refuses `{ ...file }`: a PackedFile has getters, which that leaves out.
 */
export declare abstract class DicomFile extends Fields {
  /** Counts from 0 and never changes. */
  readonly index: number;
  readonly revision: number;
  /** Of files with pixels. */
  readonly placement: Placement | undefined;
  /** What to open, and the file as it was when it was scanned. `path` is only a label. */
  readonly source: KnownSource;
}

/** What the header of a file says, before the catalog gives it a place. */
export type FileDescription = Omit<DicomFile, 'index' | 'revision'>;
