import { basename, dirname, resolve } from 'node:path';
import type { Domains } from '../../server/createDomains.ts';
import { buildIdentity } from '../../server/doors/http/buildIdentity.ts';
import type { FinishedAudit } from '../../server/images/audits/audits.ts';
import { CopyFailure } from '../../server/images/copies/copies.ts';
import type { CopyName, CopyProfile } from '../../server/images/copies/copyTasks.ts';
import { openOutputFolder, OutputFailure, type OutputFolder } from '../export/outputFolder.ts';
import { createLeftovers } from '../leftovers.ts';
import { readMaskKey } from '../maskKey.ts';
import type { Surroundings } from '../openFiles.ts';
import { printable } from '../printable.ts';
import { runFileCommand } from '../runFileCommand.ts';
import { StartFailure } from '../startFailure.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usageError.ts';
import { compareAudits } from './auditChanges.ts';
import { isInFolder, realFolder, refuseSourceFiles, refuseSources } from './copyFolder.ts';
import { type CopyReport, isMissing, type NotCopied, writeJsonReport, writeTextReport } from './copyReport.ts';
import type { DeidentifyArguments } from './deidentifyArguments.ts';

const AUDITS = ['identifiers', 'burned-in', 'completeness'] as const;
const REDRAW_MS = 100;
/** Files that the scan did not list, of each reason. */
const MOST_SKIPPED = 1_000;

/** Runs `negato deidentify` and returns the exit code. Throws UsageError. */
export async function runDeidentify(given: DeidentifyArguments, surroundings: Surroundings): Promise<0 | 1 | 3> {
  const { terminal } = surroundings;
  // What is on standard output is the report.
  const quiet: Terminal = { ...terminal, say: (line) => terminal.info(line) };
  const outcome = await copyAll(given, { ...surroundings, terminal: quiet });
  if (outcome === undefined) return 1;
  let after: Looked | undefined = { audits: [], files: 0 };
  if (given.hasAudits && outcome.copied.length > 0) {
    after = await lookAtCopies(given, { ...surroundings, terminal: quiet });
  }
  const report: CopyReport = {
    ...outcome,
    program: `negato ${buildIdentity().version}`,
    createdAt: new Date(),
    out: resolve(given.out),
    options: given.options,
    hasKey: given.keyFile !== undefined,
    changes: given.hasAudits ? compareAudits(outcome.before, after?.audits ?? []) : undefined,
    lookedAt: after?.files ?? 0,
  };
  try {
    await outcome.send(report);
  } catch (error) {
    if (!(error instanceof OutputFailure)) throw error;
    terminal.error(`--report cannot be written: ${error.message}`);
    return 1;
  }
  if (given.report !== undefined) terminal.say(summarize(report));
  if (after === undefined) return 1;
  const isAny =
    outcome.notCopied.some(isMissing) || [...outcome.skipped.keys()].some((reason) => isMissing({ reason }));
  return isAny ? 3 : 0;
}

function summarize({ copied, notCopied }: CopyReport): string {
  const missing = notCopied.filter(isMissing).length;
  return `${copied.length} files copied${missing === 0 ? '' : `, ${missing} were not`}`;
}

type Looked = { readonly audits: readonly FinishedAudit[]; readonly files: number };

type Outcome = Pick<CopyReport, 'copied' | 'notCopied' | 'skipped'> & {
  readonly before: readonly FinishedAudit[];
  readonly send: (report: CopyReport) => Promise<void>;
};

type Outputs = { readonly folder: OutputFolder; readonly send: Outcome['send'] };

/** Where the report goes, which is known before anything is copied. */
async function openReport({ report, form }: DeidentifyArguments, root: string): Promise<Outcome['send']> {
  const write = (made: CopyReport) => (form === 'json' ? writeJsonReport(made) : writeTextReport(made));
  if (report === undefined) {
    return async (made) => {
      for (const piece of write(made)) await writeOut(piece);
    };
  }
  const path = await realFolder(report);
  if (isInFolder(path, root))
    throw new UsageError('--report names the files that were read, and cannot be among the copies');
  const folder = await openOutputFolder(dirname(path), createLeftovers());
  const name = basename(path);
  if ((await folder.findExisting(name, '', false)) !== undefined) {
    throw new StartFailure(`--report ${printable(name)} exists and is not replaced`);
  }
  return async (made) => {
    const pieces = encode(write(made));
    const written = await folder.write({ stem: name, ending: '', pieces, sidecar: undefined }, () => undefined);
    if ('exists' in written) throw new OutputFailure(`${printable(name)} exists and is not replaced`);
  };
}

/** Waits until the reader has taken it; whoever reads only the beginning ends the output. */
function writeOut(text: string): Promise<void> {
  return new Promise((resume) => process.stdout.write(text, () => resume()));
}

function* encode(texts: Iterable<string>): Generator<Uint8Array, void> {
  const encoder = new TextEncoder();
  for (const text of texts) yield encoder.encode(text);
}

