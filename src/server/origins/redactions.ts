import { ViewerError } from '../../shared/contract/errors.ts';
import type { RoiBox } from '../../shared/contract/annotations.ts';
import { readSharedNote, versionOfNote, writeSharedNote } from '../workers/sharedNote.ts';

/** A part of the pictures of a file that nobody may see. */
export type Redaction = {
  readonly box: RoiBox;
  /** Counted from 0; none means all frames. */
  readonly frames: readonly number[];
};

export type Redactions = {
  /** Never the same after a change. */
  readonly revision: number;
  readonly redactions: readonly Redaction[];
};

type Table = Readonly<Record<string, Redactions>>;

let known: { readonly version: number; readonly table: Table } = { version: 0, table: {} };

function readTable(): Table {
  if (versionOfNote() !== known.version) {
    const { version, text } = readSharedNote();
    const table: Table = text === '' ? {} : JSON.parse(text);
    known = { version, table };
  }
  return known.table;
}

/** `key` is that of a file in the state in which it was scanned. Undefined if nothing of it is redacted. */
export function redactionsOf(key: string): Redactions | undefined {
  return readTable()[key];
}

/** Differs after each change of any redaction. */
export function redactionsVersion(): number {
  return versionOfNote();
}

/** Replaces the redactions of a file, in all threads at once. Only the main thread calls it. */
export function writeRedactions(key: string, redactions: readonly Redaction[]): void {
  const { [key]: before, ...others } = readTable();
  if (before === undefined && redactions.length === 0) return;
  const changed = redactions.length === 0 ? others : { ...others, [key]: { revision: versionOfNote(), redactions } };
  if (!writeSharedNote(JSON.stringify(changed))) {
    throw new ViewerError('payload_too_large', 'there is no room for so many redactions');
  }
}
