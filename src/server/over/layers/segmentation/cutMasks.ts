import { addTo } from '../../../../shared/addTo.ts';
import { ViewerError } from '../../../../shared/contract/errors.ts';
import { combineFrameDamage } from '../../../../shared/frameDamage.ts';
import { encodeMasks, type MaskLayer } from '../../../../shared/maskLayers.ts';
import { findNeededPlaces } from '../../../../shared/planeGrid.ts';
import { createSampleLocator } from '../../../images/volumes/samplePlane.ts';
import type { TaskContext } from '../../../machine/workers/serveTasks.ts';
import { createBridge } from '../applyBridge.ts';
import { cropLayer } from './maskLayer.ts';
import { createMaskRange, type PlacedMaskBox } from './maskRange.ts';
import { boxOfMask } from './croppedMasks.ts';
import { createPlaceMasks, type PlaceFrame, type PlaceMask, type PlaceMasks, readMask } from './placeMasks.ts';
import type { CutMasksInput, PackedMaskLayers } from './segmentationTasks.ts';

type Drawn = {
  readonly samples: Uint8Array | Uint16Array;
  /** The frame that is nearest to the middle of a slab, and how near: the place of its sheet in their order. */
  frame: number;
  order: number;
};

const SAMPLES_BETWEEN_CHECKS = 2 ** 18;
/** Samples of a slab that can lie in a mask. A core locates 40 million in a second. */
const MOST_SAMPLES = 2 ** 26;
/** Samples of masks that are looked at, in all sheets and all segments. A core reads 40 million in a second. */
const MOST_READS = 2 ** 25;

export type CutLimits = { readonly samples: number; readonly reads: number };

/**
 * Implements `cutMasksTask`: the masks of all segments in a plane, each sample that of the nearest voxel. In a slab, the
 * mask is what any of its sheets has: the largest fraction, or the label that is nearest to the middle.
 */
