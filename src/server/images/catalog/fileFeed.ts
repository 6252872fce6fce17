import type { WalkAnswer } from './scanMessages.ts';
import type { WalkThread } from './scanThreads.ts';
import type { ListedEntry } from '../../bytes/origins/origins.ts';

/** Files that are added one by one, for example while they are being written, instead of being found in folders. */
export interface FileFeed {
  /** Adds a file that is complete. */
  add(file: ListedEntry): void;
  /** Those of the files that were added, and were not taken yet, are the next ones. */
  hurry(next: ReadonlySet<ListedEntry>): void;
  /** No more files will be added. */
  end(): void;
  /** Replaces the thread that walks folders: answers as soon as there is a file, or at the end of the feed. */
  startWalk(onAnswer: (answer: WalkAnswer) => void): WalkThread;
}

export function createFileFeed(): FileFeed {
  /** In the order in which they were added. */
  const files = new Set<ListedEntry>();
  /** Files that come before the others. */
  const urgent: ListedEntry[] = [];
  let isEnded = false;
  let wanted = 0;
  let tell: ((answer: WalkAnswer) => void) | undefined;

  const isEmpty = () => urgent.length === 0 && files.size === 0;

  function take(count: number): ListedEntry[] {
    const entries = urgent.splice(0, count);
    for (const file of files) {
      if (entries.length === count) break;
      files.delete(file);
      entries.push(file);
    }
    return entries;
  }

  const answer = () => {
    if (tell === undefined || wanted === 0 || (isEmpty() && !isEnded)) return;
    const entries = take(wanted);
    wanted = 0;
    tell({ entries, done: isEnded && isEmpty() });
  };

  return {
    add(file) {
      files.add(file);
      answer();
    },
    hurry(next) {
      for (const file of next) if (files.delete(file)) urgent.push(file);
    },
    end() {
      isEnded = true;
      answer();
    },
    startWalk(onAnswer) {
      tell = onAnswer;
      return {
        request(count) {
          wanted = count;
          // Deferred, because the caller is still in the middle of its request.
          setImmediate(answer);
        },
        async terminate() {
          tell = undefined;
        },
      };
    },
  };
}
