import { expect, onTestFinished, test } from 'vitest';
import { answerLink, breakLink, createThreadLink, createWaitingAsker, LinkBroken } from './threadLink.ts';

/** The asking end of a connection whose other end is in the same thread. Questions are answered while the test awaits. */
function createAskerHere(answer: (question: unknown) => Promise<unknown>) {
  const { asking, answering } = createThreadLink();
  answerLink(answering, async (question) => ({ answer: await answer(question) }));
  onTestFinished(() => asking.port.close());
  return { asking, asker: createWaitingAsker(asking, 1_000) };
}

test('questions that were asked at the same time get their own answers, in whatever order these arrive', async () => {
  const waiting = new Map<unknown, () => void>();
  const { asking, asker } = createAskerHere(
    (question) => new Promise((resolve) => waiting.set(question, () => resolve(`answer to ${String(question)}`))),
  );
  const [a, b, c] = ['a', 'b', 'c'].map((question) => asker.begin(question));
  await expect.poll(() => waiting.size).toBe(3);
  for (const question of ['c', 'a', 'b']) waiting.get(question)?.();
  await expect.poll(() => Atomics.load(asking.answered, 0)).toBe(3);

  expect([a, b, c].map((id) => asker.finish(id!))).toEqual(['answer to a', 'answer to b', 'answer to c']);
});

test('a question that nobody answers any more fails', () => {
  const { asking, asker } = createAskerHere(() => new Promise(() => undefined));
  const id = asker.begin('a');

  breakLink(asking);

  expect(() => asker.finish(id)).toThrow(LinkBroken);
});
