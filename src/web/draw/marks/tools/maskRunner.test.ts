import { expect, test } from 'vitest';
import type { MaskAnswer, MaskJob, MaskRequest, MaskResult } from './maskJob.ts';
import { createMaskRunner, type MaskWorker } from './maskRunner.ts';

const DONE: MaskResult = { changed: [], added: 0, removed: 0, inside: 0 };

/** A worker that answers when it is told to. */
function createFake() {
  const requests: MaskRequest[] = [];
  const listeners = new Map<string, EventListener>();
  const fake = {
    requests,
    isEnded: false,
    answer: (id: number, result: MaskResult = DONE) =>
      listeners.get('message')?.(new MessageEvent<MaskAnswer>('message', { data: { id, result } })),
    fail: () => listeners.get('error')?.(new Event('error')),
    worker: {
      addEventListener: (type: string, listener: EventListener) => void listeners.set(type, listener),
      postMessage: (request: MaskRequest) => void requests.push(request),
      terminate: () => {
        fake.isEnded = true;
      },
    } as MaskWorker,
  };
  return fake;
}

function createRunner() {
  const fakes: ReturnType<typeof createFake>[] = [];
  const clock = { ms: 0 };
  const start = () => {
    const fake = createFake();
    fakes.push(fake);
    return fake.worker;
  };
  return { fakes, clock, runner: createMaskRunner(start, () => clock.ms) };
}

const jobWith = (least: number): MaskJob => ({
  columns: 1,
  rows: 1,
  spacing: { column: 1, row: 1, positions: [0] },
  masks: [],
  work: { kind: 'islands', least },
});

test('of the jobs that wait, only the newest runs', async () => {
  const { runner, fakes } = createRunner();
  const results = [1, 2, 3].map((least) => runner.run(jobWith(least)));
  const [fake] = fakes;
  expect(fake?.requests).toHaveLength(1);
  fake?.answer(1);
  fake?.answer(2);
  expect(await Promise.all(results)).toEqual([DONE, undefined, DONE]);
  expect(fake?.requests.map(({ job }) => job)).toEqual([jobWith(1), jobWith(3)]);
});

test('samples are sent once, and again to a new worker', async () => {
  const { runner, fakes } = createRunner();
  const samples = { samples: Int16Array.of(1), modality: { kind: 'rescale', slope: 1, intercept: 0 } } as const;
  const first = runner.run(jobWith(1), samples);
  fakes[0]?.answer(1);
  await first;
  const second = runner.run(jobWith(2), samples);
  expect(fakes[0]?.requests.map((request) => request.samples)).toEqual([samples, undefined]);
  fakes[0]?.fail();
  expect(await second).toHaveProperty('problem');
  void runner.run(jobWith(3), samples);
  expect(fakes[1]?.requests.map((request) => request.samples)).toEqual([samples]);
});

test('a job that takes long is ended for a newer one, and with the preview', async () => {
  const { runner, fakes, clock } = createRunner();
  const slow = runner.run(jobWith(1));
  clock.ms = 1_000;
  const next = runner.run(jobWith(2));
  expect(await slow).toBeUndefined();
  expect(fakes.map(({ isEnded }) => isEnded)).toEqual([true, false]);
  runner.stop();
  expect(await next).toBeUndefined();
  expect(fakes[1]?.isEnded).toBe(true);
});
