import type { SpectraResponse } from '../../../../shared/contract/spectra.ts';
import { documentTask } from '../documentTasks.ts';

export type SpectraAnswer = Omit<SpectraResponse, 'file_index'>;

export type SpectrumQuery = { readonly spectrum: number };
export type SpectrumValues = {
  /** Pairs of float32, little endian: real and imaginary part. */
  readonly bytes: Uint8Array<ArrayBuffer>;
};

export const readSpectraTask = documentTask<unknown, SpectraAnswer>('documents.spectra');
export const readSpectrumTask = documentTask<SpectrumQuery, SpectrumValues>('documents.spectrum');
