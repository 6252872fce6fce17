import type { Admission } from '../../../machine/memory/admission.ts';
import type { PackedVideo } from './videoTasks.ts';

/** Keeps one packed video that is larger than the cache of videos, because a browser asks for it in many parts. */
export interface LentVideo {
  find(key: string): PackedVideo | undefined;
  /** Replaces the one that was kept. */
  keep(key: string, video: PackedVideo): void;
}

/** A video of which no part was asked for in this time leaves. */
const IDLE_MS = 60_000;

/** Its memory is lent by the share of the tasks: it leaves when a task needs it. */
export function createLentVideo(tasks: Pick<Admission, 'reserve' | 'reclaimWith'>): LentVideo {
  let kept: { readonly key: string; readonly video: PackedVideo; readonly leave: () => void } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stayLonger = () => {
    clearTimeout(timer);
    timer = setTimeout(() => kept?.leave(), IDLE_MS).unref();
  };
  tasks.reclaimWith(() => kept?.leave());
  return {
    find(key) {
      if (kept?.key !== key) return undefined;
      stayLonger();
      return kept.video;
    },
    keep(key, video) {
      // All requests that waited for it bring it.
      if (kept?.video === video) return;
      kept?.leave();
      const leaving = new AbortController();
      const left = new Promise<void>((resolve) => {
        leaving.signal.addEventListener('abort', () => resolve());
      });
      const one = {
        key,
        video,
        leave() {
          if (kept === one) kept = undefined;
          leaving.abort();
        },
      };
      kept = one;
      stayLonger();
      // Refused if there is no room: then it is packed again for the next part.
      tasks
        .reserve({ bytes: video.bytes.length, isLent: true, signal: leaving.signal }, () => left)
        .catch(() => one.leave());
    },
  };
}
