import type { ServerLog } from '../server/http/serverLog.ts';
import type { Terminal } from './terminal.ts';

/** What the server says, on the terminal. */
export function toServerLog(terminal: Terminal): ServerLog {
  return {
    debug: (toMessage) => terminal.debug(toMessage),
    warn: (message) => terminal.warn(message),
    error(message, cause) {
      terminal.error(`${message}: ${describeBug(cause)}`);
      for (const line of String(cause instanceof Error ? cause.stack : cause).split('\n')) terminal.debug(line);
    },
  };
}

/** Where it happened. What an error says can hold a path or a patient's name, so its message is left to `debug`. */
export function describeBug(error: unknown): string {
  if (!(error instanceof Error)) return `a ${typeof error} was thrown`;
  const frames = (error.stack ?? '').split('\n').filter((line) => /^ {4}at /.test(line));
  return [error.name, ...frames.slice(0, 3).map((line) => line.trim())].join(' ');
}
