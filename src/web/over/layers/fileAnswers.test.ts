import { expect, test } from 'vitest';
import { type FilesSummary, libraryOf } from '../../kit/state/library.ts';
import { createPage } from '../../kit/state/page.ts';
import { createFileAnswers } from './fileAnswers.ts';

/** Answers that come when the test says so. */
function createHeldAnswers() {
  const asked: {
    readonly fileIndex: number;
    readonly signal: AbortSignal;
    readonly answer: (result: string | Error) => void;
  }[] = [];
  const page = createPage();
  const setComplete = (scan_complete: boolean) =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only these fields are read
    libraryOf(page).setState({ summary: { scan_complete, more: false } as FilesSummary });
  setComplete(true);
  const answers = createFileAnswers(
    page,
    (fileIndex, signal) =>
      new Promise<string>((resolve, reject) => {
        const answer = (result: string | Error) => (result instanceof Error ? reject(result) : resolve(result));
        asked.push({ fileIndex, signal, answer });
      }),
  );
  return { page, answers, asked, setComplete };
}

test('a file is queried once, however often its answer is wanted', async () => {
  const { answers, asked } = createHeldAnswers();
  const both = [answers.load(3), answers.load(3)];
  asked[0]!.answer('three');
  expect(await Promise.all(both)).toEqual(['three', 'three']);
  expect([await answers.load(3), answers.find(3), asked.length]).toEqual(['three', 'three', 1]);
  void answers.load(4);
  expect(answers.all()).toEqual([[3, 'three']]);
});

test('when all files are known it is asked again, and the answer before stays until then', async () => {
  const { answers, asked, setComplete } = createHeldAnswers();
  setComplete(false);
  const early = answers.load(3);
  asked[0]!.answer('so far');
  expect(await early).toBe('so far');

  setComplete(true);
  const last = answers.load(3);
  expect([asked.length, answers.find(3)]).toEqual([2, 'so far']);
  asked[1]!.answer('in the end');
  expect(await last).toBe('in the end');
});

test('it is asked again too where the first answer is still on its way when all files are known', async () => {
  const { answers, asked, setComplete } = createHeldAnswers();
  setComplete(false);
  const early = answers.load(3);
  setComplete(true);
  const last = answers.load(3);
  expect(asked.length).toBe(2);
  asked[1]!.answer('in the end');
  asked[0]!.answer('so far');
  expect(await Promise.all([early, last])).toEqual(['in the end', 'in the end']);
});

test('a failure is reported and stays until it is retried', async () => {
  const { answers, asked } = createHeldAnswers();
  const failing = answers.load(3);
  asked[0]!.answer(new Error('torn'));
  expect([await failing, answers.findError(3)?.message]).toEqual([undefined, 'torn']);
  await answers.load(3);
  expect(asked.length).toBe(1);

  answers.retry(3);
  expect([asked.length, answers.findError(3)]).toEqual([2, undefined]);
});

test('a restart of the server aborts requests, clears the answers, and notifies the subscribers', async () => {
  const { page, answers, asked } = createHeldAnswers();
  const known = answers.load(1);
  asked[0]!.answer('one');
  await known;
  const waiting = answers.load(2);
  let told = 0;
  answers.changes.subscribe(() => (told += 1));

  libraryOf(page).setState({ serverRuns: 1 });

  expect([await waiting, answers.find(1), told, asked[1]!.signal.aborted]).toEqual([undefined, undefined, 1, true]);
});
