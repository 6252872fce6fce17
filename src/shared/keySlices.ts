/**
 * Places of as many of `count` things as are wanted, evenly spaced from the first to the last; for one, the middle. All of
 * them if there are no more.
 */
export function spreadPlaces(count: number, wanted: number): number[] {
  const length = Math.min(count, wanted);
  if (length === 1) return [(count - 1) >> 1];
  return Array.from({ length }, (_, n) => Math.round((n * (count - 1)) / (length - 1)));
}

/** The same without the first and last tenth of slices, where there is mostly little to see, if enough are left. */
export function keySlices(count: number, wanted: number): number[] {
  const leftOut = Math.min(Math.floor(count / 10), Math.max(0, Math.floor((count - wanted) / 2)));
  return spreadPlaces(count - 2 * leftOut, wanted).map((place) => place + leftOut);
}

/**
 * How many of `wanted` pictures each group gets: one each, and the rest to the groups that have most for each picture.
 * With more groups than pictures, groups that are evenly spaced get one.
 */
export function sharePictures(counts: readonly number[], wanted: number): number[] {
  const shares = counts.map(() => 0);
  for (const place of spreadPlaces(counts.length, wanted)) shares[place] = 1;
  for (let left = wanted - counts.length; left > 0; left -= 1) {
    let best = -1;
    for (const [at, count] of counts.entries()) {
      const isOpen = shares[at]! < count;
      if (isOpen && (best < 0 || count / shares[at]! > counts[best]! / shares[best]!)) best = at;
    }
    if (best < 0) break;
    shares[best]! += 1;
  }
  return shares;
}
