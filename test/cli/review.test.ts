import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ReviewResponse } from '../../src/shared/contract/review.ts';
import { createTempFolder } from '../support/tempFolder.ts';
import { writeDicomFiles } from './dicomFiles.ts';
import { runNegato, startNegato } from './negatoProcess.ts';

const line = (reader: string, series: number, verdict: string | null, more: object = {}) =>
  `${JSON.stringify({ v: 1, unit: 'series', study: '1.2', series: `1.2.${series}`, reader, verdict, ...more })}\n`;

async function run(...args: string[]) {
  const { exit, output } = await runNegato(args);
  return { code: (await exit).code, ...output };
}

async function prepare() {
  const folder = createTempFolder();
  mkdirSync(join(folder, 'data'));
  await writeDicomFiles(join(folder, 'data'), 'a.dcm');
  return { data: join(folder, 'data'), path: join(folder, 'verdicts.jsonl'), scheme: join(folder, 'scheme.json') };
}

async function readReview(baseUrl: string) {
  const { review }: ReviewResponse = await (await fetch(`${baseUrl}/api/review`)).json();
  return review!;
}

test('--review shows what can be decided, writes decisions, and lets go of the file when it ends', async () => {
  const { data, path, scheme } = await prepare();
  writeFileSync(scheme, '{"version":1,"verdicts":[{"id":"ok","key":"1"}]}');
  const options = ['--review', path, '--reader', 'anna', '--scheme', scheme, '--no-token', data];
  const { started, signal, exit } = await startNegato(options);
  await expect.poll(async () => (await readReview(started.base_url)).total).toBe(1);
  const headers = { 'Content-Type': 'application/json' };
  const body = '{"verdict":"ok"}';
  const response = await fetch(`${started.base_url}/api/review/0`, { method: 'PUT', headers, body });
  expect(response.status).toBe(200);
  expect(existsSync(`${path}.lock`)).toBe(true);

  const second = await startNegato(options);
  await second.waitFor('stderr', /another negato \(process \d+\) writes the file of this review/);
  expect(await readReview(second.started.base_url)).toMatchObject({ state: 'locked' });
  second.signal('SIGTERM');
  await second.exit;

  signal('SIGTERM');
  expect((await exit).code).toBe(0);
  expect(existsSync(`${path}.lock`)).toBe(false);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ reader: 'anna', verdict: 'ok', unit: 'series' });
});

test('a scheme with a mistake, a file of something else, and a folder that is not there end it with status 1', async () => {
  const { data, path, scheme } = await prepare();
  writeFileSync(scheme, '{"version":1,"verdicts":[{"id":"ok","key":"n"}]}');
  const reader = ['--reader', 'anna', data];
  expect(await run('--review', path, '--scheme', scheme, ...reader)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('scheme.json: verdicts[0].key: n goes to the next unit'),
  });
  const image = join(data, 'a.dcm');
  const before = readFileSync(image);
  expect(await run('--review', image, ...reader)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('a.dcm: it is no file of verdicts'),
  });
  expect(readFileSync(image).equals(before)).toBe(true);
  expect(await run('--review', join(data, 'nowhere', 'v.jsonl'), ...reader)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('v.jsonl: the folder does not exist'),
  });
});

function writeFiles() {
  const folder = createTempFolder();
  const [a, b] = [join(folder, 'a.jsonl'), join(folder, 'b.jsonl')];
  const verdicts = ['accept', 'accept', 'reject', 'accept'];
  writeFileSync(a, verdicts.map((verdict, n) => line('anna', n, verdict, { scores: { snr: n + 1 } })).join(''));
  const others = ['reject', 'accept', 'reject', 'accept'];
  const texts = others.map((verdict, n) => line('ben', n, verdict, { scores: { snr: Math.min(3, n + 1) } }));
  // The last line counts, and one that takes a decision back is none.
  writeFileSync(
    b,
    [line('ben', 1, 'unsure'), ...texts, line('ben', 9, 'accept'), line('ben', 8, 'accept'), line('ben', 8, null)].join(
      '',
    ),
  );
  return { a, b };
}

