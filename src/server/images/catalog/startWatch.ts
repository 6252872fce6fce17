import type { FolderNews, Inputs } from '../../bytes/origins/origins.ts';
import { startThread } from '../../machine/workers/startThread.ts';
import type { WatchMessage, WatchSetup } from './watchMessages.ts';

export type FolderWatch = {
  /** Resolves when what is there is known; also if the thread cannot run, because the scan does not need it. */
  readonly ready: Promise<void>;
  /** From now on news is delivered, with all that has been held back. */
  readonly deliver: () => void;
  close(): Promise<unknown>;
};

export type StartWatchOptions = WatchSetup & { readonly onPolling?: ((reason: string) => void) | undefined };

/** The names and states of a hundred thousand files. */
const LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 8 };

/** Watches the inputs in a thread of its own. */
export function startWatch(
  { inputs, recursive, archives = true, pollMs, onPolling }: StartWatchOptions & Inputs,
  onNews: (news: FolderNews) => void,
): FolderWatch {
  const held: FolderNews[] = [];
  let isDelivered = false;
  const thread = startThread('watch.worker', LIMITS);
  const ready = new Promise<void>((resolve) => {
    thread.on('message', (message: WatchMessage) => {
      if (message === 'ready') return resolve();
      if ('polling' in message) return onPolling?.(message.polling);
      if (isDelivered) return onNews(message.news);
      held.push(message.news);
    });
    thread.on('error', (error) => {
      onPolling?.(`folders are no longer watched: ${error instanceof Error ? error.message : String(error)}`);
    });
    thread.on('exit', () => resolve());
  });
  thread.unref();
  thread.postMessage({ inputs, recursive, archives, pollMs } satisfies WatchSetup);
  return {
    ready,
    deliver() {
      isDelivered = true;
      for (const news of held.splice(0)) onNews(news);
    },
    close: () => thread.terminate(),
  };
}