/** Undefined if it failed, which is said. */
async function copyAll(given: DeidentifyArguments, surroundings: Surroundings): Promise<Outcome | undefined> {
  const { settings } = given;
  const { terminal } = surroundings;
  let outcome: Outcome | undefined;
  const code = await runFileCommand(
    settings,
    {
      async open(leftovers): Promise<Outputs> {
        const root = await realFolder(given.out);
        await refuseSources(root, settings.source.kind === 'paths' ? settings.source.paths : []);
        const send = await openReport(given, root);
        return { folder: await openOutputFolder(root, leftovers), send };
      },
      async work(domains, { folder, send }, signal) {
        outcome = { ...(await copyFiles(domains, { given, folder, terminal, signal })), send };
        return 0;
      },
    },
    surroundings,
  );
  return code === 0 ? outcome : undefined;
}

type Copying = {
  readonly given: DeidentifyArguments;
  readonly folder: OutputFolder;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
};

async function copyFiles(
  domains: Domains,
  { given, folder, terminal, signal }: Copying,
): Promise<Omit<Outcome, 'send'>> {
  const { catalog, audits, copies } = domains;
  const files = catalog.files.filter(({ index }) => !catalog.gone.files.has(index));
  if (files.length === 0) throw new StartFailure('there is no DICOM file to copy');
  refuseSourceFiles(
    await realFolder(given.out),
    files.map(({ path }) => path),
  );
  const say = createProgress(terminal);
  const looked = given.hasAudits
    ? await audits.run(
        { names: AUDITS, where: undefined, showsValues: false, comparesPixels: false, isKept: false },
        { signal, onProgress: ({ doing, done, total }) => say(`${doing}: ${done} of ${total}`) },
      )
    : undefined;
  const profile: CopyProfile = {
    key: await readMaskKey(given.keyFile),
    options: given.options,
    method: [`negato ${buildIdentity().version}`, 'PS3.15 2026c table E.1-1'],
  };
  const copied: { path: string; copy: string; isRedacted: boolean }[] = [];
  const notCopied: NotCopied[] = [];
  const names = createNames();
  let done = 0;
  try {
    for await (const copy of copies.make(files, profile, signal)) {
      signal.throwIfAborted();
      done += 1;
      say(`copies: ${done} of ${files.length}`);
      const { path } = copy.file;
      if ('refusal' in copy) {
        notCopied.push({ path, reason: copy.refusal, detail: copy.detail });
        continue;
      }
      const stem = names(copy.name);
      try {
        const existing = await folder.findExisting(stem, '.dcm', false);
        const written =
          existing === undefined
            ? await folder.write({ stem, ending: '.dcm', pieces: copy.pieces, sidecar: undefined }, () => undefined)
            : { exists: existing };
        if ('exists' in written) notCopied.push({ path, reason: 'exists', detail: written.exists });
        else copied.push({ path, copy: `${stem}.dcm`, isRedacted: copy.isRedacted });
      } catch (error) {
        if (!(error instanceof CopyFailure)) throw error;
        notCopied.push({ path, reason: 'failed', detail: error.message });
      }
    }
  } catch (error) {
    terminal.error(`${copied.length} of ${files.length} files were copied before it ended`);
    throw error;
  }
  terminal.progress(undefined);
  const skipped = catalog.skippedByReason();
  for (const { path } of catalog.attachments) notCopied.push({ path, reason: 'no_copy_of_layer', detail: '' });
  for (const reason of skipped.keys()) {
    // Nobody wanted these.
    if (reason === 'filter_mismatch') continue;
    const { entries } = catalog.notShown({ reason, offset: 0, limit: MOST_SKIPPED });
    for (const { path } of entries) notCopied.push({ path, reason, detail: '' });
  }
  return { copied, notCopied, skipped, before: looked?.audits ?? [] };
}

/** The path of a copy without its ending. Files with one SOP Instance UID are told apart by a number. */
function createNames(): (name: CopyName) => string {
  const used = new Map<string, number>();
  return ({ patient, study, series, instance }) => {
    const stem = [patient, study, series, instance].join('/');
    const times = (used.get(stem) ?? 0) + 1;
    used.set(stem, times);
    return times === 1 ? stem : `${stem}-${times}`;
  };
}

/** Undefined if it failed, which is said. */
async function lookAtCopies(
  { out, settings }: DeidentifyArguments,
  surroundings: Surroundings,
): Promise<Looked | undefined> {
  let looked: Looked | undefined;
  const source = { kind: 'paths' as const, paths: [resolve(out)] };
  const code = await runFileCommand(
    { ...settings, source, where: undefined, filters: [], recursive: true, archives: false },
    {
      open: async () => undefined,
      async work({ audits }, _, signal) {
        const say = createProgress(surroundings.terminal);
        const { audits: found, files } = await audits.run(
          { names: AUDITS, where: undefined, showsValues: false, comparesPixels: false, isKept: false },
          { signal, onProgress: ({ doing, done, total }) => say(`the copies, ${doing}: ${done} of ${total}`) },
        );
        looked = { audits: found, files };
        return 0;
      },
    },
    surroundings,
  );
  return code === 0 ? looked : undefined;
}

function createProgress(terminal: Terminal): (line: string) => void {
  let drawnAt = -Infinity;
  return (line) => {
    if (performance.now() - drawnAt < REDRAW_MS) return;
    drawnAt = performance.now();
    terminal.progress(line);
  };
}
