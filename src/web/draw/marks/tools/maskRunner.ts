import type { JobSamples, MaskAnswer, MaskJob, MaskRequest, MaskResult } from './maskJob.ts';

/** A job that runs longer is ended when there is a newer one. Until then it may give the next preview. */
const LONG_MS = 250;

export type MaskWorker = Pick<Worker, 'addEventListener' | 'postMessage' | 'terminate'>;

/** Runs jobs on masks in a worker, one at a time. */
export interface MaskRunner {
  /** Undefined if a newer job came before this one began, or if it was stopped. */
  run(job: MaskJob, samples?: JobSamples): Promise<MaskResult | undefined>;
  /** Ends what runs and what waits. */
  stop(): void;
}

type Asked = {
  readonly job: MaskJob;
  readonly samples: JobSamples | undefined;
  readonly settle: (result: MaskResult | undefined) => void;
};

export function createMaskRunner(startWorker: () => MaskWorker, now = () => performance.now()): MaskRunner {
  let worker: MaskWorker | undefined;
  let lastId = 0;
  let running: (Asked & { readonly id: number; readonly since: number }) | undefined;
  let waiting: Asked | undefined;
  /** What the worker has. */
  let sent: JobSamples['samples'] | undefined;

  const settle = (result: MaskResult | undefined) => {
    const ended = running;
    running = undefined;
    ended?.settle(result);
  };

  const end = () => {
    worker?.terminate();
    worker = undefined;
    sent = undefined;
  };

  const start = (): MaskWorker => {
    const started = startWorker();
    started.addEventListener('message', ({ data }: MessageEvent<MaskAnswer>) => {
      if (data.id !== running?.id) return;
      settle(data.result);
      next();
    });
    const fail = () => {
      if (worker !== started) return;
      end();
      settle({ problem: 'This did not work: the browser has too little memory, or the code could not be loaded' });
      next();
    };
    started.addEventListener('error', fail);
    started.addEventListener('messageerror', fail);
    return started;
  };

  const next = () => {
    if (waiting === undefined || running !== undefined) return;
    const { job, samples, settle: of } = waiting;
    waiting = undefined;
    running = { job, samples, settle: of, id: ++lastId, since: now() };
    const request: MaskRequest = { id: lastId, job, samples: samples?.samples === sent ? undefined : samples };
    try {
      worker ??= start();
      worker.postMessage(request);
      sent = samples?.samples ?? sent;
    } catch {
      end();
      settle({ problem: 'This did not work: the browser has too little memory' });
    }
  };

  return {
    run: (job, samples) =>
      new Promise((resolve) => {
        waiting?.settle(undefined);
        waiting = { job, samples, settle: resolve };
        if (running !== undefined && now() - running.since > LONG_MS) {
          end();
          settle(undefined);
        }
        next();
      }),
    stop() {
      waiting?.settle(undefined);
      waiting = undefined;
      if (running !== undefined) end();
      settle(undefined);
    },
  };
}
