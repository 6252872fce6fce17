/**
 * Returns a smaller file that fails in the same way. Removes parts, halves first and then smaller ones, as long as the
 * rest still fails. Calls `fails` at most `mostAttempts` times.
 */
export function minimise(bytes: Uint8Array, fails: (bytes: Uint8Array) => boolean, mostAttempts = 400): Uint8Array {
  let smallest = bytes;
  let attempts = 0;
  for (let part = Math.ceil(smallest.length / 2); part >= 1; part = Math.floor(part / 2)) {
    for (let at = smallest.length - part; at > -part; at -= part) {
      const from = Math.max(0, at);
      const shorter = Uint8Array.from(Buffer.concat([smallest.subarray(0, from), smallest.subarray(at + part)]));
      if (shorter.length === smallest.length) continue;
      attempts += 1;
      if (attempts > mostAttempts) return smallest;
      if (fails(shorter)) smallest = shorter;
    }
  }
  return smallest;
}
