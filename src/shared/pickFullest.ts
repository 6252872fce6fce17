/** Amounts that differ by less are equal. */
const SAME = 0.999;

/** The place of the highest amount, in the middle of those that are equal; undefined if all are 0. */
export function pickFullest(amounts: ArrayLike<number>): number | undefined {
  let most = 0;
  for (let at = 0; at < amounts.length; at += 1) most = Math.max(most, amounts[at]!);
  if (most === 0) return undefined;
  const equal: number[] = [];
  for (let at = 0; at < amounts.length; at += 1) if (amounts[at]! >= SAME * most) equal.push(at);
  return equal[equal.length >> 1];
}
