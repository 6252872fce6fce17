import type { CopyOptions } from '../../server/bytes/masking/copyRule.ts';
import type { CopyRefusal } from '../../server/images/copies/copyTasks.ts';
import { SKIP_REASON_TEXTS } from '../../shared/skipReasonTexts.ts';
import type { SkipReason } from '../../shared/contract/skipReasons.ts';
import { printableLine } from '../printable.ts';
import type { AuditChange } from './auditChanges.ts';

/** Why there is no copy of a file that was opened, or that the scan did not list. */
export type NotCopied = {
  readonly path: string;
  readonly reason: CopyRefusal | 'exists' | 'no_copy_of_layer' | SkipReason;
  readonly detail: string;
};

/** All that is reported. */
export type CopyReport = {
  readonly program: string;
  readonly createdAt: Date;
  readonly out: string;
  readonly options: CopyOptions;
  /** Whether another run can make the same pseudonyms. */
  readonly hasKey: boolean;
  readonly copied: readonly { readonly path: string; readonly copy: string; readonly isRedacted: boolean }[];
  readonly notCopied: readonly NotCopied[];
  /** Files that the scan did not list, with those that there is no room to name. */
  readonly skipped: ReadonlyMap<SkipReason, number>;
  /** Undefined without audits. */
  readonly changes: readonly AuditChange[] | undefined;
  /** Files in the folder of the copies that were looked at. */
  readonly lookedAt: number;
};

export const REASON_TEXTS: Readonly<Record<NotCopied['reason'], string>> = {
  ...SKIP_REASON_TEXTS,
  not_whole: 'It cannot be read to its end for certain',
  document: 'It has a document or model, in which anything can be',
  video: 'It is a video',
  slide_label: 'It shows the label of a slide, or may show it',
  directory: 'It is a directory of files on a medium',
  no_pixels: 'Its pixels are on another server',
  not_decoded: 'Its pixels have to be covered, and its frames cannot be decoded',
  too_long: 'It is too long',
  failed: 'It could not be read',
  exists: 'A file with the name of the copy is there',
  no_copy_of_layer: 'It is no DICOM file',
};

/** Reasons for which a DICOM file is not copied, and nobody has chosen that. */
export function isMissing({ reason }: Pick<NotCopied, 'reason'>): boolean {
  return !EXPECTED.has(reason);
}

/** What is no DICOM file, a directory that would name the files, and files that nobody wanted. */
const EXPECTED: ReadonlySet<NotCopied['reason']> = new Set([
  'not_dicom',
  'media_directory',
  'directory',
  'media_file_missing',
  'filter_mismatch',
  'no_copy_of_layer',
]);

const MOST_NAMED = 20;

/** For people. The terminal gets the same. */
export function* writeTextReport(report: CopyReport): Generator<string, void> {
  const { copied, notCopied, skipped, changes, lookedAt, hasKey } = report;
  const redacted = copied.filter(({ isRedacted }) => isRedacted).length;
  yield `${count(copied.length, 'file')} copied${redacted === 0 ? '' : `, ${redacted} of them with filled boxes or without overlays in the pixels`}\n`;
  if (!hasKey && copied.length > 0) yield 'the pseudonyms are those of this run only: no --mask-key was given\n';
  const byReason = new Map<NotCopied['reason'], NotCopied[]>();
  for (const one of notCopied) {
    const same = byReason.get(one.reason);
    if (same === undefined) byReason.set(one.reason, [one]);
    else same.push(one);
  }
  for (const [reason, files] of byReason) {
    const all = Math.max(files.length, isSkipReason(reason) ? (skipped.get(reason) ?? 0) : 0);
    yield `not copied: ${count(all, 'file')}: ${REASON_TEXTS[reason]}\n`;
    for (const { path, detail } of files.slice(0, MOST_NAMED)) {
      yield `  ${printableLine(path)}${detail === '' ? '' : `: ${printableLine(detail)}`}\n`;
    }
    if (all > MOST_NAMED) yield `  and ${all - MOST_NAMED} more\n`;
  }
  if (changes === undefined) return;
  yield `what audits found before, and in ${count(lookedAt, 'file')} of the copies:\n`;
  for (const state of STATES) {
    const some = changes.filter((change) => change.state === state);
    if (some.length > 0) yield `${STATE_TEXTS[state]}:\n`;
    for (const { code, what, before, after } of some) {
      yield `  ${code} ${printableLine(what)}: ${before} before, ${after} in the copies\n`;
    }
  }
  if (changes.length === 0) yield '  nothing\n';
  yield 'That an audit finds nothing does not mean that there is nothing to find.\n';
}

const STATES = ['new', 'still', 'gone'] as const satisfies readonly AuditChange['state'][];
const STATE_TEXTS: Readonly<Record<AuditChange['state'], string>> = {
  new: 'only in the copies',
  still: 'in the copies as well (pseudonyms and what the options keep, among others)',
  gone: 'not found any more',
};

function isSkipReason(reason: NotCopied['reason']): reason is SkipReason {
  return reason in SKIP_REASON_TEXTS;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** For programs. It names the files that were read. */
export function* writeJsonReport(report: CopyReport): Generator<string, void> {
  const { program, createdAt, out, options, hasKey, copied, notCopied, skipped, changes, lookedAt } = report;
  const head = {
    program,
    created_at: createdAt.toISOString(),
    out,
    options: {
      retain_uids: options.retainsUids,
      retain_dates: options.shiftsDates ? 'shift' : null,
      retain_device: options.retainsDevice,
      clean_descriptors: options.cleansDescriptors,
      retain_safe_private: options.retainsSafePrivate,
      has_mask_key: hasKey,
    },
    skipped: Object.fromEntries(skipped),
    looked_at: lookedAt,
    audits: changes ?? null,
  };
  yield `${JSON.stringify(head).slice(0, -1)},"copied":[`;
  yield* writeList(copied.map(({ path, copy, isRedacted }) => ({ path, copy, is_redacted: isRedacted })));
  yield '],"not_copied":[';
  yield* writeList(notCopied);
  yield ']}\n';
}

function* writeList(items: readonly object[]): Generator<string, void> {
  for (const [at, item] of items.entries()) yield `${at === 0 ? '\n' : ',\n'}${JSON.stringify(item)}`;
}
