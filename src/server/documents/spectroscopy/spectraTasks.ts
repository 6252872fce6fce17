import type { SpectraResponse } from '../../../shared/contract/spectra.ts';
import { defineTask } from '../../workers/task.ts';
import type { DocumentFile } from '../documentTasks.ts';

export type SpectraAnswer = Omit<SpectraResponse, 'file_index'>;

export type SpectrumQuery = { readonly spectrum: number };
export type SpectrumValues = {
  /** Pairs of float32, little endian: real and imaginary part. */
  readonly bytes: Uint8Array<ArrayBuffer>;
};

export const readSpectraTask = defineTask<DocumentFile, SpectraAnswer>('documents.spectra');
export const readSpectrumTask = defineTask<SpectrumQuery & DocumentFile, SpectrumValues>('documents.spectrum');
