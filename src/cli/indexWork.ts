import type { IndexProgress } from '../server/images/catalog/indexFiles.ts';
import type { IndexTableInput } from './indexTable.ts';
import type { MergeInput, MergeOutcome, UpdateInput, UpdateOutcome } from './joinIndexes.ts';

/** What the thread of `negato index` is told. */
export type IndexWork =
  | { readonly kind: 'write'; readonly input: IndexTableInput }
  | { readonly kind: 'merge'; readonly input: MergeInput }
  | { readonly kind: 'update'; readonly input: UpdateInput };

/** What it answers: the part of a table that it reads, then what was found, or why the table could not be written. */
export type IndexAnswer =
  | { readonly kind: 'part'; readonly part: string | undefined }
  | { readonly kind: 'write'; readonly outcome: IndexProgress }
  | { readonly kind: 'merge'; readonly outcome: MergeOutcome }
  | { readonly kind: 'update'; readonly outcome: UpdateOutcome }
  | { readonly kind: 'problem'; readonly problem: string };
