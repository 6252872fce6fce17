import { ViewerError } from '../../../shared/contract/errors.ts';
import type { RoiBox } from '../../../shared/contract/annotations.ts';
import { MOST_NOTE_BYTES, readSharedNote, versionOfNote, writeSharedNote } from '../../machine/workers/sharedNote.ts';

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

type Note = {
  /** Why it is not known which files have redactions. */
  readonly unknown?: string | undefined;
  readonly table: Table;
};

let known: { readonly version: number; readonly note: Note } = { version: 0, note: { table: {} } };

function readNote(): Note {
  if (versionOfNote() !== known.version) {
    const { version, text } = readSharedNote();
    const note: Note = text === '' ? { table: {} } : JSON.parse(text);
    known = { version, note };
  }
  return known.note;
}

/**
 * `key` is that of a file in the state in which it was scanned. Undefined if nothing of it is redacted. Throws
 * `redactions_unknown` while any file may have redactions that are not known: no pixel is shown until they are.
 */
export function redactionsOf(key: string): Redactions | undefined {
  const { unknown, table } = readNote();
  if (unknown !== undefined) throw new ViewerError('redactions_unknown', unknown);
  return table[key];
}

/** Part of the state of a file, because everything made of its pixels depends on it. Never throws. */
export function redactionStateOf(key: string): string {
  const { unknown, table } = readNote();
  // Nothing is made in this state, so that nothing kept of an earlier one is found in it.
  if (unknown !== undefined) return '\0unknown redactions';
  const redacted = table[key];
  return redacted === undefined ? '' : `\0${redacted.revision}`;
}

/** Differs after each change of any redaction. */
export function redactionsVersion(): number {
  return versionOfNote();
}

const LONGEST_REASON = 1_000;

/** No pixel of any file is shown from now on, for this reason; undefined ends that. Only the main thread calls it. */
export function holdPixels(reason: string | undefined): void {
  const note = readNote();
  const unknown = reason?.slice(0, LONGEST_REASON);
  if (note.unknown !== unknown) writeSharedNote(JSON.stringify({ ...note, unknown }));
}

/** Replaces the redactions of files, in all threads at once. Only the main thread calls it. */
export function writeRedactions(changes: ReadonlyMap<string, readonly Redaction[]>): void {
  const note = readNote();
  const table: Record<string, Redactions> = { ...note.table };
  const revision = versionOfNote();
  let isChanged = false;
  for (const [key, redactions] of changes) {
    if (redactions.length === 0 && table[key] === undefined) continue;
    isChanged = true;
    if (redactions.length === 0) delete table[key];
    else table[key] = { revision, redactions };
  }
  if (!isChanged) return;
  const text = JSON.stringify({ ...note, table });
  // There is always room for a reason.
  if (Buffer.byteLength(text) > MOST_NOTE_BYTES - 4 * LONGEST_REASON || !writeSharedNote(text)) {
    throw new ViewerError('payload_too_large', 'there is no room for so many redactions');
  }
}
