import { mappingUnavailable, ViewerError } from '../../../../shared/contract/errors.ts';
import { type ImagePlane, pixelToPatient } from '../../../../shared/geometry.ts';
import type { PlaneGrid } from '../../../../shared/planeGrid.ts';
import { planeOfPlace, reachOf } from '../../../../shared/positionTable.ts';
import type { TaskContext } from '../../../machine/workers/serveTasks.ts';
import { planeInLayer } from '../placement.ts';
import { createMaskReader } from '../segmentation/croppedMasks.ts';
import { DoseTally } from './doseTally.ts';
import type { MeasuredDvh, MeasuredDvhs, MeasureMasksInput } from './dvhTasks.ts';
import { createDoseSampler, type DoseSampler } from './sampleDose.ts';

/** A sample of a mask is divided into so many parts in each direction, at most. */
const MOST_PARTS = 16;

/** Implements `measureMasksTask`: a segment is sampled in its own planes, each sample of it in parts if it is large. */
export function measureMaskDose(input: MeasureMasksInput, { throwIfCancelled }: TaskContext): MeasuredDvhs {
  const sampler = createDoseSampler(input.doses, throwIfCancelled);
  const all = input.parts.map((part) => listSlices(part, input));
  const samples = all.reduce((sum, slices) => sum + countSamples(slices, input), 0);
  if (samples > input.bound.most) {
    const message = `the segments have ${samples} samples, which are too many to measure at once; ask for fewer parts`;
    throw new ViewerError('layer_too_large', message);
  }
  return input.parts.map((part, at) => {
    throwIfCancelled();
    return measurePart(part, all[at]!, input, sampler);
  });
}

/** A frame with samples of the part. */
type Slice = {
  /** Number in the list of cropped frames. */
  readonly index: number;
  readonly plane: ImagePlane;
  readonly thicknessMm: number;
};

function countSamples(slices: readonly Slice[], { cropped: { boxes } }: MeasureMasksInput): number {
  return slices.reduce((sum, { index }) => sum + boxes[4 * index + 2]! * boxes[4 * index + 3]!, 0);
}

function measurePart(
  part: number,
  slices: readonly Slice[],
  input: MeasureMasksInput,
  sampler: DoseSampler,
): MeasuredDvh | undefined {
  const [first] = slices;
  if (first === undefined) return undefined;
  const spacingMm = Math.max(first.plane.rowSpacingMm, first.plane.columnSpacingMm);
  const parts = Math.min(
    MOST_PARTS,
    Math.ceil(spacingMm / sampler.stepMm - 1e-6),
    Math.max(1, Math.floor(Math.sqrt(input.bound.mostOfPart / countSamples(slices, input)))),
  );
  const weightOf = createWeigher(part, input);
  const tally = new DoseTally(input);
  let planes = 0;
  for (const slice of slices) if (sampleSlice(slice, { input, parts, weightOf, sampler, tally })) planes += 1;
  return planes === 0 ? undefined : tally.finish({ stepMm: spacingMm / parts, planes });
}

function listSlices(part: number, { tables, segments, cropped, meaning }: MeasureMasksInput): Slice[] {
  const indexOf = new Map(Array.from(cropped.frames, (frame, index) => [frame, index] as const));
  return tables.flatMap(({ table, frames, places }) =>
    [...frames].flatMap((frame, at): Slice[] => {
      const index = indexOf.get(frame);
      const isOfPart = meaning.kind === 'labels' || segments[frame] === part;
      if (!isOfPart || index === undefined || cropped.boxes[4 * index + 2] === 0) return [];
      const place = places[at]!;
      return [
        { index, plane: planeOfPlace(table, place), thicknessMm: reachOf(table, place, -1) + reachOf(table, place, 1) },
      ];
    }),
  );
}

type Weigher = (value: number) => number;

function createWeigher(part: number, { meaning, maximum = 255 }: MeasureMasksInput): Weigher {
  if (meaning.kind === 'labels') return (value) => (value === part ? 1 : 0);
  return meaning.kind === 'fractions' ? (value) => Math.min(1, value / maximum) : (value) => value;
}

type SliceSampling = {
  readonly input: MeasureMasksInput;
  readonly parts: number;
  readonly weightOf: Weigher;
  readonly sampler: DoseSampler;
  readonly tally: DoseTally;
};

/** False if the frame has no sample of the part. */
function sampleSlice(
  { index, plane, thicknessMm }: Slice,
  { input, parts, weightOf, sampler, tally }: SliceSampling,
): boolean {
  const { cropped, placement } = input;
  const inDose = planeInLayer(plane, placement);
  if (inDose === undefined) throw mappingUnavailable('the registration bends the planes of the segmentation');
  const [top = 0, left = 0, boxRows = 0, boxColumns = 0] = cropped.boxes.subarray(4 * index, 4 * index + 4);
  const valueAt = createMaskReader(cropped);
  const shift = (1 / parts - 1) / 2;
  const grid: PlaneGrid = {
    ...inDose,
    position: pixelToPatient(inDose, { row: top + shift, column: left + shift }),
    rowSpacingMm: inDose.rowSpacingMm / parts,
    columnSpacingMm: inDose.columnSpacingMm / parts,
    rows: boxRows * parts,
    columns: boxColumns * parts,
  };
  const cellMm3 = ((plane.rowSpacingMm * plane.columnSpacingMm) / (parts * parts)) * thicknessMm;
  const weights = new Float64Array(grid.columns);
  let isThere = false;
  sampler.eachBand(grid, (doses, firstRow, count) => {
    for (let row = 0; row < count; row += 1) {
      const inFrame = top + Math.floor((firstRow + row) / parts);
      let hasAny = false;
      for (let column = 0; column < boxColumns; column += 1) {
        const weight = weightOf(valueAt(index, inFrame, left + column));
        weights.fill(weight, column * parts, (column + 1) * parts);
        hasAny ||= weight > 0;
      }
      if (!hasAny) continue;
      isThere = true;
      tally.add(doses, row * grid.columns, weights, cellMm3);
    }
  });
  return isThere;
}
