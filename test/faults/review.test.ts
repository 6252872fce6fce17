import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { ReviewResponse, WireReviewUnit } from '../../src/shared/contract/review.ts';
import { writeDicomFiles } from '../cli/dicomFiles.ts';
import { startNegato } from '../cli/negatoProcess.ts';
import { randomFaults } from '../support/faultRuns.ts';
import { createTempFolder } from '../support/tempFolder.ts';

const RUNS = 4;
const FILES = 100;
const VERDICTS = ['accept', 'reject', 'unsure'];

async function readUnits(baseUrl: string): Promise<readonly WireReviewUnit[]> {
  const { review }: ReviewResponse = await (await fetch(`${baseUrl}/api/review?limit=1000`)).json();
  return review!.units;
}

test('after SIGKILL at random moments, every verdict that was acknowledged is there', async () => {
  const folder = createTempFolder();
  const data = join(folder, 'data');
  mkdirSync(data);
  await writeDicomFiles(data, ...Array.from({ length: FILES }, (_, n) => `${n}.dcm`));
  const review = [
    '--review',
    join(folder, 'verdicts.jsonl'),
    '--reader',
    'anna',
    '--units',
    'file',
    '--no-token',
    data,
  ];
  /** By unit: what was acknowledged last, and what was on its way when the process ended. */
  const kept = new Map<string, Set<string | null>>();
  let acknowledged = 0;
  for (const { random, run } of randomFaults(RUNS)) {
    const { started, signal, exit } = await startNegato(review);
    const { base_url: baseUrl } = started;
    await expect.poll(async () => (await readUnits(baseUrl)).length).toBe(FILES);
    const units = await readUnits(baseUrl);
    for (const { instance, decision } of units) {
      const possible = kept.get(instance!) ?? new Set([null]);
      const found = decision?.verdict ?? null;
      expect({ run, instance, found, isPossible: possible.has(found) }).toEqual({
        run,
        instance,
        found,
        isPossible: true,
      });
      kept.set(instance!, new Set([found]));
    }

    // Four clients decide until the process is gone, each about units of its own.
    const decideUntilKilled = async (client: number) => {
      for (let n = client; ; n += 4) {
        const { unit, instance } = units[n % FILES]!;
        const verdict = random.pick(VERDICTS);
        kept.get(instance!)!.add(verdict);
        const answer = await fetch(`${baseUrl}/api/review/${unit}`, {
          method: 'PUT',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ verdict }),
        }).catch(() => undefined);
        if (answer?.status !== 200) return answer?.status;
        kept.set(instance!, new Set([verdict]));
        acknowledged += 1;
      }
    };
    const clients = Promise.all([0, 1, 2, 3].map(decideUntilKilled));
    await wait(random.below(300));
    signal('SIGKILL');
    await exit;
    expect(await clients).toEqual([undefined, undefined, undefined, undefined]);
  }
  expect(acknowledged).toBeGreaterThan(0);
}, 1_200_000);
