import { join } from 'node:path';
import { realpathSync } from 'node:fs';
import { createFileFeed, type FileFeed } from '../server/catalog/fileFeed.ts';
import { localFile } from '../server/origins/origins.ts';
import { DEMO_FILES, FIRST_FILE } from './demoFiles.ts';
import { copyFirstSlice } from './firstSlice.ts';

/** How far the study has been made. */
export type DemoProgress = { readonly written: number; readonly total: number };

/** The demo study while it is made: its files are listed one after the other, the first of them at once. */
export interface DemoFeed {
  readonly feed: FileFeed;
  /** Undefined once nothing is made any more. */
  progress(): DemoProgress | undefined;
  /** Makes the study. Settles when it is whole; rejects when it will never be, and what there is stays listed. */
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
        // The last messages of a process that ends may be lost.
        for (const path of DEMO_FILES) onWritten(path);
      } finally {
        // After a failure, those that waited for one that never came.
        for (const path of DEMO_FILES.slice(told)) if (written.has(path)) tell(path);
        isMaking = false;
        feed.end();
      }
    },
  };
}
