import type { LogLevel } from './optionValues.ts';
import { LOG_LEVELS } from './optionValues.ts';
import { jsonLine, printableLine } from './printable.ts';

/** The part of a stream that a terminal needs. */
export type OutputStream = {
  write(text: string): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
};

/** The two outputs of the command: stdout for results, stderr for diagnostics. */
export type Terminal = {
  /** A line for users, on stdout. */
  say(line: string): void;
  /** An event for programs, on stdout. */
  emit(event: object): void;
  error(line: string): void;
  warn(line: string): void;
  info(line: string): void;
  debug(line: string | (() => string)): void;
  /** The line that is rewritten in place on a terminal; undefined removes it. */
  progress(line: string | undefined): void;
};

type Streams = { stdout: OutputStream; stderr: OutputStream };

export function createTerminal({ stdout, stderr }: Streams, level: LogLevel): Terminal {
  // A closed reader (`negato | head -1`) ends the output, not the server.
  for (const stream of [stdout, stderr]) stream.on('error', () => undefined);

  const has = (wanted: LogLevel) => LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(wanted);
  const live = stderr.isTTY === true && has('info');
  let progress = '';

  const draw = (line: string) => {
    if (line === progress) return;
    progress = line;
    stderr.write(`\r\u{1b}[2K${line}`);
  };
  const writeLine = (stream: OutputStream, line: string) => {
    const kept = progress;
    if (kept !== '') draw('');
    stream.write(`${line}\n`);
    if (kept !== '') draw(kept);
  };
  const log = (wanted: LogLevel, prefix: string) => (line: string | (() => string)) => {
    if (!has(wanted)) return;
    writeLine(stderr, printableLine(`negato: ${prefix}${typeof line === 'string' ? line : line()}`));
  };

  return {
    say: (line) => writeLine(stdout, printableLine(`negato: ${line}`)),
    emit: (event) => writeLine(stdout, jsonLine(event)),
    error: log('error', 'error: '),
    warn: log('warn', 'warning: '),
    info: log('info', ''),
    debug: log('debug', 'debug: '),
    progress: (line) => {
      // One column stays free: a full last column wraps on some terminals, and the line could not be erased. A terminal
      // that does not know its width reports 0 columns.
      if (live) draw(line === undefined ? '' : fit(printableLine(line), (stderr.columns || 80) - 1));
    },
  };
}

function fit(line: string, columns: number): string {
  const characters = Array.from(line);
  return characters.length <= columns ? line : `${characters.slice(0, Math.max(0, columns - 1)).join('')}…`;
}
