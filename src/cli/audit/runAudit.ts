import { basename, dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { AUDIT_LEVELS, type AuditLevel, type AuditResponse } from '../../shared/contract/audits.ts';
import { ViewerError } from '../../shared/contract/errors.ts';
import { isMasked } from '../../server/bytes/masking/masker.ts';
import type { Domains } from '../../server/createDomains.ts';
import { buildIdentity } from '../../server/doors/http/buildIdentity.ts';
import type { AuditProgress } from '../../server/images/audits/auditWork.ts';
import { findColumn } from '../../server/images/catalog/indexColumns.ts';
import { parseWhereOfFiles } from '../../server/images/catalog/whereOfFiles.ts';
import { openOutputFolder, OutputFailure, type OutputFolder } from '../export/outputFolder.ts';
import type { Surroundings } from '../openFiles.ts';
import { printable } from '../printable.ts';
import { runFileCommand } from '../runFileCommand.ts';
import { StartFailure } from '../startFailure.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usageError.ts';
import type { AuditArguments } from './auditArguments.ts';
import type { AuditReport } from './auditReport.ts';
import { drawSuspects } from './reportPictures.ts';
import { writeAuditReport } from './writeAuditReport.ts';

const REDRAW_MS = 100;
/** How long after a column was not ready it is asked for again. */
const NOT_READY_MS = 100;

/** Runs `negato audit` and returns the exit code. Throws UsageError. */
export function runAudit(given: AuditArguments, surroundings: Surroundings): Promise<0 | 1 | 3> {
  const { settings, out } = given;
  // What is on standard output is the report.
  const terminal: Terminal = { ...surroundings.terminal, say: (line) => surroundings.terminal.info(line) };
  // The condition chooses what is looked at. What other files name may be in those that it does not choose.
  // A masked run chooses by what the files have, and an index by its columns.
  const isLater = settings.where !== undefined && settings.source.kind !== 'indexes' && settings.mask === undefined;
  const where = isLater ? settings.where : undefined;
  if (where !== undefined) requireCondition(where);
  return runFileCommand(
    isLater ? { ...settings, where: undefined } : settings,
    {
      async open(leftovers) {
        if (out === undefined) return undefined;
        const folder = await openOutputFolder(dirname(out), leftovers);
        if ((await folder.findExisting(basename(out), '', false)) !== undefined) {
          throw new OutputFailure(`${printable(basename(out))} exists and is not replaced`);
        }
        return folder;
      },
      work: (domains, folder, signal) => audit({ given, domains, where, folder, terminal, signal }),
    },
    { ...surroundings, terminal },
  );
}

function requireCondition(where: string): void {
  const parsed = parseWhereOfFiles(where);
  if (!parsed.ok) throw new UsageError(`--where: ${printable(parsed.message)}`);
}

type Auditing = {
  readonly given: AuditArguments;
  readonly domains: Domains;
  readonly where: string | undefined;
  readonly folder: OutputFolder | undefined;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
};

async function audit({ given, domains, where, folder, terminal, signal }: Auditing): Promise<0 | 1 | 3> {
  const { names, report: form, showsValues, comparesPixels } = given;
  // What is not shown is listed by one audit.
  const hasSkipped = names.includes('readable') && domains.catalog.skippedByReason().size > 0;
  if (domains.catalog.files.length === 0 && !hasSkipped) {
    terminal.error('there is no DICOM file');
    return 1;
  }
  if (where !== undefined) await readColumns(domains, where, signal);
  const onProgress = createProgress(terminal);
  const outcome = await domains.audits.run(
    { names, where, showsValues, comparesPixels, isKept: false },
    { signal, onProgress },
  );
  const { files, unread } = outcome;
  const audits = outcome.audits.map(({ audit: name, findings, total, isComplete }): AuditResponse => ({
    audit: name,
    files,
    unread,
    is_complete: isComplete,
    total,
    findings: [...findings],
  }));
  const hasPictures = form === 'html' && showsValues;
  const pictures = hasPictures ? await drawSuspects(domains, audits, signal) : new Map<number, string>();
  terminal.progress(undefined);
  const report: AuditReport = {
    program: `negato ${buildIdentity().version}`,
    createdAt: new Date(),
    choice: where === undefined ? [] : [`--where ${JSON.stringify(where)}`],
    isMasked: isMasked(),
    audits,
    pictures,
  };
  await send(writeAuditReport(form, report), { given, folder, terminal });
  return hasLevel(audits, given.failOn) ? 3 : 0;
}

/** Reads the elements that the condition needs. */
async function readColumns({ tables }: Domains, where: string, signal: AbortSignal): Promise<void> {
  const parsed = parseWhereOfFiles(where);
  if (!parsed.ok) return;
  const elements = parsed.where.columns.filter((name) => {
    const found = findColumn(name);
    return found.ok && found.column.path !== undefined;
  });
  await tables.want(elements, signal);
  for (;;) {
    try {
      await tables.choose(where, signal);
      return;
    } catch (error) {
      if (!(error instanceof ViewerError) || error.code !== 'column_not_ready') throw error;
    }
    const { columns } = await tables.columns(signal);
    const failed = columns.find(({ name, state }) => state === 'failed' && elements.includes(name));
    if (failed !== undefined) throw new StartFailure(`--where: ${failed.problem ?? 'the files cannot be read'}`);
    await pause(NOT_READY_MS, undefined, { signal });
  }
}

function createProgress(terminal: Terminal): (progress: AuditProgress) => void {
  let drawnAt = -Infinity;
  return ({ doing, done, total }) => {
    if (performance.now() - drawnAt < REDRAW_MS) return;
    drawnAt = performance.now();
    terminal.progress(`${doing}: ${done} of ${total}`);
  };
}

function hasLevel(audits: readonly AuditResponse[], least: AuditLevel): boolean {
  const levels = AUDIT_LEVELS.slice(AUDIT_LEVELS.indexOf(least));
  return audits.some(({ findings }) => findings.some(({ level }) => levels.includes(level)));
}

async function send(
  pieces: Iterable<string>,
  { given: { out }, folder, terminal }: Pick<Auditing, 'given' | 'folder' | 'terminal'>,
): Promise<void> {
  if (out === undefined || folder === undefined) {
    for (const piece of pieces) await writeOut(piece);
    return;
  }
  const written = await folder.write(
    { stem: basename(out), ending: '', pieces: encode(pieces), sidecar: undefined },
    () => {},
  );
  if ('exists' in written) throw new OutputFailure(`${printable(written.exists)} exists and is not replaced`);
  terminal.info(`${printable(basename(out))}: ${written.bytes} bytes`);
}

/** Waits until the reader has taken it; whoever reads only the beginning ends the output. */
function writeOut(text: string): Promise<void> {
  return new Promise((resume) => process.stdout.write(text, () => resume()));
}

function* encode(texts: Iterable<string>): Generator<Uint8Array, void> {
  const encoder = new TextEncoder();
  for (const text of texts) yield encoder.encode(text);
}
