import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RequestRefused } from '../api/send.ts';
import { type AnswersOptions, createAnswers } from './answers.ts';
import { createPage } from './page.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Answers that come when the test says so. */
function hold(options: Partial<AnswersOptions<string, string>> = {}) {
  const page = createPage();
  const asked: {
    readonly signal: AbortSignal;
    readonly show: (soFar: string) => void;
    readonly answer: (value: string) => void;
    readonly fail: (error: unknown) => void;
  }[] = [];
  const answers = createAnswers<string, string>(page, {
    ask: (_, signal, show) =>
      new Promise((answer, fail) => {
        signal.addEventListener('abort', () => fail(signal.reason));
        asked.push({ signal, show, answer, fail });
      }),
    keyOf: (question) => question,
    ...options,
  });
  return { page, answers, asked };
}

function busy(): RequestRefused {
  return new RequestRefused({ code: 'decode_busy', error: 'other work needs the memory' }, '2');
}

test('a server that is busy is asked again when it says, three times, and then the failure is told', async () => {
  const { answers, asked } = hold();
  const loading = answers.load('a');
  for (const tries of [1, 2, 3]) {
    expect(asked).toHaveLength(tries);
    asked.at(-1)!.fail(busy());
    await vi.advanceTimersByTimeAsync(1_999);
    expect([asked.length, answers.findError('a')]).toEqual([tries, undefined]);
    await vi.advanceTimersByTimeAsync(1);
  }
  expect(asked).toHaveLength(4);
  asked.at(-1)!.fail(busy());
  expect(await loading).toBeUndefined();
  expect(answers.findError('a')?.message).toBe('other work needs the memory');

  const again = answers.load('a');
  asked.at(-1)!.fail(busy());
  await vi.advanceTimersByTimeAsync(2_000);
  asked.at(-1)!.answer('at last');
  expect(await again).toBe('at last');
});

test('any other failure is told at once, as an error whatever was thrown', async () => {
  const { answers, asked } = hold();
  const loading = answers.load('a');
  asked[0]!.fail('torn');
  await loading;
  expect([answers.findError('a')?.message, asked.length]).toEqual(['torn', 1]);
});

test('a request ends when the last of those who wait for it has left', async () => {
  const { answers, asked } = hold();
  const [one, other] = [new AbortController(), new AbortController()];
  const both = [answers.load('a', one.signal), answers.load('a', other.signal)];
  one.abort();
  expect(asked[0]!.signal.aborted).toBe(false);
  other.abort();
  expect(asked[0]!.signal.aborted).toBe(true);
  expect(await Promise.all(both)).toEqual([undefined, undefined]);
  expect([answers.find('a'), answers.findError('a'), asked.length]).toEqual([undefined, undefined, 1]);

  const later = answers.load('a');
  asked[1]!.answer('A');
  expect(await later).toBe('A');
});

test('somebody who waits for good keeps a request that another leaves', async () => {
  const { answers, asked } = hold();
  const leaving = new AbortController();
  void answers.load('a', leaving.signal);
  const staying = answers.load('a');
  leaving.abort();
  asked[0]!.answer('A');
  expect(await staying).toBe('A');
});

test('what is known so far is shown, and stays beside the error if the rest fails', async () => {
  const { answers, asked } = hold();
  const loading = answers.load('a');
  asked[0]!.show('half');
  expect(answers.find('a')).toBe('half');
  asked[0]!.fail(new Error('torn'));
  expect(await loading).toBe('half');
  expect([answers.find('a'), answers.findError('a')?.message]).toEqual(['half', 'torn']);
  asked[0]!.show('too late');
  expect(answers.find('a')).toBe('half');
});

test('a restart of the server ends what waits for a busy one, and nothing of it is told', async () => {
  const { page, answers, asked } = hold();
  const loading = answers.load('a');
  asked[0]!.fail(busy());
  await vi.advanceTimersByTimeAsync(1_000);
  page.restart();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await loading).toBeUndefined();
  expect([asked.length, answers.findError('a')]).toEqual([1, undefined]);
});

test('of more answers than are kept, the one that nobody has looked at for the longest is forgotten', async () => {
  const { answers } = hold({ most: 2, ask: async (question) => question.toUpperCase() });
  await answers.load('a');
  await answers.load('b');
  answers.find('a');
  await answers.load('c');
  expect(answers.all()).toEqual([
    ['a', 'A'],
    ['c', 'C'],
  ]);
});

test('after a decision all that was asked is asked again in turn, and the answers before stay until then', async () => {
  const { answers, asked } = hold();
  for (const question of ['a', 'b']) {
    void answers.load(question);
    asked.at(-1)!.answer('before');
  }
  await vi.advanceTimersByTimeAsync(0);
  const renewed = answers.renew();
  expect([asked.length, answers.find('a'), answers.versionOf('a')]).toEqual([3, 'before', 0]);
  asked[2]!.answer('after');
  await vi.advanceTimersByTimeAsync(0);
  expect([asked.length, answers.find('a'), answers.versionOf('a')]).toEqual([4, 'after', 1]);
  expect([answers.find('b'), answers.versionOf('b')]).toEqual(['before', 0]);
  asked[3]!.answer('after');
  await renewed;
  expect([answers.find('b'), answers.versionOf('b')]).toEqual(['after', 1]);
  await answers.renew('never asked');
  expect(asked).toHaveLength(4);
});
