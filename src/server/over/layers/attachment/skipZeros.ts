/** Finds the next element that is not 0, at or after `at` and before `end`; `end` if there is none. */
export type ZeroSkipper = (at: number, end: number) => number;

/** Most elements of labels are 0, and four bytes are compared as fast as one. */
export function createZeroSkipper(samples: ArrayLike<number>): ZeroSkipper {
  const isOfBytes = samples instanceof Uint8Array || samples instanceof Int8Array;
  if (!isOfBytes || samples.byteOffset % 4 !== 0) {
    return (at, end) => {
      let next = at;
      while (next < end && samples[next] === 0) next += 1;
      return next;
    };
  }
  const words = new Uint32Array(samples.buffer, samples.byteOffset, samples.length >> 2);
  return (at, end) => {
    let next = at;
    for (; next < end && (next & 3) !== 0; next += 1) if (samples[next] !== 0) return next;
    while (next + 4 <= end && words[next >> 2] === 0) next += 4;
    while (next < end && samples[next] === 0) next += 1;
    return next;
  };
}
