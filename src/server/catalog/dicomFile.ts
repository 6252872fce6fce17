import type { ObjectKind, SpacingSource, SupportState } from '../../shared/contract/files.ts';
import type { KnownSource } from '../origins/origins.ts';
import type { Placement } from './placement.ts';

/**
 * One file of the catalog: the contract's FileRecord in our spelling, and what it takes to open the file again. Said to be
 * a class, which exists nowhere, so that the linter refuses `{ ...file }`: a PackedFile has getters, which that leaves out.
 */
export declare abstract class DicomFile {
  /** Counts from 0 and never changes. */
  readonly index: number;
  /** Absolute and normalized, below the input as it was given. */
  readonly path: string;
  readonly label: string;
  readonly patientId: string;
  readonly patientName: string;
  readonly studyInstanceUid: string;
  readonly studyDate: string;
  readonly studyDescription: string;
  readonly seriesInstanceUid: string;
  readonly seriesNumber: string;
  readonly seriesDescription: string;
  readonly modality: string;
  readonly instanceNumber: string;
  readonly sopInstanceUid: string;
  readonly sopClassUid: string;
  readonly sopClassName: string | undefined;
  readonly objectKind: ObjectKind;
  readonly supportState: SupportState;
  readonly supportReason: string | undefined;
  readonly hasPixels: boolean;
  /** Whether the file says that its pixels show who the patient is. */
  readonly burnedInAnnotation: boolean;
  /** Frames that can be asked for: those that are whole, as far as a file of its size is believed to have them. */
  readonly frameCount: number;
  /** Number of Frames, where there are pixels and it can be read; 1 where it is absent. */
  readonly declaredFrameCount: number | undefined;
  readonly rows: number;
  readonly columns: number;
  readonly samplesPerPixel: number;
  readonly bitsAllocated: number;
  readonly bitsStored: number;
  readonly photometricInterpretation: string;
  /** Height of a pixel over its width. */
  readonly pixelAspectRatio: number | undefined;
  /** Between rows, between columns. */
  readonly pixelSpacingMm: readonly [number, number] | undefined;
  readonly pixelSpacingSource: SpacingSource | undefined;
  readonly transferSyntaxUid: string;
  readonly transferSyntaxName: string;
  readonly frameOfReferenceUid: string | undefined;
  readonly defaultWindow: { readonly center: number; readonly width: number } | undefined;
  readonly fileBytes: number;
  /** Of files with pixels. */
  readonly placement: Placement | undefined;
  readonly revision: number;
  /** What to open, and the file as it was when it was scanned. `path` is only a label. */
  readonly source: KnownSource;
}

/** What the header of a file says, before the catalog gives it a place. */
export type FileDescription = Omit<DicomFile, 'index' | 'revision'>;
