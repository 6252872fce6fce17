import type { SpectraResponse } from '../../../../shared/contract/spectra.ts';
import { defineTask } from '../../../machine/workers/task.ts';
import { DOCUMENT_COST, type DocumentTask } from '../documentTasks.ts';

export type SpectraAnswer = Omit<SpectraResponse, 'file_index'>;

export type SpectrumQuery = { readonly spectrum: number };
export type SpectrumValues = {
  /** Pairs of float32, little endian: real and imaginary part. */
  readonly bytes: Uint8Array<ArrayBuffer>;
};

export const readSpectraTask: DocumentTask<unknown, SpectraAnswer> = defineTask('documents.spectra', DOCUMENT_COST);
export const readSpectrumTask: DocumentTask<SpectrumQuery, SpectrumValues> = defineTask(
  'documents.spectrum',
  DOCUMENT_COST,
);
