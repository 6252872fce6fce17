import { execFileSync, spawn } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { needs } from '../../../../test/support/needs.ts';
import { createTempFolder } from '../../../../test/support/tempFolder.ts';
import { stampOfNobody, stampOfThisProcess, writeStamp } from '../../machine/system/processStamp.ts';
import { LONGEST_VERDICT_LINE, readVerdicts } from './readVerdicts.ts';
import { type VerdictLine, writeVerdictLine } from './verdictLine.ts';
import { createVerdictLog } from './verdictLog.ts';

function verdictLine(number: number, different: Partial<VerdictLine['decision']> = {}): string {
  const decision = {
    reader: 'anna',
    verdict: 'accept',
    reasons: [],
    scores: {},
    comment: '',
    shownMs: null,
    at: '2026-11-19T12:00:00.000Z',
    ...different,
  };
  const unit = { level: 'series', study: '1.2', series: `1.2.${number}`, instance: '' } as const;
  return writeVerdictLine({ unit, decision }, '1.0.0');
}

async function readSeries(path: string) {
  const series: string[] = [];
  const read = await readVerdicts(path, ({ unit }) => series.push(unit.series));
  return { series, damage: read?.damage };
}

function createFile(): { readonly path: string; readonly lock: string } {
  const path = join(createTempFolder(), 'verdicts.jsonl');
  return { path, lock: `${path}.lock` };
}

test('a line is as the documentation has it', () => {
  const unit = { level: 'file', study: '1.2', series: '1.2.3', instance: '1.2.3.4' } as const;
  const decision = {
    reader: 'anna',
    verdict: 'reject',
    reasons: ['motion'],
    scores: { snr: 2 },
    comment: 'blurred',
    shownMs: 5300,
    at: '2026-11-19T12:00:00.000Z',
  };
  expect(writeVerdictLine({ unit, decision }, '1.0.0')).toBe(
    '{"v":1,"unit":"file","study":"1.2","series":"1.2.3","instance":"1.2.3.4","reader":"anna","verdict":"reject","reasons":["motion"],"scores":{"snr":2},"comment":"blurred","shown_ms":5300,"at":"2026-11-19T12:00:00.000Z","negato":"1.0.0"}',
  );
});

test('lines that are appended at the same time are all there, in their order, and the lock goes with the log', async () => {
  const { path, lock } = createFile();
  const log = createVerdictLog(path);
  expect(await log.prepare()).toBe('new');
  expect(await log.prepare()).toBe('held');
  expect(existsSync(path)).toBe(false);
  await Promise.all(Array.from({ length: 50 }, (_, n) => log.append(verdictLine(n))));
  expect(existsSync(lock)).toBe(true);
  await log.close();
  expect(await readSeries(path)).toEqual({
    series: Array.from({ length: 50 }, (_, n) => `1.2.${n}`),
    damage: undefined,
  });
  expect(readdirSync(join(path, '..'))).toEqual(['verdicts.jsonl']);
  await expect(log.append(verdictLine(1))).rejects.toMatchObject({ code: 'shutting_down' });
});

test('a line that was cut off is ignored and named, and the next one begins on a line of its own', async () => {
  const { path } = createFile();
  const text = `${verdictLine(1)}\n${verdictLine(2)}\n`;
  writeFileSync(path, text);
  truncateSync(path, text.length - 20);
  expect(await readSeries(path)).toEqual({ series: ['1.2.1'], damage: 'line 2 was cut off' });

  const log = createVerdictLog(path);
  await log.prepare();
  await log.append(verdictLine(3));
  await log.append(verdictLine(4));
  await log.close();

  expect(await readSeries(path)).toEqual({ series: ['1.2.1', '1.2.3', '1.2.4'], damage: 'line 2 is damaged' });
  expect(readFileSync(path, 'utf8')).toBe(`${text.slice(0, -20)}\n${verdictLine(3)}\n${verdictLine(4)}\n`);
});

