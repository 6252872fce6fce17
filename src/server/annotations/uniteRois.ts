import { countRois, NO_PACKED_ROIS, type PackedRois, startsOf } from './packedRois.ts';

/** The ROIs of the first list, followed by those of each further list that are not in the lists before it. */
export function uniteRois(lists: readonly PackedRois[]): PackedRois {
  const [first = NO_PACKED_ROIS, ...others] = lists;
  if (others.length === 0) return first;
  const known = new Set<string>();
  const coords: number[] = [];
  const frameLists: Uint32Array[] = [];
  for (const [position, rois] of lists.entries()) {
    // Duplicates within one list are kept.
    const before = position === 0 ? new Set<string>() : new Set(known);
    for (const { key, box, frames } of listRois(rois)) {
      if (before.has(key)) continue;
      known.add(key);
      for (const edge of box) coords.push(edge);
      frameLists.push(frames);
    }
  }
  const frames = new Uint32Array(frameLists.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const list of frameLists) {
    frames.set(list, at);
    at += list.length;
  }
  return { coords: Uint32Array.from(coords), frameStarts: startsOf(frameLists.map(({ length }) => length)), frames };
}

/** Whether `whole` contains every ROI of `part`. */
export function includesRois(whole: PackedRois, part: PackedRois): boolean {
  const known = new Set(Array.from(listRois(whole), ({ key }) => key));
  for (const { key } of listRois(part)) if (!known.has(key)) return false;
  return true;
}

function* listRois(rois: PackedRois): Generator<{ key: string; box: Uint32Array; frames: Uint32Array }> {
  const { coords, frameStarts, frames } = rois;
  for (let roi = 0; roi < countRois(rois); roi += 1) {
    const box = coords.subarray(roi * 4, roi * 4 + 4);
    const own = frames.subarray(frameStarts[roi], frameStarts[roi + 1]);
    yield { key: `${box.join()}:${own.join()}`, box, frames: own };
  }
}
