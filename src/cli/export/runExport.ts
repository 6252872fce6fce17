import { MIB } from '../../server/machine/system/mib.ts';
import { ViewerError } from '../../shared/contract/errors.ts';
import type { Surroundings } from '../openFiles.ts';
import { printable } from '../printable.ts';
import { runFileCommand } from '../runFileCommand.ts';
import { toServerLog } from '../serverLog.ts';
import type { Terminal } from '../terminal.ts';
import type { ExportArguments } from './exportArguments.ts';
import type { ExportJob, ExportJobs } from './exportJob.ts';
import { nameExports } from './exportNames.ts';
import { listImageJobs } from './imageJobs.ts';
import { listLabelJobs } from './labelJobs.ts';
import { openOutputFolder, OutputFailure, type OutputFolder } from './outputFolder.ts';

/** Runs `negato export` and returns the exit code. Throws UsageError. */
export function runExport(given: ExportArguments, surroundings: Surroundings): Promise<0 | 1> {
  const { terminal } = surroundings;
  const { what } = given;
  return runFileCommand(
    given.settings,
    {
      open: (leftovers) => openOutputFolder(given.out, leftovers),
      async work(domains, folder, signal) {
        const found =
          what.kind === 'labels'
            ? await listLabelJobs(domains, what, signal)
            : await listImageJobs(domains, what.kind, signal);
        return runJobs(found, { given, folder, terminal, signal });
      },
    },
    surroundings,
  );
}

type Running = {
  readonly given: ExportArguments;
  readonly folder: OutputFolder;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
};

type Totals = { written: number; refused: number; failed: number; existing: number };

async function runJobs({ jobs, leftOut }: ExportJobs, running: Running): Promise<0 | 1> {
  const { given, terminal, signal } = running;
  const stems = nameExports(jobs, given.names);
  const totals: Totals = { written: 0, refused: 0, failed: 0, existing: 0 };
  for (const [at, job] of jobs.entries()) {
    signal.throwIfAborted();
    const label = `${at + 1} of ${jobs.length}: ${stems[at]!}`;
    terminal.progress(label);
    await runJob(job, { ...running, stem: stems[at]!, label, totals }).catch((error: unknown) => {
      if (signal.aborted) throw error;
      if (error instanceof OutputFailure) {
        terminal.error(`${jobs.length - at} of ${jobs.length} were not written`);
        throw error;
      }
      reportRefusal(stems[at]!, error, { terminal, totals });
    });
  }
  terminal.progress(undefined);
  for (const { what, reason } of leftOut) terminal.say(`not exported: ${printable(what)}: ${printable(reason)}`);
  totals.refused += leftOut.length;
  const { written, refused, failed, existing } = totals;
  const others = [
    ...(refused > 0 ? [`${refused} not exported`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(existing > 0 ? [`${existing} exist and are not replaced`] : []),
  ];
  terminal.say([`${written} ${written === 1 ? 'file' : 'files'} written`, ...others].join(', '));
  return written > 0 && failed === 0 && existing === 0 ? 0 : 1;
}

/** What says that something is no volume, or has no labels; all other codes are failures. */
const REFUSALS: ReadonlySet<string> = new Set([
  'volume_unavailable',
  'semantic_mapping_unavailable',
  'mark_not_found',
  'not_an_image',
]);

function reportRefusal(
  stem: string,
  error: unknown,
  { terminal, totals }: { readonly terminal: Terminal; readonly totals: Totals },
): void {
  if (!(error instanceof ViewerError)) {
    totals.failed += 1;
    toServerLog(terminal).error(`failed: ${stem}`, error);
  } else if (REFUSALS.has(error.code)) {
    totals.refused += 1;
    terminal.say(`not exported: ${stem}: ${printable(error.message)}`);
  } else {
    totals.failed += 1;
    terminal.error(`failed: ${stem}: ${printable(error.message)}`);
  }
}

type RunningJob = Running & { readonly stem: string; readonly label: string; readonly totals: Totals };

async function runJob(job: ExportJob, { folder, stem, label, terminal, signal, totals }: RunningJob): Promise<void> {
  const exists = (name: string) => {
    totals.existing += 1;
    terminal.error(`${name} exists and is not replaced`);
  };
  const known = await folder.findExisting(stem, job.ending);
  if (known !== undefined) return exists(known);
  for await (const { suffix, ...file } of job.make(signal)) {
    const name = `${stem}${suffix}`;
    const other = suffix === '' ? undefined : await folder.findExisting(name, job.ending);
    if (other !== undefined) {
      exists(other);
      continue;
    }
    const written = await folder.write({ ...file, stem: name, ending: job.ending }, (bytes) =>
      terminal.progress(`${label}, ${Math.floor(bytes / MIB)} MiB`),
    );
    if ('exists' in written) exists(written.exists);
    else {
      totals.written += 1;
      terminal.say(`${name}${job.ending}: ${written.bytes} bytes`);
    }
  }
}