test('a last line without a line break counts if it is whole, as an editor may leave it', async () => {
  const { path } = createFile();
  writeFileSync(path, `${verdictLine(1)}\n${verdictLine(2)}`);
  expect(await readSeries(path)).toEqual({ series: ['1.2.1', '1.2.2'], damage: undefined });
});

test('lines that are damaged, unknown or too long are left out and counted', async () => {
  const { path } = createFile();
  const lines = [
    verdictLine(1),
    '{"v":1}',
    verdictLine(2, { reader: ' ' }),
    '{"v":1,"unit":"series","study":"1.2","series":"","reader":"anna"}',
    `${verdictLine(3).slice(0, -1)},"__proto__":{}}`,
    'x'.repeat(LONGEST_VERDICT_LINE + 1),
    '',
    '{"v":1,"unit":"series","study":"1.2","series":"1.2.9","reader":"anna","verdict":"accept"}',
  ];
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''));
  expect(await readSeries(path)).toEqual({
    series: ['1.2.1', '1.2.9'],
    damage: 'line 2 is not understood, and 4 more',
  });
});

test.each([
  ['DICM and more', 'it is no file of verdicts'],
  ['{"a":1}\n', 'it is no file of verdicts'],
  [`${verdictLine(1)}\n{"v":2,"unit":"series"}\n`, 'line 2 is of a later version of negato'],
])('a file with %j is not taken for one of verdicts', async (content, message) => {
  const { path } = createFile();
  writeFileSync(path, content);
  await expect(readSeries(path)).rejects.toThrow(message);
});

test('the first line of a process that ended while it wrote it is no other file', async () => {
  const { path } = createFile();
  writeFileSync(path, verdictLine(1).slice(0, 40));
  expect(await readSeries(path)).toEqual({ series: [], damage: 'line 1 was cut off' });
  writeFileSync(path, '{"');
  expect(await readSeries(path)).toEqual({ series: [], damage: 'line 1 was cut off' });
  writeFileSync(path, '');
  expect(await readSeries(path)).toEqual({ series: [], damage: undefined });
});

test('the lock of a process that runs keeps others away until it is gone', async () => {
  const { path, lock } = createFile();
  writeFileSync(lock, `${writeStamp(stampOfThisProcess())} 0123456789abcdef\n`);
  const log = createVerdictLog(path);
  onTestFinished(() => log.close());
  await expect(log.prepare()).rejects.toMatchObject({
    code: 'review_locked',
    message: `another negato (process ${process.pid}) writes the file of this review`,
  });
  await expect(log.append(verdictLine(1))).rejects.toMatchObject({ code: 'review_locked' });
  expect(existsSync(path)).toBe(false);
  expect(log.trouble()).toMatchObject({ code: 'review_locked' });
  rmSync(lock);
  expect(await log.prepare()).toBe('new');
  expect(log.trouble()).toBeUndefined();
});

test('the lock of a process that was killed is taken over', needs('Linux'), async () => {
  const { path, lock } = createFile();
  const other = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)']);
  const stamp = { ...stampOfThisProcess(), pid: other.pid!, began: 1 };
  writeFileSync(lock, `${writeStamp(stamp)} 0123456789abcdef\n`);
  const ended = new Promise((resolve) => other.once('exit', resolve));
  other.kill('SIGKILL');
  await ended;
  const log = createVerdictLog(path);
  expect(await log.prepare()).toBe('new');
  await log.append(verdictLine(1));
  await log.close();
  expect(await readSeries(path)).toEqual({ series: ['1.2.1'], damage: undefined });
});