describe('negato agree', () => {
  test('prints the table, kappa with its interval, the same for scores, and where the readers differ', async () => {
    const { a, b } = writeFiles();
    const { code, stdout, stderr } = await run('agree', a, b);
    expect([code, stderr]).toEqual([0, '']);
    // 3 of 4 are equal, and by chance (3 · 2 + 1 · 2) / 16 = 0.5: kappa is (0.75 - 0.5) / (1 - 0.5) = 0.5.
    expect(stdout).toContain('4 units decided by both anna and ben; 0 by anna only, 1 by ben only.');
    expect(stdout).toContain(
      ['anna \\ ben  accept  reject', 'accept           2       1', 'reject           0       1'].join('\n'),
    );
    expect(stdout).toContain('Verdicts: 3 of 4 equal (75.0 %)');
    expect(stdout).toMatch(/^Cohen's kappa: 0\.500, /m);
    expect(stdout).toMatch(/^ {2}with quadratic weights: /m);
    expect(stdout).toContain('Fleiss, Cohen and Everitt (1969)');
    expect(stdout).toContain(
      'The readers differ in 2 units:\n  series 1.2.0: anna accept snr 1; ben reject snr 1\n  series 1.2.3: ',
    );
  });

  test('--json has all of it', async () => {
    const { a, b } = writeFiles();
    const { code, stdout } = await run('agree', a, b, '--json');
    expect(code).toBe(0);
    const answer = JSON.parse(stdout);
    expect(answer).toMatchObject({
      readers: ['anna', 'ben'],
      units: { both: 4, only_a: 0, only_b: 1 },
      verdicts: {
        categories: ['accept', 'reject'],
        table: [
          [2, 1],
          [0, 1],
        ],
        units: 4,
        equal: 3,
        kappa: { value: 0.5 },
      },
    });
    expect(
      answer.disagreements.map(
        ({ series, a: one, b: other }: { series: string; a: { verdict: string }; b: { verdict: string } }) => [
          series,
          one.verdict,
          other.verdict,
        ],
      ),
    ).toEqual([
      ['1.2.0', 'accept', 'reject'],
      ['1.2.3', 'accept', 'accept'],
    ]);
    // Of four pairs 1-1, 2-2, 3-3, 4-3: scikit-learn's cohen_kappa_score with weights="quadratic", labels=[1, 2, 3, 4].
    expect(answer.scores).toMatchObject([{ id: 'snr', units: 4, equal: 3, kappa_quadratic: { value: 0.875 } }]);
  });

  test('two readers of one file are named', async () => {
    const { a, b } = writeFiles();
    const both = join(createTempFolder(), 'both.jsonl');
    writeFileSync(both, readFileSync(a, 'utf8') + readFileSync(b, 'utf8'));
    expect(await run('agree', both, both)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('has verdicts of 2 readers (anna, ben): name one with --reader-a'),
    });
    const named = await run('agree', both, both, '--reader-a', 'ben', '--reader-b=anna');
    expect([named.code, named.stdout.split('\n')[0]]).toEqual([
      0,
      '4 units decided by both ben and anna; 1 by ben only, 0 by anna only.',
    ]);
  });

  test('what cannot be compared ends with status 1, and wrong usage with 2', async () => {
    const { a } = writeFiles();
    const other = join(createTempFolder(), 'c.jsonl');
    writeFileSync(other, line('cleo', 77, 'accept'));
    expect(await run('agree', a, other)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no unit was decided by both anna and cleo'),
    });
    expect(await run('agree', a, `${other}.gone`)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('does not exist'),
    });
    expect(await run('agree', a)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('requires two files of verdicts'),
    });
    expect(await run('agree', a, other, '--reader-c', 'x')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('unknown option --reader-c'),
    });
    expect((await run('agree', '--help')).stdout).toContain('Fleiss, Cohen and Everitt (1969)');
  });
});
