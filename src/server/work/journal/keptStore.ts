import { isMasked } from '../../bytes/masking/masker.ts';
import type { Task, TaskRunner } from '../../machine/workers/task.ts';
import type { AnnotatedFiles } from './annotatedFiles.ts';
import type { FoundJournal, UnreadJournal } from './findJournals.ts';
import { createJournal } from './journal.ts';
import type { JournalFormat, KeptRecords } from './journalFile.ts';
import { createRecovery, type JournalMatch, type KeptEdits, type Recovery, type RecoveryAction } from './recovery.ts';
import { orClosed, shuttingDown } from './shuttingDown.ts';

export type JournalSettings = {
  /** Where edits are kept until they are exported. Only this user has access to it. */
  readonly folder: string;
  /** What to do after the scan with edits of the open files that an earlier run kept. */
  readonly kept: 'offer' | 'restore' | 'forget';
  /** The name of the journal of this run, if it is to be known. */
  readonly name?: string;
  /** Called with the reason when edits cannot be written, and with undefined when they can be written again. */
  readonly onTrouble?: (reason: string | undefined) => void;
};

/**
 * `kept`: the edit is on disk. `memory`: it is lost when the process ends, because it could not be written or there is
 * no journal.
 */
export type Durability = 'kept' | 'memory';

function toDurability(isKept: boolean | undefined): Durability {
  return isKept === true ? 'kept' : 'memory';
}

export async function durabilityOfAll(edits: readonly Promise<Durability>[]): Promise<Durability> {
  return (await Promise.all(edits)).every((durability) => durability === 'kept') ? 'kept' : 'memory';
}

export type KeptStoreOptions<Record> = {
  readonly files: AnnotatedFiles;
  readonly tasks: TaskRunner;
  readonly format: JournalFormat<Record>;
  /** Without it, edits are only held in memory. */
  readonly settings: JournalSettings | undefined;
  /** Reads a journal of this format; undefined if it is gone. */
  readonly read: (journal: FoundJournal) => Promise<KeptRecords<Record> | undefined>;
  /** Makes the edits of records of an earlier run, the newest first. Returns how well each is kept. */
  readonly restore: (matches: readonly JournalMatch<Record>[]) => readonly Promise<Durability>[];
  /** Whether this run already has what the record says. */
  readonly isHeld: (match: JournalMatch<Record>) => boolean;
};

/**
 * What ROIs, marks and redactions have in common: their edits are in a journal before they count as kept, those of an
 * earlier run are found again, and the server ends only when all of it has been written.
 */
export interface KeptStore<Record> {
  /** The edit of this number, in place of an earlier one. Settles when it has been written or could not be. */
  readonly keep: (number: number, record: Record) => Promise<Durability>;
  /** The user has deleted it. */
  readonly remove: (number: number) => Promise<Durability>;
  /** These have been exported, and need not be kept. */
  readonly release: (numbers: Iterable<number>) => Promise<void>;
  readonly countKept: () => { readonly records: number; readonly items: number };
  /** Whether edits are about to be restored, as was requested at startup. */
  readonly isRestoring: () => boolean;
  /** Readers must not see a state that the restore at startup is about to change. Rejects with `shutting_down`. */
  readonly restored: () => Promise<void>;
  /** Settles when it is known what an earlier run kept and the action requested at startup is done. Never rejects. */
  readonly recovered: Promise<RecoveryOutcome>;
  readonly journal: () => JournalReport;
  /** Restores or removes what an earlier run kept of the open files. */
  readonly recover: (action: RecoveryAction) => Promise<JournalReport>;
  /** What a request body says: read here if it is small, else by the task. Rejects with `shutting_down`. */
  readonly readBody: <Input extends { readonly body: Uint8Array }, Output>(
    input: Input,
    here: (input: Input) => Output | Promise<Output>,
    task: Task<Input, Output>,
  ) => Promise<Output>;
  /** Throws `shutting_down` after `close`: what is edited then could not be exported any more. */
  readonly requireOpen: () => void;
  /** Aborted by `close`. */
  readonly signal: AbortSignal;
  /** Rejects waiting calls with `shutting_down`, and refuses edits. */
  readonly close: () => void;
  /** Called after `close`, when no request is left. Settles when everything has been written. */
  readonly closeJournal: () => Promise<void>;
}

