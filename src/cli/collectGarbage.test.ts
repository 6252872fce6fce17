import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startGarbageCollection } from './collectGarbage.ts';

test('what nobody needs any more is collected, also when nothing more is asked for', { timeout: 60_000 }, async () => {
  const collection = startGarbageCollection(50);
  try {
    const watched = leaveGarbage();
    // By itself V8 collects it too, but only after many times as many looks.
    for (let looks = 0; looks < 200 && watched.deref() !== undefined; looks += 1) await sleep(50);
    expect(watched.deref()).toBeUndefined();
  } finally {
    collection.stop();
  }
});

/** Some megabytes, held until they belong to the old generation. */
function leaveGarbage(): WeakRef<object> {
  const held = Array.from({ length: 100_000 }, (_, i) => ({ text: `a text of its own ${i}` }));
  // Short-lived objects fill the young generation again and again, and what is held grows old.
  for (let round = 0; round < 50; round += 1) Array.from({ length: 100_000 }, (_, i) => ({ i }));
  return new WeakRef<object>(held[0]!);
}
