/**
 * How much of the distance between the frames of a stack a frame stands for: half of the way to the frame before, and half
 * of that to the frame after; of the first and the last, all of the way to the only neighbour. NaN without positions, and
 * where several frames are at one place.
 */
export function frameDepthMm(positionsMm: ArrayLike<number>, at: number): number {
  const own = positionsMm[at] ?? NaN;
  const neighbours = [at - 1, at + 1].filter((one) => one >= 0 && one < positionsMm.length);
  const distances = neighbours.map((one) => Math.abs(positionsMm[one]! - own));
  if (distances.length === 0 || !distances.every((distance) => distance > 0)) return NaN;
  return distances.reduce((total, distance) => total + distance, 0) / distances.length;
}