export function cutMasks(
  { tables, cropped, segments, grid, steps, slabMm, meaning, maximum, mostLayerBytes }: CutMasksInput,
  context: TaskContext,
  limits: CutLimits = { samples: MOST_SAMPLES, reads: MOST_READS },
): PackedMaskLayers {
  const { rows, columns } = grid;
  const move = steps && createBridge(steps);
  const isLabels = meaning.kind === 'labels';
  const indexOf = new Map(Array.from(cropped.frames, (frame, index) => [frame, index] as const));
  const drawn = new Map<number, Drawn>();
  const used = new Set<number>();
  let [held, unchecked, located, reads] = [0, 0, 0, 0];

  const begin = (segment: number, frame: number, order: number): Drawn => {
    held += rows * columns * (cropped.encoding === 'uint16' ? 2 : 1);
    if (held > mostLayerBytes) {
      throw new ViewerError('decode_memory_exceeded', 'the masks in this plane are too large to be drawn');
    }
    const count = rows * columns;
    const samples = cropped.encoding === 'uint16' ? new Uint16Array(count) : new Uint8Array(count);
    const one = { samples, frame, order };
    drawn.set(segment, one);
    return one;
  };

  for (const { table, frames, places } of tables) {
    const all = { first: 0, last: table.positionsMm.length - 1 };
    const range = move === undefined ? findNeededPlaces(table, grid, { slabMm }) : all;
    if (range === undefined) continue;
    const { locateRow, slab } = createSampleLocator(table, grid, slabMm, move);
    const framesIn = new Map<number, PlaceFrame[]>();
    const boxes: PlacedMaskBox[] = [];
    for (const [i, place] of places.entries()) {
      const frame = frames[i]!;
      const index = indexOf.get(frame);
      if (index === undefined || place < range.first || place > range.last) continue;
      used.add(frame);
      boxes.push({ place, ...boxOfMask(cropped, index) });
      const one = { frame, index, segment: isLabels ? -1 : segments[frame]! };
      addTo(framesIn, place, one);
    }
    const masksIn = new Map<number, PlaceMasks>();
    const findMasks = (place: number): PlaceMasks => {
      const known = masksIn.get(place) ?? createPlaceMasks(cropped, framesIn.get(place) ?? []);
      masksIn.set(place, known);
      return known;
    };
    const line = new Float64Array(columns);
    const [ys, xs] = [new Int32Array(columns), new Int32Array(columns)];
    const drawSamples = (samples: Drawn['samples'], mask: PlaceMask, { column: first, end, at }: DrawnColumns) => {
      for (let column = first; column < end; column++) {
        const value = readMask(mask, ys[column]!, xs[column]!);
        const to = at + column;
        if (isLabels ? samples[to] === 0 : value > samples[to]!) samples[to] = value;
      }
    };
    const sliceSize = table.rows * table.columns;
    const sheets = fromTheMiddle(slab.first, slab.last);
    const whole = { first: 0, end: columns };
    // A plane that is bent on its way can meet a mask anywhere.
    const rangeOf = move === undefined ? createMaskRange(table, grid, slab.stepMm, boxes) : () => whole;
    for (let row = 0; row < rows; row += 1) {
      for (const sheet of sheets) {
        const { first, end } = rangeOf(row, sheet);
        located += end - first;
      }
    }
    if (located > limits.samples) throw tooManySamples(located, limits.samples);
    // The samples of the sheets before, on either side of the middle.
    const lines = [new Float64Array(columns), new Float64Array(columns)];
    let [nearPlace, near, rowStart, y] = [-1, NO_MASKS, NaN, 0];
    for (let row = 0; row < rows; row += 1) {
      for (const known of lines) known.fill(NaN);
      for (const [order, sheet] of sheets.entries()) {
        const span = rangeOf(row, sheet);
        if (span.first === span.end) continue;
        unchecked += span.end - span.first;
        if (unchecked > SAMPLES_BETWEEN_CHECKS) {
          unchecked = 0;
          context.throwIfCancelled();
        }
        locateRow(row, sheet, line, span);
        const before = lines[sheet < 0 ? 0 : 1]!;
        let here = NOTHING;
        let from = span.first;
        /** Draws the columns of one cell mask by mask: sample by sample, each would be in the memory of another layer. */
        const draw = (end: number) => {
          reads += here.length * (end - from);
          for (const mask of here) {
            for (let column = from; column < end; column++) {
              const value = readMask(mask, ys[column]!, xs[column]!);
              if (value === 0) continue;
              const one = drawn.get(mask.segment) ?? begin(mask.segment, mask.frame, order);
              if (order < one.order) [one.frame, one.order] = [mask.frame, order];
              drawSamples(one.samples, mask, { column, end, at: row * columns });
              break;
            }
          }
        };
        for (let column = span.first; column < span.end; column++) {
          const at = line[column]!;
          // Sheets that are closer than the slices find the same samples again.
          const isNew = !Number.isNaN(at) && at !== before[column];
          let found = NOTHING;
          if (isNew) {
            before[column] = at;
            // Most samples lie in the row of the sample before.
            if (!(at >= rowStart && at < rowStart + table.columns)) {
              const place = Math.floor(at / sliceSize);
              if (place !== nearPlace) {
                nearPlace = place;
                near = findMasks(place);
              }
              y = Math.floor((at - place * sliceSize) / table.columns);
              rowStart = place * sliceSize + y * table.columns;
            }
            ys[column] = y;
            xs[column] = at - rowStart;
            found = near(y, xs[column]!);
          }
          if (found === here) continue;
          draw(column);
          [here, from] = [found, column];
        }
        draw(span.end);
        if (reads > limits.reads) throw tooManyMasks(limits.reads);
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

type DrawnColumns = { readonly column: number; readonly end: number; readonly at: number };

const NOTHING: readonly PlaceMask[] = [];
const NO_MASKS: PlaceMasks = () => NOTHING;

function tooManySamples(located: number, most: number): ViewerError {
  return new ViewerError(
    'layer_too_large',
    `${located} samples of this slab can lie in masks, and ${most} are looked at: ask for a thinner slab or a smaller ` +
      'plane',
  );
}

function tooManyMasks(most: number): ViewerError {
  return new ViewerError(
    'layer_too_large',
    `so many segments lie over each other here that more than ${most} of their samples would be read: ask for a ` +
      'thinner slab or a smaller plane',
  );
}

function nameSegment(segment: number): number | undefined {
  return segment < 0 ? undefined : segment;
}

/** The sheets of a slab, those nearest to the middle first. */
function fromTheMiddle(first: number, last: number): number[] {
  return Array.from({ length: first + last + 1 }, (_, i) => i - first).toSorted((a, b) => Math.abs(a) - Math.abs(b));
}
