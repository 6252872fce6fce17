import type { TaskContext } from '../../../machine/workers/serveTasks.ts';
import type { CutLabelsInput } from './labelTasks.ts';
import type { CutSegments } from './markVolumeTasks.ts';

/** Implements `cutLabelsTask`: the slices of each label as bits, for a segmentation. */
export function cutLabels(input: CutLabelsInput, { throwIfCancelled, transfer }: TaskContext): CutSegments {
  const { rows, columns, volumes, values, volumeOf, firstPlace, endPlace } = input;
  const size = rows * columns;
  const bytesOfFrame = Math.ceil(size / 8);
  const cut: number[] = [];
  const parts: Uint8Array[] = [];
  for (const [number, labels] of volumes.entries()) {
    const placeOf = new Map<number, number>();
    for (let part = 1; part < values.length; part += 1) if (volumeOf[part] === number) placeOf.set(values[part]!, part);
    for (let place = firstPlace; place < endPlace; place += 1) {
      throwIfCancelled();
      const found = new Map<number, Uint8Array>();
      for (let at = 0; at < size; at += 1) {
        const value = labels[place * size + at]!;
        if (value === 0) continue;
        let bits = found.get(value);
        if (bits === undefined) found.set(value, (bits = new Uint8Array(bytesOfFrame)));
        bits[at >> 3]! |= 1 << (at & 7);
      }
      for (const [value, bits] of found) {
        cut.push(placeOf.get(value)!, place);
        parts.push(bits);
      }
    }
  }
  const bits = new Uint8Array(parts.length * bytesOfFrame);
  for (const [n, part] of parts.entries()) bits.set(part, n * bytesOfFrame);
  return { cut: transfer(Uint32Array.from(cut)), bits: transfer(bits) };
}
