import { join } from 'node:path';
import { realpathSync } from 'node:fs';
import { createFileFeed, type FileFeed } from '../server/images/catalog/fileFeed.ts';
import { localFile } from '../server/bytes/origins/origins.ts';
import { DEMO_FILES, FIRST_FILE } from './demoFiles.ts';
import { copyFirstSlice } from './firstSlice.ts';

/** Progress of the generation. */
export type DemoProgress = { readonly written: number; readonly total: number };

/** The demo study while it is generated: its files are listed one after the other, the first one immediately. */
export interface DemoFeed {
  readonly feed: FileFeed;
  /** Undefined once generation has ended. */
  progress(): DemoProgress | undefined;
  /**
   * Generates the study. Resolves when it is complete; rejects if generation fails, and files written so far stay
   * listed.
   */
  make(signal: AbortSignal): Promise<void>;
}

export function createDemoFeed(folder: string): DemoFeed {
  const feed = createFileFeed();
  const written = new Set<string>();
  const realFolder = realpathSync(folder);
  let told = 0;
  let isMaking = true;

  const tell = (path: string) => feed.add({ path: join(folder, path), ref: localFile(join(realFolder, path)) });
  const onWritten = (path: string) => {
    written.add(path);
    for (let next = DEMO_FILES[told]; next !== undefined && written.has(next); next = DEMO_FILES[told]) {
      tell(next);
      told += 1;
    }
  };
  if (copyFirstSlice(folder)) onWritten(FIRST_FILE);

  return {
    feed,
    progress: () => (isMaking ? { written: written.size, total: DEMO_FILES.length } : undefined),
    async make(signal) {
      try {
        const { writeDemoStudy } = await import('./writeDemoStudy.ts');
        await writeDemoStudy(folder, { signal, onWritten });
        // The last messages of an exiting process may be lost.
        for (const path of DEMO_FILES) onWritten(path);
      } finally {
        // After a failure, lists the files that were waiting for one that was never written.
        for (const path of DEMO_FILES.slice(told)) if (written.has(path)) tell(path);
        isMaking = false;
        feed.end();
      }
    },
  };
}
