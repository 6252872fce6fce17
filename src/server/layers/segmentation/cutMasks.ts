import { ViewerError } from '../../../shared/contract/errors.ts';
import { combineFrameDamage } from '../../../shared/frameDamage.ts';
import { encodeMasks, type MaskLayer } from '../../../shared/maskLayers.ts';
import { findNeededPlaces } from '../../../shared/planeGrid.ts';
import { createSampleLocator } from '../../volumes/samplePlane.ts';
import type { TaskContext } from '../../workers/serveTasks.ts';
import { createBridge } from '../applyBridge.ts';
import { createMaskReader } from './croppedMasks.ts';
import { cropLayer } from './maskLayer.ts';
import type { CutMasksInput, PackedMaskLayers } from './segmentationTasks.ts';

type Drawn = { readonly samples: Uint8Array | Uint16Array; readonly frame: number };

const SAMPLES_BETWEEN_CHECKS = 2 ** 18;

/**
 * Implements `cutMasksTask`: the masks of all segments in a plane, each sample that of the nearest voxel. In a slab, the
 * mask is what any of its sheets has: the largest fraction, or the label that is nearest to the middle.
 */
export function cutMasks(
  { tables, cropped, segments, grid, steps, slabMm, meaning, maximum, mostLayerBytes }: CutMasksInput,
  context: TaskContext,
): PackedMaskLayers {
  const { rows, columns } = grid;
  const move = steps && createBridge(steps);
  const isLabels = meaning.kind === 'labels';
  const read = createMaskReader(cropped);
  const indexOf = new Map(Array.from(cropped.frames, (frame, index) => [frame, index] as const));
  const drawn = new Map<number, Drawn>();
  const used = new Set<number>();
  let [held, unchecked] = [0, 0];

  const begin = (segment: number, frame: number): Drawn => {
    held += rows * columns * (cropped.encoding === 'uint16' ? 2 : 1);
    if (held > mostLayerBytes) {
      throw new ViewerError('decode_memory_exceeded', 'the masks in this plane are too large to be drawn');
    }
    const count = rows * columns;
    const samples = cropped.encoding === 'uint16' ? new Uint16Array(count) : new Uint8Array(count);
    const one = { samples, frame };
    drawn.set(segment, one);
    return one;
  };

  for (const { table, frames, places } of tables) {
    const all = { first: 0, last: table.positionsMm.length - 1 };
    const range = move === undefined ? findNeededPlaces(table, grid, { slabMm }) : all;
    if (range === undefined) continue;
    const { locateRow, slab } = createSampleLocator(table, grid, slabMm, move);
    const inPlace: { readonly frame: number; readonly index: number; readonly segment: number }[][] = Array.from(
      { length: table.positionsMm.length },
      () => [],
    );
    for (const [i, place] of places.entries()) {
      const frame = frames[i]!;
      const index = indexOf.get(frame);
      if (index === undefined || place < range.first || place > range.last) continue;
      used.add(frame);
      inPlace[place]!.push({ frame, index, segment: isLabels ? -1 : segments[frame]! });
    }
    const line = new Float64Array(columns);
    const sliceSize = table.rows * table.columns;
    for (const sheet of fromTheMiddle(slab.first, slab.last)) {
      for (let row = 0; row < rows; row += 1) {
        unchecked += columns;
        if (unchecked > SAMPLES_BETWEEN_CHECKS) {
          unchecked = 0;
          context.throwIfCancelled();
        }
        locateRow(row, sheet, line);
        for (let column = 0; column < columns; column++) {
          const at = line[column]!;
          if (Number.isNaN(at)) continue;
          const place = Math.floor(at / sliceSize);
          const here = inPlace[place]!;
          if (here.length === 0) continue;
          const inSlice = at - place * sliceSize;
          const y = Math.floor(inSlice / table.columns);
          const x = inSlice - y * table.columns;
          for (const { frame, index, segment } of here) {
            const value = read(index, y, x);
            if (value === 0) continue;
            const { samples } = drawn.get(segment) ?? begin(segment, frame);
            const to = row * columns + column;
            if (isLabels ? samples[to] === 0 : value > samples[to]!) samples[to] = value;
          }
        }
      }
    }
  }
  const layers = [...drawn]
    .toSorted(([a], [b]) => a - b)
    .flatMap(([segment, { samples, frame }]): MaskLayer[] => {
      const layer = cropLayer(samples, columns);
      return layer === undefined
        ? []
        : [{ frame, segment: nameSegment(segment), kind: meaning.kind, maximum, ...layer }];
    });
  const damaged = cropped.damaged
    .filter(({ frame }) => used.has(frame))
    .map(({ frame, damage }) => ({
      frame,
      segment: isLabels ? undefined : nameSegment(segments[frame] ?? -1),
      damage,
    }));
  return {
    bytes: context.transfer(encodeMasks({ rows, columns, layers, damaged })),
    damage: combineFrameDamage(damaged.map(({ damage }) => damage)),
  };
}

function nameSegment(segment: number): number | undefined {
  return segment < 0 ? undefined : segment;
}

/** The sheets of a slab, those nearest to the middle first. */
function fromTheMiddle(first: number, last: number): number[] {
  return Array.from({ length: first + last + 1 }, (_, i) => i - first).toSorted((a, b) => Math.abs(a) - Math.abs(b));
}
