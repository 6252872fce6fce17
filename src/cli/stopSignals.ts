import type { Terminal } from './terminal.ts';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

// npx and npm forward a signal that the terminal has already sent to the whole process group: the copy arrives within
// milliseconds, which is faster than a user could repeat it.
const COPY_WITHIN_MS = 40;

/** Resolves at the first request to stop. A second one ends the process at once, with this exit code. */
export function watchStopSignals(terminal: Terminal, exitCode: 0 | 1 = 0): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let firstAt: number | undefined;
    for (const signal of STOP_SIGNALS) {
      process.on(signal, () => {
        const now = performance.now();
        firstAt ??= now;
        if (firstAt === now) resolve(signal);
        if (now - firstAt <= COPY_WITHIN_MS) return;
        terminal.info(`stopped immediately: ${signal}`);
        process.exit(exitCode);
      });
    }
  });
}

/**
 * Resolves when standard input ends. The system closes it when the program at its other end ends, whatever ended that
 * program.
 */
export function watchStandardInput(): Promise<string> {
  return new Promise((resolve) => {
    const stop = () => resolve('standard input has ended');
    process.stdin.on('end', stop).on('close', stop).on('error', stop).resume();
  });
}
