import type { NarrativeMedium, NarrativeResponse } from '../../../../shared/contract/narrative.ts';
import { REPORT_COST, documentTask } from '../documentTasks.ts';

/** The JSON of the answer without the index of the file, an object that is left open. */
export type WrittenNarrative = { readonly json: string };
export type Narrative = Omit<NarrativeResponse, 'file_index'>;

export const readNarrativeTask = documentTask<unknown, WrittenNarrative>('documents.narrative', REPORT_COST);

export type MediumQuery = { readonly medium: number };
export type MediumBytes = {
  readonly mediaType: NarrativeMedium['media_type'];
  readonly bytes: Uint8Array<ArrayBuffer>;
};

export const readNarrativeMediumTask = documentTask<MediumQuery, MediumBytes>('documents.narrativeMedium', REPORT_COST);
