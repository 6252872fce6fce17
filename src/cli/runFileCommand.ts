import { setMaskKey } from '../server/bytes/masking/masker.ts';
import { inputExists } from '../server/bytes/origins/inputExists.ts';
import { createDomains, type Domains } from '../server/createDomains.ts';
import { type CheckedStart, checkStart } from './checkStart.ts';
import { OutputFailure } from './export/outputFolder.ts';
import { createLeftovers, type Leftovers } from './leftovers.ts';
import { readMaskKey } from './maskKey.ts';
import type { Surroundings } from './openFiles.ts';
import { printable } from './printable.ts';
import { createTemporaryFolder } from './privateFolders.ts';
import { reportScan, reportUnread } from './sessionReports.ts';
import type { Settings } from './settings.ts';
import { StartFailure } from './startFailure.ts';
import { stateFolder } from './stateFolder.ts';
import { watchStopSignals } from './stopSignals.ts';

/** 0 done, 1 failed, 3 found what it was to find. */
export type ExitCode = 0 | 1 | 3;

/** What a command does with files, without a server. */
export type FileWork<Output, Code extends ExitCode> = {
  /** Opens what is written to, before any file is looked at. Throws OutputFailure. */
  readonly open: (leftovers: Leftovers) => Promise<Output>;
  /** Runs when all files are known. Returns the exit code. */
  readonly work: (domains: Domains, output: Output, signal: AbortSignal) => Promise<Code>;
};

/** Scans the files of a command and works on them. Returns the exit code. Throws UsageError. */
export async function runFileCommand<Output, Code extends ExitCode>(
  settings: Settings,
  { open, work }: FileWork<Output, Code>,
  { environment, terminal }: Surroundings,
): Promise<Code | 1> {
  const stopping = new AbortController();
  void watchStopSignals(terminal, 1).then((signal) => stopping.abort(new Error(signal)));
  const leftovers = createLeftovers();
  try {
    // Before any thread is started: each inherits the key.
    if (settings.mask !== undefined) setMaskKey(await readMaskKey(settings.mask.keyFile));
    const checked = await checkStart(settings);
    if (settings.source.kind === 'paths') await requireAllInputs(settings.source.paths);
    const output = await open(leftovers);
    const domains = openDomains(settings, { environment, terminal, checked, leftovers });
    try {
      const reported = reportScan(domains.catalog, { terminal, startupJson: false });
      // What is redacted is known before the first file is listed.
      await domains.redactions.ready;
      domains.catalog.start();
      stopping.signal.addEventListener('abort', () => void domains.catalog.cancel());
      await reported;
      stopping.signal.throwIfAborted();
      return await work(domains, output, stopping.signal);
    } finally {
      await domains.stop();
      await domains.close();
    }
  } catch (error) {
    if (stopping.signal.aborted) terminal.error('stopped before everything was written');
    else if (error instanceof OutputFailure) terminal.error(`--out cannot be written: ${error.message}`);
    else if (error instanceof StartFailure) terminal.error(error.message);
    else throw error;
    return 1;
  } finally {
    terminal.progress(undefined);
    leftovers.removeAll();
  }
}

/** What is missing would be taken for what has nothing to write. */
async function requireAllInputs(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    if (!(await inputExists(path))) throw new StartFailure(`${printable(path)} does not exist`);
  }
}

type Opening = Surroundings & { readonly checked: CheckedStart; readonly leftovers: Leftovers };

function openDomains(settings: Settings, { environment, terminal, checked, leftovers }: Opening) {
  const { source, overlays, recursive, archives, memoryBytes } = settings;
  return createDomains({
    inputs:
      source.kind === 'indexes' ? source.addresses : source.kind === 'paths' ? [...source.paths, ...overlays] : [],
    requested: overlays,
    indexes: checked.indexes,
    catalog: { recursive, archives, filters: checked.filters },
    remote: { ...settings.remote, onTrouble: (message) => terminal.warn(printable(message)) },
    memoryBytes,
    instance: String(process.pid),
    // Redactions are in it, which cover what is written.
    journal: {
      folder: stateFolder({ environment, platform: process.platform }),
      kept: 'offer',
      onTrouble: () => undefined,
    },
    onUnread: (unread) => reportUnread(unread, terminal),
    createSpoolFolder: () => createTemporaryFolder(leftovers).path,
  });
}
