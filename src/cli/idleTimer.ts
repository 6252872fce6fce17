/**
 * Detects that the server has not been used for a while. Counts from `start` or from the end of the last request, and
 * not while a request is in flight.
 */
export type IdleTimer = {
  readonly whenIdle: Promise<void>;
  start(): void;
  requestBegan(): void;
  requestEnded(): void;
  stop(): void;
};

export function createIdleTimer(timeoutMs: number): IdleTimer {
  let started = false;
  let inFlight = 0;
  let timer: NodeJS.Timeout | undefined;
  let becomeIdle: (() => void) | undefined;
  const whenIdle = new Promise<void>((settle) => {
    becomeIdle = settle;
  });

  const restart = () => {
    clearTimeout(timer);
    if (started && inFlight === 0) timer = setTimeout(() => becomeIdle?.(), timeoutMs);
  };
  return {
    whenIdle,
    start() {
      started = true;
      restart();
    },
    requestBegan() {
      inFlight++;
      restart();
    },
    requestEnded() {
      inFlight--;
      restart();
    },
    stop() {
      started = false;
      restart();
    },
  };
}
