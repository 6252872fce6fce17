import type { WalkAnswer } from './scanMessages.ts';
import type { WalkThread } from './scanThreads.ts';
import type { ListedFile } from '../origins/origins.ts';

/** Files that are told one by one, such as those that are just being written, instead of being found in folders. */
export interface FileFeed {
  /** The file is whole. */
  add(file: ListedFile): void;
  /** None follows. */
  end(): void;
  /** Takes the place of the thread that walks folders: answers as soon as there is anything, or the end. */
  startWalk(onAnswer: (answer: WalkAnswer) => void): WalkThread;
}

export function createFileFeed(): FileFeed {
  const files: ListedFile[] = [];
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
    end() {
      isEnded = true;
      answer();
    },
    startWalk(onAnswer) {
      tell = onAnswer;
      return {
        request(count) {
          wanted = count;
          // Not at once: who asks has not finished asking.
          setImmediate(answer);
        },
        async terminate() {
          tell = undefined;
        },
      };
    },
  };
}
