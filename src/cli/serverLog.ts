import type { ServerLog } from '../server/doors/http/serverContext.ts';
import { isMasked } from '../server/bytes/masking/masker.ts';
import type { Terminal } from './terminal.ts';

/** Writes the server's log to the terminal. */
export function toServerLog(terminal: Terminal): ServerLog {
  return {
    debug: (toMessage) => terminal.debug(toMessage),
    warn: (message) => terminal.warn(message),
    error(message, cause) {
      terminal.error(`${message}: ${describeBug(cause)}`);
      if (isMasked()) return;
      for (const line of String(cause instanceof Error ? cause.stack : cause).split('\n')) terminal.debug(line);
    },
  };
}

/** Where the error occurred. Its message can contain a path or a patient's name, so it is only logged at `debug`. */
function describeBug(error: unknown): string {
  if (!(error instanceof Error)) return `a ${typeof error} was thrown`;
  const frames = (error.stack ?? '').split('\n').filter((line) => /^ {4}at /.test(line));
  return [error.name, ...frames.slice(0, 3).map((line) => line.trim())].join(' ');
}