/** A smaller body is read in a few milliseconds, sooner than a worker thread could start. */
const READ_HERE_BYTES = 32 * 1024;

export function createKeptStore<Record>(options: KeptStoreOptions<Record>): KeptStore<Record> {
  const { files, tasks, format, settings, read, restore, isHeld } = options;
  const closing = new AbortController();
  const { signal } = closing;
  const journal = settings && createJournal({ format, ...settings });
  const recovery =
    journal &&
    createRecovery<Record>({
      format,
      read,
      folder: journal.folder,
      files,
      restore: async (matches) => (await durabilityOfAll(restore(matches))) === 'kept',
      isHeld: (match) => journal.trouble() === undefined && isHeld(match),
    });
  let isRestoring = settings?.kept === 'restore';
  const recovered = recoverAtStart(recovery, settings?.kept).then((outcome) => {
    isRestoring = false;
    return outcome;
  });

  const report = () => reportJournal(journal, recovery);

  return {
    keep: async (number, record) => toDurability(await journal?.keep(number, record)),
    remove: async (number) => toDurability(await journal?.remove(number)),
    release: async (numbers) => journal?.release(numbers),
    countKept: () => journal?.countKept() ?? { records: 0, items: 0 },
    isRestoring: () => isRestoring,
    restored: () => orClosed(isRestoring ? recovered : undefined, signal),
    recovered,
    journal: report,
    async recover(action) {
      await orClosed(recovery?.searched, signal);
      await recovery?.settle(action);
      return report();
    },
    async readBody(input, here, task) {
      if (input.body.length <= READ_HERE_BYTES) return here(input);
      return tasks.run(task, input, { signal }).catch((error: unknown) => {
        throw signal.aborted ? shuttingDown() : error;
      });
    },
    requireOpen() {
      if (signal.aborted) throw shuttingDown();
    },
    signal,
    close: () => closing.abort(),
    async closeJournal() {
      await recovery?.close();
      await journal?.close();
    },
  };
}

/** What clients are told about a journal. */
export type JournalReport = {
  readonly state: 'off' | 'on' | 'failing';
  /** Why writing fails. */
  readonly error: string | undefined;
  /** Undefined in a masked run: it has the name of the user. */
  readonly folder: string | undefined;
  /** Whether the journals of earlier runs have been searched. */
  readonly isSearched: boolean;
  readonly kept: KeptEdits | undefined;
  readonly unread: readonly UnreadJournal[];
};

function reportJournal(
  journal: { readonly folder: string; trouble(): string | undefined } | undefined,
  recovery: Recovery | undefined,
): JournalReport {
  const error = journal?.trouble();
  return {
    state: journal === undefined ? 'off' : error === undefined ? 'on' : 'failing',
    error,
    folder: isMasked() ? undefined : journal?.folder,
    isSearched: recovery?.isSearched() ?? true,
    kept: recovery?.kept(),
    unread: recovery?.unread() ?? [],
  };
}

export type RecoveryOutcome = { readonly unread: readonly UnreadJournal[] } & (
  | { readonly state: 'none' }
  | { readonly state: 'offered' | 'restored' | 'forgotten'; readonly kept: KeptEdits }
  | { readonly state: 'failed'; readonly message: string }
);

/** Does what the user wished at startup with what earlier runs kept. Never rejects. */
async function recoverAtStart(
  recovery: Recovery | undefined,
  wish: JournalSettings['kept'] | undefined,
): Promise<RecoveryOutcome> {
  await recovery?.searched;
  const unread = recovery?.unread() ?? [];
  const kept = recovery?.kept();
  if (recovery === undefined || kept === undefined || wish === undefined) return { state: 'none', unread };
  if (wish === 'offer') return { state: 'offered', kept, unread };
  try {
    await recovery.settle(wish);
    return { state: wish === 'restore' ? 'restored' : 'forgotten', kept, unread };
  } catch (error) {
    return { state: 'failed', message: error instanceof Error ? error.message : String(error), unread };
  }
}
