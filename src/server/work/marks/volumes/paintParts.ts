import type { LabelledKind } from '../../../../shared/contract/layers.ts';
import { addTo } from '../../../../shared/addTo.ts';
import { ViewerError } from '../../../../shared/contract/errors.ts';
import { decodeContours } from '../../../../shared/contourPacket.ts';
import { coverRings } from '../../../../shared/coverRings.ts';
import { decodeField, valueOfField } from '../../../../shared/fieldPacket.ts';
import { decodeMasks, type MaskLayer } from '../../../../shared/maskLayers.ts';
import type { TaskContext } from '../../../machine/workers/serveTasks.ts';
import { OverlappingParts } from './overlappingParts.ts';
import type { PacketToPaint, PaintedLayer, PaintedParts, PaintPartsInput } from './labelTasks.ts';

/** Pixels of one part in a row, from `first` to before `end`. */
type PaintSpan = (part: number, row: number, first: number, end: number) => void;

/** Of the outlines of one part with the rows of one slice. A core finds 20 million in a second. */
const MOST_CROSSINGS = 4 * 2 ** 20;

/** Implements `paintPartsTask`: what packets of layers, and marks, have on some slices, as labels. */
export function paintParts(input: PaintPartsInput, { throwIfCancelled, transfer }: TaskContext): PaintedParts {
  const { rows, columns, slices, layers, values, volumes, volumeOf, rowsRunUp, mostSteps } = input;
  const tally = new PartTally(values.length, columns);
  const together = new OverlappingParts({ rows, columns }, values.length);
  for (const { place, packets } of slices) {
    throwIfCancelled();
    together.clear();
    const start = place * rows * columns;
    const paint: PaintSpan = (part, row, first, end) => {
      const line = rowsRunUp ? rows - 1 - row : row;
      const [from, to] = [line * columns + first, line * columns + end];
      if (together.steps > mostSteps) throw tooMuchWork();
      const volume = volumes[volumeOf?.[part] ?? 0];
      volume?.fill(values[part]!, start + from, start + to);
      tally.add(part, { place, line, first, end }, together.add(part, line, first, end));
    };
    for (const marks of input.marks) visitMarks(marks, { rows, columns, place }, paint);
    for (const packet of packets) visitPacket(packet, layers[packet.layer]!, input, paint);
  }
  const { counts, boxes } = tally;
  const { overlaps, steps } = together;
  return { counts: transfer(counts), boxes: transfer(boxes), pairs: together.listPairs(), overlaps, steps };
}

function tooMuchWork(): ViewerError {
  const message = 'the parts have far more pixels and outlines than files of this size usually do: choose fewer parts';
  return new ViewerError('layer_too_large', message);
}

type Span = { readonly place: number; readonly line: number; readonly first: number; readonly end: number };

class PartTally {
  readonly counts: Float64Array<ArrayBuffer>;
  readonly boxes: Int32Array<ArrayBuffer>;

  constructor(parts: number, columns: number) {
    this.counts = new Float64Array(parts);
    this.boxes = new Int32Array(6 * parts);
    for (let part = 0; part < parts; part += 1)
      this.boxes.set([columns, -1, 2 ** 31 - 1, -1, 2 ** 31 - 1, -1], 6 * part);
  }

  add(part: number, { place, line, first, end }: Span, count: number): void {
    this.counts[part]! += count;
    const { boxes } = this;
    const at = 6 * part;
    if (first < boxes[at]!) boxes[at] = first;
    if (end - 1 > boxes[at + 1]!) boxes[at + 1] = end - 1;
    if (line < boxes[at + 2]!) boxes[at + 2] = line;
    if (line > boxes[at + 3]!) boxes[at + 3] = line;
    if (place < boxes[at + 4]!) boxes[at + 4] = place;
    if (place > boxes[at + 5]!) boxes[at + 5] = place;
  }
}

