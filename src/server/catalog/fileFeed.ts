import type { WalkAnswer } from './scanMessages.ts';
import type { WalkThread } from './scanThreads.ts';
import type { ListedEntry } from '../origins/origins.ts';

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
  let files: ListedEntry[] = [];
  let isEnded = false;
  let wanted = 0;
  let tell: ((answer: WalkAnswer) => void) | undefined;

  const answer = () => {
    if (tell === undefined || wanted === 0 || (files.length === 0 && !isEnded)) return;
    const entries = files.splice(0, wanted);
    wanted = 0;
    tell({ entries, done: isEnded && files.length === 0 });
  };

  return {
    add(file) {
      files.push(file);
      answer();
    },
    hurry(next) {
      files = [...files.filter((file) => next.has(file)), ...files.filter((file) => !next.has(file))];
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
