import { ViewerError } from '../../../shared/contract/errors.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import type { KnownSource } from '../../bytes/origins/origins.ts';
import { doInTurns } from '../../machine/workers/doInTurns.ts';
import { packList } from '../../machine/workers/packedList.ts';
import type { TaskRunner } from '../../machine/workers/task.ts';
import { rememberEntry } from './rememberEntry.ts';
import type { KnownVolume } from './volumeMemory.ts';
import { checkSourcesTask } from './volumeTasks.ts';

/** Throws `file_gone` if a file of the volume has changed. Looks at most once a second. */
export type SourceChecks = { readonly check: (volume: KnownVolume) => Promise<void> };

/** How long an answer may come out of memory without a look at the files. */
const CHECK_MS = 1_000;

export function createSourceChecks({
  files,
  tasks,
  onGone,
}: {
  readonly files: readonly DicomFile[];
  readonly tasks: TaskRunner;
  readonly onGone: (volume: KnownVolume, error: ViewerError) => void;
}): SourceChecks {
  const checks = new Map<string, { readonly atMs: number; readonly done: Promise<void> }>();

  async function checkSources(volume: KnownVolume): Promise<void> {
    const sources = await doInTurns(packList(listSources(volume, files)), undefined);
    // All requests of this second share it, and it only asks for the times of files.
    await tasks.run(checkSourcesTask, sources, { signal: undefined });
  }

  return {
    check(volume) {
      // Whoever fills a volume knows where its samples come from.
      if (volume.fill !== undefined) return Promise.resolve();
      const known = checks.get(volume.key);
      if (known !== undefined && performance.now() - known.atMs < CHECK_MS) return known.done;
      const done = checkSources(volume).catch((error: unknown) => {
        if (error instanceof ViewerError && error.code === 'file_gone') onGone(volume, error);
        throw error;
      });
      done.catch(() => undefined);
      rememberEntry(checks, volume.key, { atMs: performance.now(), done });
      return done;
    },
  };
}

function* listSources({ fileIndices }: KnownVolume, files: readonly DicomFile[]): Generator<KnownSource, void> {
  for (const index of new Set(fileIndices)) yield files[index]!.source;
}
