/** A volume that is being sent outlives the prompt that was first to need it for so long: the next prompt needs it too. */
const GRACE_MS = 5_000;

/** Sends something once for all who need it at the same time. */
export interface Uploads {
  join(key: string, signal: AbortSignal | undefined, send: (signal: AbortSignal) => Promise<void>): Promise<void>;
  close(): void;
}

type Upload = {
  readonly sent: Promise<void>;
  readonly aborter: AbortController;
  waiting: number;
  timer: NodeJS.Timeout | undefined;
};

export function createUploads(graceMs = GRACE_MS): Uploads {
  const running = new Map<string, Upload>();

  const begin = (key: string, send: (signal: AbortSignal) => Promise<void>): Upload => {
    const aborter = new AbortController();
    const sent = send(aborter.signal).finally(() => {
      clearTimeout(upload.timer);
      running.delete(key);
    });
    // Nobody may wait for it any more.
    sent.catch(() => undefined);
    const upload: Upload = { sent, aborter, waiting: 0, timer: undefined };
    running.set(key, upload);
    return upload;
  };

  return {
    async join(key, signal, send) {
      signal?.throwIfAborted();
      const upload = running.get(key) ?? begin(key, send);
      clearTimeout(upload.timer);
      upload.waiting += 1;
      let leave: (() => void) | undefined;
      const left = new Promise<never>((_, reject) => {
        leave = () => reject(signal?.reason);
        signal?.addEventListener('abort', leave, { once: true });
      });
      try {
        await Promise.race([upload.sent, left]);
      } finally {
        if (leave !== undefined) signal?.removeEventListener('abort', leave);
        upload.waiting -= 1;
        if (upload.waiting === 0) {
          upload.timer = setTimeout(() => upload.aborter.abort(new Error('nobody needs the volume')), graceMs).unref();
        }
      }
    },
    close() {
      for (const { aborter } of running.values()) aborter.abort(new Error('the server ends'));
    },
  };
}