function visitMarks(
  marks: PaintPartsInput['marks'][number],
  { rows, columns, place }: Pick<PaintPartsInput, 'rows' | 'columns'> & { readonly place: number },
  paint: PaintSpan,
): void {
  for (let row = 0; row < rows; row += 1) {
    const start = (place * rows + rows - 1 - row) * columns;
    visitRuns(marks.labels.subarray(start, start + columns), (value, first, end) =>
      paint(marks.before + value, row, first, end),
    );
  }
}

type Paints = Pick<PaintPartsInput, 'rows' | 'columns' | 'threshold'>;

function visitPacket({ bytes, part }: PacketToPaint, layer: PaintedLayer, size: Paints, paint: PaintSpan): void {
  const buffer = bytes.byteLength === bytes.buffer.byteLength ? bytes.buffer : bytes.slice().buffer;
  VISITS[layer.kind](buffer, layer, { ...size, part: part ?? 0 }, paint);
}

type VisitPacket = (
  buffer: ArrayBuffer,
  layer: PaintedLayer,
  size: Paints & { readonly part: number },
  paint: PaintSpan,
) => void;

const VISITS: Readonly<Record<LabelledKind, VisitPacket>> = {
  mask(buffer, layer, size, paint) {
    for (const mask of decodeMasks(buffer).layers) visitMask(mask, layer, size, paint);
  },
  contour: visitContours,
  field(buffer, layer, size, paint) {
    const place = layer.parts.get(size.part);
    if (place !== undefined) visitField(buffer, place, size, paint);
  },
};

function visitMask(mask: MaskLayer, { parts }: PaintedLayer, { threshold }: Paints, paint: PaintSpan): void {
  const { segment, kind, top, left, rows, columns, samples, maximum = 255 } = mask;
  const place = kind === 'labels' ? undefined : parts.get(segment ?? NaN);
  if (kind !== 'labels' && place === undefined) return;
  const least = kind === 'fractions' ? threshold * maximum : 1;
  for (let row = 0; row < rows; row += 1) {
    visitRuns(samples.subarray(row * columns, (row + 1) * columns), (value, first, end) => {
      const of = place ?? parts.get(value);
      if (of !== undefined && (kind === 'labels' || value >= least)) paint(of, top + row, left + first, left + end);
    });
  }
}

/** Equal samples beside each other, without those of 0. */
function visitRuns(row: Uint8Array | Uint16Array, visit: (value: number, first: number, end: number) => void): void {
  for (let at = 0; at < row.length;) {
    const value = row[at]!;
    const first = at;
    do at += 1;
    while (at < row.length && row[at] === value);
    if (value !== 0) visit(value, first, at);
  }
}

function visitContours(
  buffer: ArrayBuffer,
  { parts }: PaintedLayer,
  { rows, columns }: Paints,
  paint: PaintSpan,
): void {
  const rings = new Map<number, Float32Array[]>();
  for (const { part, isClosed, points } of decodeContours(buffer).items) {
    const place = parts.get(part);
    // Lines and points have no area.
    if (isClosed && place !== undefined) addTo(rings, place, points);
  }
  for (const [place, ofPart] of rings) {
    const limits = { rows, columns, mostCrossings: MOST_CROSSINGS };
    if (!coverRings(ofPart, limits, (row, first, end) => paint(place, row, first, end))) {
      const message = `the outlines of a part cross the rows of a slice more than ${MOST_CROSSINGS} times`;
      throw new ViewerError('layer_too_large', message);
    }
  }
}

function visitField(buffer: ArrayBuffer, place: number, { rows, columns, threshold }: Paints, paint: PaintSpan): void {
  const { item } = decodeField(buffer);
  if (item === undefined) return;
  const inside = new Uint8Array(columns);
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const value = valueOfField(item, column, row);
      inside[column] = value !== undefined && value >= threshold ? 1 : 0;
    }
    visitRuns(inside, (_, first, end) => paint(place, row, first, end));
  }
}
