import { EventEmitter, once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { beginAnswer, setArrival, tryAgain } from '../workers/arrival.ts';
import { createAdmission, type Reservation } from './admission.ts';

describe('admission', () => {
  test('keeps a decode waiting until its bytes fit', async () => {
    const admission = createAdmission(100);
    const first = createGate();
    const order: string[] = [];
    const running = admission.reserve({ bytes: 60 }, () => first.passed);
    const waiting = admission.reserve({ bytes: 60 }, async () => order.push('second'));
    await settle();
    expect([order, admission.heldBytes(), admission.waiting()]).toEqual([[], 60, 1]);

    first.open();
    await Promise.all([running, waiting]);
    expect([order, admission.heldBytes(), admission.waiting()]).toEqual([['second'], 0, 0]);
  });

  test('a step of a request that holds memory goes before an earlier request that waits for all of it', async () => {
    const admission = createAdmission(100, { overdueMs: 0 });
    const [early, late] = [new AbortController().signal, new AbortController().signal];
    setArrival(early, { atMs: performance.now() });
    setArrival(late, { atMs: performance.now() + 1 });
    const order: string[] = [];
    const begun = createGate();
    const whole = admission.reserve({ bytes: 60, signal: late }, async () => {
      await begun.passed;
      await admission.reserve({ bytes: 40, signal: late, isTask: true }, async () => order.push('step'));
    });
    const waiting = admission.reserve({ bytes: 100, signal: early }, async () => order.push('all of it'));
    await pause(5);
    begun.open();
    await Promise.all([whole, waiting]);
    expect(order).toEqual(['step', 'all of it']);
  });

  test('where memory is scarce, a request may have a large step within what it holds', async () => {
    const process = { residentBytes: () => 1_000, aimBytes: 1 };
    const admission = createAdmission(100, { process });
    const { signal } = new AbortController();
    setArrival(signal, { atMs: performance.now() });
    const [another, other] = [new AbortController().signal, createGate()];
    setArrival(another, { atMs: performance.now() + 1 });
    await admission.reserve({ bytes: 30, signal }, async () => {
      void admission.reserve({ bytes: 30, signal: another }, async () => other.open());
      // Of 10 bytes and more, work is large, and of that one runs at a time.
      expect(await admission.reserve({ bytes: 30, signal }, async () => 'within')).toBe('within');
      expect(admission.waiting()).toBe(1);
    });
    await other.passed;
  });

  test('refuses at once a request that can never fit, and names the flag', async () => {
    const admission = createAdmission(100 * 2 ** 20);
    await expect(admission.reserve({ bytes: 200 * 2 ** 20 }, async () => 0)).rejects.toMatchObject({
      code: 'decode_memory_exceeded',
      message: expect.stringMatching(/200 MiB.*100 MiB.*--memory/),
    });
  });

  test('refuses a number of bytes that is none, and holds nothing for it', async () => {
    const admission = createAdmission(100);
    await expect(admission.reserve({ bytes: NaN }, async () => 0)).rejects.toThrow(RangeError);
    expect(admission.heldBytes()).toBe(0);
  });

  test('runs a task whose upper bound can never fit with nine tenths of the budget, beside small work', async () => {
    const admission = createAdmission(100);
    const gate = createGate();
    const running = admission.reserve({ bytes: 500, isUpperBound: true }, () => gate.passed);
    const waiting = admission.reserve({ bytes: 500, isUpperBound: true }, async () => 'waited');
    expect(await admission.reserve({ bytes: 10 }, async () => 'beside it')).toBe('beside it');
    expect([admission.heldBytes(), admission.waiting()]).toEqual([90, 1]);
    gate.open();
    await running;
    expect(await waiting).toBe('waited');
    expect(admission.mostHeldBytes()).toBe(100);
  });

  test('runs several tasks with large upper bounds at the same time if their share is small', async () => {
    const admission = createAdmission(100, { boundShare: 0.45 });
    const gate = createGate();
    const running = [1, 2].map(() => admission.reserve({ bytes: 500, isUpperBound: true }, () => gate.passed));
    const waiting = admission.reserve({ bytes: 500, isUpperBound: true }, async () => 'waited');
    await settle();
    expect([admission.heldBytes(), admission.waiting()]).toEqual([90, 1]);
    gate.open();
    await Promise.all(running);
    expect(await waiting).toBe('waited');
  });

  test('lets work that fits overtake work that does not, until that is overdue', async () => {
    expect(await runMixed(60_000)).toEqual(['small', 'small, later', 'large']);
    expect(await runMixed(-1)).toEqual(['large', 'small', 'small, later']);
  });

  test('lets small work pass overdue work within a tenth of the budget', async () => {
    // Nine tenths of it are no whole number.
    const admission = createAdmission(101, { overdueMs: -1 });
    const [gate, smallGate] = [createGate(), createGate()];
    const order: string[] = [];
    const reserve = (bytes: number, name: string, passed?: Promise<unknown>) =>
      admission.reserve({ bytes }, async () => {
        order.push(name);
        await passed;
      });
    const all = [
      reserve(60, 'first', gate.passed),
      admission.reserve({ bytes: 500, isUpperBound: true }, async () => void order.push('large')),
      reserve(6, 'small', smallGate.passed),
      reserve(4, 'another'),
      reserve(6, 'too many'),
    ];
    await settle();
    expect([order, admission.waiting()]).toEqual([['first', 'small', 'another'], 2]);
    expect(admission.mostHeldBytes()).toBe(70);
    gate.open();
    await all[1];
    smallGate.open();
    await Promise.all(all);
    expect(order.slice(-2)).toEqual(['large', 'too many']);
  });

  test('lets nothing pass overdue work that needs more than nine tenths', async () => {
    const admission = createAdmission(100, { overdueMs: -1 });
    const gate = createGate();
    const order: string[] = [];
    const all = [
      admission.reserve({ bytes: 60 }, () => gate.passed),
      admission.reserve({ bytes: 95 }, async () => order.push('large')),
      admission.reserve({ bytes: 5 }, async () => order.push('small')),
    ];
    await settle();
    expect(order).toEqual([]);
    gate.open();
    await Promise.all(all);
    expect(order).toEqual(['large', 'small']);
  });

  test('admits the later steps of an old request before newer requests', async () => {
    const admission = createAdmission(100);
    const gate = createGate();
    const order: string[] = [];
    const reserve = (name: string, arrivedMs: number) => {
      const { signal } = new AbortController();
      setArrival(signal, { atMs: arrivedMs });
      return admission.reserve({ bytes: 60, signal }, async () => order.push(name));
    };
    const all = [
      admission.reserve({ bytes: 60 }, () => gate.passed),
      reserve('newer', 2),
      reserve('new', 1),
      reserve('old', 0),
    ];
    gate.open();
    await Promise.all(all);
    expect(order).toEqual(['old', 'new', 'newer']);
  });

  test('lets large work run beside lent memory also if that had to wait, however large the process is', async () => {
    const MIB = 2 ** 20;
    const admission = createAdmission(32 * MIB, { process: { residentBytes: () => 1e9, aimBytes: 1 } });
    const [first, lent] = [createGate(), createGate()];
    const running = admission.reserve({ bytes: 31 * MIB }, () => first.passed);
    const holding = admission.reserve({ bytes: 2 * MIB, isLent: true }, () => lent.passed);
    const large = admission.reserve({ bytes: 20 * MIB }, async () => 'ran');
    first.open();
    await running;
    await settle();
    expect([admission.heldBytes(), admission.waiting()]).toEqual([2 * MIB, 0]);
    expect(await large).toBe('ran');
    lent.open();
    await holding;
  });

  test('holds whole bytes', async () => {
    const admission = createAdmission(100);
    await admission.reserve({ bytes: 2.5 }, async () => expect(admission.heldBytes()).toBe(3));
    expect(admission.heldBytes()).toBe(0);
  });

  test('answers decode_busy when work has waited for long, and what waits behind it goes on', async () => {
    const admission = createAdmission(100, { patienceMs: 20 });
    const gate = createGate();
    const first = admission.reserve({ bytes: 90 }, () => gate.passed);
    const small = admission.reserve({ bytes: 10, priority: 'prefetch' }, async () => 'small');

    await expect(admission.reserve({ bytes: 100 }, async () => 0)).rejects.toMatchObject({ code: 'decode_busy' });
    gate.open();
    await first;
    expect(await small).toBe('small');
    expect(admission.waiting()).toBe(0);
    expect(admission.heldBytes()).toBe(0);
  });

  test.each([
    ['when it is handled again', tryAgain],
    ['when its answer has begun', beginAnswer],
  ])('lets all steps of a request wait for as long as one, and anew %s', async (_, waitAnew) => {
    const admission = createAdmission(100, { patienceMs: 60_000 });
    const gate = createGate();
    const running = admission.reserve({ bytes: 100 }, () => gate.passed);
    const { signal } = new AbortController();
    const step = () => admission.reserve({ bytes: 10, signal }, async () => 'ran');

    setArrival(signal, { atMs: performance.now() - 60_000 });
    await expect(step()).rejects.toMatchObject({ code: 'decode_busy' });
    waitAnew(signal);
    const again = step();
    await pause(60);
    expect(admission.waiting()).toBe(1);
    gate.open();
    expect(await again).toBe('ran');
    await running;
  });

  test('has more patience with the rest of an answer that has begun, because it cannot be asked for again', async () => {
    const admission = createAdmission(100, { patienceMs: 10 });
    const gate = createGate();
    const running = admission.reserve({ bytes: 100 }, () => gate.passed);
    const [early, begun] = [new AbortController(), new AbortController()];
    setArrival(early.signal, { atMs: performance.now() });
    beginAnswer(begun.signal);
    const rest = admission.reserve({ bytes: 10, signal: begun.signal }, async () => 'ran');
    await expect(admission.reserve({ bytes: 10, signal: early.signal }, async () => 0)).rejects.toMatchObject({
      code: 'decode_busy',
    });
    gate.open();
    expect(await rest).toBe('ran');
    await running;
  });

  test('answers decode_busy when too many wait', async () => {
    const admission = createAdmission(100, { maxWaiting: 1 });
    const gate = createGate();
    const running = admission.reserve({ bytes: 100 }, () => gate.passed);
    const waiting = admission.reserve({ bytes: 100 }, async () => 'waited');
    await expect(admission.reserve({ bytes: 100 }, async () => 0)).rejects.toMatchObject({ code: 'decode_busy' });
    gate.open();
    await running;
    expect(await waiting).toBe('waited');
  });

  test('lets prefetch that is overdue take turns with interactive work', async () => {
    const admission = createAdmission(100, { overdueMs: -1 });
    const gate = createGate();
    const order: string[] = [];
    const ask = (name: string, priority: 'interactive' | 'prefetch') =>
      admission.reserve({ bytes: 80, priority }, async () => order.push(name));
    const all = [
      admission.reserve({ bytes: 100 }, () => gate.passed),
      ask('a', 'interactive'),
      ask('b', 'interactive'),
      ask('c', 'interactive'),
      ask('late', 'prefetch'),
      ask('later', 'prefetch'),
    ];
    gate.open();
    await Promise.all(all);
    expect(order).toEqual(['late', 'a', 'later', 'b', 'c']);
  });

  test('lets a step that a user waits for take its turn by the age of its request', async () => {
    const order: string[] = [];
    for (const [name, atMs] of [
      ['new', performance.now()],
      ['old', performance.now() - 120_000],
    ] as const) {
      const admission = createAdmission(100, { overdueMs: 60_000 });
      const gate = createGate();
      const { signal } = new AbortController();
      setArrival(signal, { atMs });
      const ask = (what: string, more: Partial<Reservation>) =>
        admission.reserve({ bytes: 80, ...more }, async () => order.push(`${name} ${what}`));
      const all = [
        admission.reserve({ bytes: 100 }, () => gate.passed),
        ask('image', {}),
        ask('step', { priority: 'prefetch', isAwaited: true, signal }),
      ];
      gate.open();
      await Promise.all(all);
    }
    expect(order).toEqual(['new image', 'new step', 'old step', 'old image']);
  });

  test('lets interactive work pass prefetch', async () => {
    const admission = createAdmission(100, { overdueMs: 60_000 });
    const gate = createGate();
    const order: string[] = [];
    const all = [
      admission.reserve({ bytes: 100 }, () => gate.passed),
      admission.reserve({ bytes: 40, priority: 'prefetch' }, async () => order.push('prefetch')),
      admission.reserve({ bytes: 100 }, async () => order.push('interactive')),
    ];
    gate.open();
    await Promise.all(all);
    expect(order).toEqual(['interactive', 'prefetch']);
  });

  test('gives prefetch no more than half while others run', async () => {
    const admission = createAdmission(100);
    const gate = createGate();
    const all = [1, 2, 3].map(() => admission.reserve({ bytes: 25, priority: 'prefetch' }, () => gate.passed));
    await settle();
    expect([admission.heldBytes(), admission.waiting()]).toEqual([50, 1]);
    gate.open();
    await Promise.all(all);
  });

  test('lends memory until work needs it that cannot fit beside it', async () => {
    const admission = createAdmission(100);
    const gate = createGate();
    const wanted: number[] = [];
    admission.reclaimWith((bytes) => {
      wanted.push(bytes);
      gate.open();
    });
    const lent = admission.reserve({ bytes: 60, isLent: true }, () => gate.passed);
    // It fits beside, so it waits for other work and takes nothing back.
    const small = admission.reserve({ bytes: 30 }, async () => 'small');
    expect([await small, wanted]).toEqual(['small', []]);
    // Prefetch may have more than its half if nothing but lent memory is held, as without it.
    expect(await admission.reserve({ bytes: 40, priority: 'prefetch' }, async () => 'prefetched')).toBe('prefetched');
    const large = admission.reserve({ bytes: 70 }, async () => admission.heldBytes());
    expect([await large, wanted[0]]).toEqual([70, 30]);
    await lent;
    expect(admission.mostHeldBytes()).toBe(100);
  });

  test('runs large work only alone while the process is larger than it aims to be', async () => {
    const MIB = 2 ** 20;
    let resident = 90 * MIB;
    const process = { residentBytes: () => resident, aimBytes: 100 * MIB };
    const admission = createAdmission(100 * MIB, { process, overdueMs: 60_000 });
    const gate = createGate();
    const order: string[] = [];
    const all = [
      admission.reserve({ bytes: 20 * MIB }, async () => {
        await gate.passed;
        order.push('first');
      }),
      admission.reserve({ bytes: 20 * MIB }, async () => order.push('large')),
      admission.reserve({ bytes: 8 * MIB }, async () => order.push('small')),
    ];
    await settle();
    expect([order, admission.waiting()]).toEqual([['small'], 1]);
    resident = 70 * MIB;
    await admission.reserve({ bytes: 1 }, async () => order.push('later'));
    await settle();
    expect(order).toEqual(['small', 'large', 'later']);
    gate.open();
    await Promise.all(all);
  });

  test('removes a waiting request that is aborted, and admits the next one', async () => {
    const admission = createAdmission(100);
    const gate = createGate();
    const aborter = new AbortController();
    const running = admission.reserve({ bytes: 60 }, () => gate.passed);
    const large = admission.reserve({ bytes: 90, signal: aborter.signal }, async () => 'large');
    const small = admission.reserve({ bytes: 40 }, async () => 'small');
    aborter.abort(new Error('left'));
    await expect(large).rejects.toThrow('left');
    expect(await small).toBe('small');
    gate.open();
    await running;
  });

  test('never holds more than its budget, and gives everything back, also after failures', async () => {
    const job = fc.record({
      bytes: fc.integer({ min: 1, max: 120 }),
      fails: fc.boolean(),
      priority: fc.constantFrom('interactive' as const, 'prefetch' as const),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(job), async (jobs) => {
        const admission = createAdmission(100, { maxWaiting: 5 });
        const seen: number[] = [];
        const results = await Promise.allSettled(
          jobs.map(({ bytes, fails, priority }) =>
            admission.reserve({ bytes, priority }, async () => {
              seen.push(admission.heldBytes());
              await settle();
              if (fails) throw new Error('failed');
            }),
          ),
        );
        expect(results).toHaveLength(jobs.length);
        expect(Math.max(0, ...seen)).toBeLessThanOrEqual(100);
        expect([admission.heldBytes(), admission.waiting()]).toEqual([0, 0]);
      }),
    );
  });
});

function createGate() {
  const gate = new EventEmitter();
  return { passed: once(gate, 'open'), open: () => gate.emit('open') };
}

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Returns the order in which large and small work ran. */
async function runMixed(overdueMs: number): Promise<string[]> {
  const admission = createAdmission(100, { overdueMs });
  const gate = createGate();
  const order: string[] = [];
  const all = [
    admission.reserve({ bytes: 60 }, () => gate.passed),
    admission.reserve({ bytes: 60 }, async () => order.push('large')),
    admission.reserve({ bytes: 40 }, async () => order.push('small')),
    admission.reserve({ bytes: 40 }, async () => order.push('small, later')),
  ];
  await settle();
  gate.open();
  await Promise.all(all);
  return order;
}