test('of several who take over the same lock, one gets it', async () => {
  const { path, lock } = createFile();
  writeFileSync(lock, `${writeStamp(stampOfNobody())} 0123456789abcdef\n`);
  const logs = Array.from({ length: 8 }, () => createVerdictLog(path));
  onTestFinished(async () => void (await Promise.all(logs.map((log) => log.close()))));
  await Promise.allSettled(logs.map((log) => log.prepare()));
  const written = await Promise.allSettled(logs.map((log, n) => log.append(verdictLine(n))));
  // Whose lock is taken away in the middle of this is refused, too.
  expect(written.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(1);
  expect((await readSeries(path).catch(() => ({ series: [] }))).series.length).toBe(
    written.filter(({ status }) => status === 'fulfilled').length,
  );
});

test('a lock without a stamp counts for 90 s, because it may be being written', async () => {
  const { path, lock } = createFile();
  writeFileSync(lock, '');
  const log = createVerdictLog(path);
  await expect(log.prepare()).rejects.toMatchObject({ code: 'review_locked' });
  utimesSync(lock, new Date(), new Date(Date.now() - 91_000));
  expect(await log.prepare()).toBe('new');
  await log.close();
});

test('two names of one file have one lock', needs('a system with POSIX paths and permissions'), async () => {
  const { path } = createFile();
  const other = join(createTempFolder(), 'link.jsonl');
  writeFileSync(path, `${verdictLine(1)}\n`);
  symlinkSync(path, other);
  const [first, second] = [createVerdictLog(path), createVerdictLog(other)];
  onTestFinished(() => second.close());
  await first.prepare();
  await expect(second.prepare()).rejects.toMatchObject({ code: 'review_locked' });
  await first.close();
  expect(await second.prepare()).toBe('new');
  await second.append(verdictLine(2));
  expect(await readSeries(path)).toEqual({ series: ['1.2.1', '1.2.2'], damage: undefined });
});

test('a file that was replaced or moved away meanwhile is the one that the next line is in', async () => {
  const { path } = createFile();
  const log = createVerdictLog(path);
  onTestFinished(() => log.close());
  await log.prepare();
  await log.append(verdictLine(1));
  renameSync(path, `${path}.old`);
  await log.append(verdictLine(2));
  expect(await readSeries(path)).toEqual({ series: ['1.2.2'], damage: undefined });
  appendFileSync(path, verdictLine(3));
  await log.append(verdictLine(4));
  expect((await readSeries(path)).series).toEqual(['1.2.2', '1.2.3', '1.2.4']);
});

function setFileLimit(limit: string): void {
  execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${limit}:unlimited`]);
}

test('where the disk is full, a line is refused, and what was there stays and goes on', needs('Linux'), async () => {
  const { path } = createFile();
  const log = createVerdictLog(path);
  onTestFinished(() => log.close());
  onTestFinished(() => setFileLimit('unlimited'));
  await log.prepare();
  await log.append(verdictLine(1));
  setFileLimit('2000');
  const long = verdictLine(2, { comment: 'x'.repeat(4_000) });
  await expect(log.append(long)).rejects.toMatchObject({
    code: 'review_not_written',
    message: 'the decision could not be written: the file has reached its maximum size',
  });
  // What fits is not held up by what does not.
  await log.append(verdictLine(3));
  setFileLimit('unlimited');
  await log.append(long);
  expect(log.trouble()).toBeUndefined();
  expect(await readSeries(path)).toEqual({ series: ['1.2.1', '1.2.3', '1.2.2'], damage: undefined });
});

test('in a folder that cannot be written to, decisions are refused', needs('the user root'), async () => {
  const { path } = createFile();
  writeFileSync(path, `${verdictLine(1)}\n`);
  chmodSync(join(path, '..'), 0o555);
  const log = createVerdictLog(path);
  // Root may write everywhere.
  process.seteuid?.(65_534);
  try {
    await expect(log.prepare()).rejects.toMatchObject({
      code: 'review_not_written',
      message: 'the decision could not be written: permission to write to the folder was denied',
    });
    expect((await readSeries(path)).series).toEqual(['1.2.1']);
  } finally {
    process.seteuid?.(0);
    await log.close();
  }
});
