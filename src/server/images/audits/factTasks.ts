import type { KnownSource } from '../../bytes/origins/origins.ts';
import { defineTask } from '../../machine/workers/task.ts';
import { type CostFactors, readBytesOf } from '../../standard/dicom/readCost.ts';

/** What a header says that audits look at. The value of a fact is a text. */
export type FactKey =
  /** An element that PS3.15 table E.1-1 lists, or a person name in another one; at any depth, also in private sequences. */
  | {
      readonly kind: 'element';
      readonly tag: number;
      readonly vr: string;
      /** The action of the Basic Profile; undefined if the table does not list it. */
      readonly action: string | undefined;
      /** Whether it is in an item of a sequence. */
      readonly isNested: boolean;
    }
  /** A text with the name or ID of the patient of the file. The value is the text. */
  | { readonly kind: 'text'; readonly tag: number; readonly creator: string | undefined; readonly isNested: boolean }
  /** The path of the file has the name or ID of its patient. */
  | { readonly kind: 'path' }
  /** Private elements of one creator; undefined if they have none. The value is the place of an element in its block. */
  | { readonly kind: 'private'; readonly creator: string | undefined; readonly group: number }
  /** What can have a text without being one. */
  | { readonly kind: 'hidden'; readonly what: 'overlay' | 'document' | 'icon' }
  /** A parameter of the acquisition, by its keyword. */
  | { readonly kind: 'protocol'; readonly keyword: string }
  /** Another element of the data set itself, by its keyword. */
  | { readonly kind: 'said'; readonly keyword: string };

export type FactsInput = {
  readonly files: readonly { readonly source: KnownSource; readonly path: string }[];
};

/** The facts of some files. Files of one series repeat most of them, so each key and value is there once. */
export type PackedFacts = {
  readonly keys: readonly FactKey[];
  readonly values: readonly string[];
  /** A key and a value for each fact, file after file. */
  readonly pairs: Uint32Array<ArrayBuffer>;
  /** For each file, where its pairs end. */
  readonly ends: Uint32Array<ArrayBuffer>;
  /** For each file `READ`, `UNREAD` or `CUT`. */
  readonly states: Uint8Array<ArrayBuffer>;
};

export const READ = 0;
/** It has changed, has gone or cannot be read. */
export const UNREAD = 1;
/** It has more elements than are looked at. */
export const CUT = 2;

/** Files are read one after the other, so the largest of them decides. */
export const readFactsTask = defineTask<FactsInput, PackedFacts, readonly CostFactors[]>('audits.readFacts', {
  timeoutMs: (_, files) => 20_000 + 2_000 * files.length,
  mostBytes: (_, files) => Math.max(...files.map(readBytesOf)),
});
