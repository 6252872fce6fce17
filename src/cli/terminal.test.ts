import { expect, test } from 'vitest';
import type { LogLevel } from './optionValues.ts';
import { createTerminal, type OutputStream } from './terminal.ts';

type Sink = OutputStream & { written: string; fail(error: Error): void };

function createSink(properties: { isTTY?: boolean; columns?: number } = {}): Sink {
  const listeners: ((error: Error) => void)[] = [];
  return {
    ...properties,
    written: '',
    write(text) {
      this.written += text;
    },
    on: (_event, listener) => listeners.push(listener),
    fail: (error) => {
      for (const listener of listeners) listener(error);
    },
  };
}

function createOutputs(level: LogLevel, stderrProperties = {}) {
  const stdout = createSink();
  const stderr = createSink(stderrProperties);
  return { stdout, stderr, terminal: createTerminal({ stdout, stderr }, level) };
}

test('requested output goes to stdout, warnings and errors to stderr', () => {
  const { stdout, stderr, terminal } = createOutputs('debug');
  terminal.emit({ type: 'x', text: 'ü' });
  terminal.say('running');
  terminal.error('a');
  terminal.warn('b');
  terminal.info('c');
  terminal.debug('d');
  expect(stdout.written).toBe(String.raw`{"type":"x","text":"\u00fc"}` + '\nnegato: running\n');
  expect(stderr.written).toBe('negato: error: a\nnegato: warning: b\nnegato: c\nnegato: debug: d\n');
});

test.each([
  ['silent', []],
  ['error', ['error']],
  ['warn', ['error', 'warn']],
  ['info', ['error', 'warn', 'info']],
  ['debug', ['error', 'warn', 'info', 'debug']],
] as const)('at level %s stderr has %j', (level, expected) => {
  const { stderr, terminal } = createOutputs(level);
  for (const name of ['error', 'warn', 'info', 'debug'] as const) terminal[name](`<${name}>`);
  expect(Array.from(stderr.written.matchAll(/<(\w+)>/g), ([, name]) => name)).toEqual(expected);
});

test('a line break in a message does not begin a line', () => {
  const { stdout, terminal } = createOutputs('info');
  terminal.say('a\n{"type":"server_started"}');
  expect(stdout.written.split('\n')).toHaveLength(2);
});

test('the progress line is rewritten in place and stands aside for other lines', () => {
  const { stderr, terminal } = createOutputs('info', { isTTY: true, columns: 80 });
  terminal.progress('one');
  terminal.progress('one');
  terminal.warn('stop');
  terminal.progress(undefined);
  // Return to the first column, erase the line (ECMA-48 EL with 2), write.
  const clear = '\r\u{1b}[2K';
  expect(stderr.written).toBe(`${clear}one${clear}negato: warning: stop\n${clear}one${clear}`);
});

test('the progress line is cut before the last column and holds no control character', () => {
  const { stderr, terminal } = createOutputs('info', { isTTY: true, columns: 10 });
  terminal.progress('0123456789');
  terminal.progress('a\u001bb');
  expect(stderr.written.split('\r\u{1b}[2K')).toEqual(['', '01234567…', String.raw`a\u{1b}b`]);
});

test('a terminal without a known width gets 80 columns', () => {
  const { stderr, terminal } = createOutputs('info', { isTTY: true, columns: 0 });
  terminal.progress('x'.repeat(100));
  expect(stderr.written).toBe(`\r\u{1b}[2K${'x'.repeat(78)}…`);
});

test('there is no progress line if stderr is not a terminal or the level is below info', () => {
  for (const { stderr, terminal } of [createOutputs('info'), createOutputs('warn', { isTTY: true })]) {
    terminal.progress('one');
    expect(stderr.written).toBe('');
  }
});

test('a closed pipe is no error', () => {
  const { stdout } = createOutputs('info');
  expect(() => stdout.fail(new Error('write EPIPE'))).not.toThrow();
});

test('a debug line is only built if it is written', () => {
  const { stderr, terminal } = createOutputs('debug');
  terminal.debug(() => 'GET /');
  expect(stderr.written).toBe('negato: debug: GET /\n');
  createOutputs('info').terminal.debug(() => expect.unreachable());
});
