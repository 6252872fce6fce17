import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { ViewerError } from '../../../shared/contract/errors.ts';
import { combineFrameDamage } from '../../../shared/frameDamage.ts';
import { predictSamples, restoreRows } from '../../../shared/predictedSamples.ts';
import { isSmallSamples, type NumberSamples } from '../../../shared/sampleArray.ts';
import type { ImageFiles } from '../pixels/imageFiles.ts';
import type { TaskContext } from '../../machine/workers/serveTasks.ts';
import { loadSlices } from './loadSlices.ts';
import { bytesOfSample, viewSamples } from './sampleView.ts';
import { BRICK_SIDE } from './volume.ts';
import type { PackedLayer, PackLayerInput, UnpackBricksInput } from './volumeTasks.ts';

/** A better compression would take longer than the decoding of the slices. */
const LEVEL = 1;

/** Decodes slices and packs them as bricks. Runs in a worker. */
export async function packLayer(
  images: ImageFiles,
  { slices, ...input }: PackLayerInput,
  context: Pick<TaskContext, 'throwIfCancelled'>,
): Promise<PackedLayer> {
  const { rows, columns, storage } = input;
  const buffer = new SharedArrayBuffer(slices.length * rows * columns * bytesOfSample(storage));
  const placed = slices.map((slice, place) => ({ ...slice, place }));
  const loaded = await loadSlices(images, { ...input, slices: placed, buffer }, context);
  for (const { failure } of loaded) if (failure !== undefined) throw new ViewerError(failure.code, failure.message);
  const samples = viewSamples(storage, buffer);
  const packed: Uint8Array[] = [];
  const ends: number[] = [];
  let end = 0;
  for (const brick of listBricks(rows, columns)) {
    context.throwIfCancelled();
    const bytes = packBrick(cutBrick(samples, brick, { rows, columns, slices: slices.length }), brick.columns);
    packed.push(bytes);
    end += bytes.length;
    ends.push(end);
  }
  const shared = new SharedArrayBuffer(end);
  const target = new Uint8Array(shared);
  for (const [at, bytes] of packed.entries()) target.set(bytes, at === 0 ? 0 : ends[at - 1]);
  const damage = combineFrameDamage(loaded.flatMap((slice) => slice.damage ?? []));
  return { bytes: shared, ends: Uint32Array.from(ends), slices: slices.length, damage };
}

/** Unpacks the bricks that a part of a volume needs. Runs in a worker. */
export function unpackBricks(
  { storage, rows, columns, layers, box, buffer }: UnpackBricksInput,
  { throwIfCancelled }: Pick<TaskContext, 'throwIfCancelled'>,
): void {
  const target = viewSamples(storage, buffer);
  const mostSlices = layers.reduce((most, layer) => Math.max(most, layer.slices), 0);
  const spare = new SharedArrayBuffer(mostSlices * BRICK_SIDE * BRICK_SIDE * bytesOfSample(storage));
  for (const layer of layers) {
    const first = Math.max(layer.firstPlace, box.places.first);
    const last = Math.min(layer.firstPlace + layer.slices - 1, box.places.last);
    for (const [number, brick] of listBricks(rows, columns).entries()) {
      const isNeeded = (at: number) =>
        brick.top < box.tops[at]! + box.rows &&
        brick.top + brick.rows > box.tops[at]! &&
        brick.left < box.lefts[at]! + box.columns &&
        brick.left + brick.columns > box.lefts[at]!;
      let needed = first;
      while (needed <= last && !isNeeded(needed - box.places.first)) needed += 1;
      if (needed > last) continue;
      throwIfCancelled();
      const [from, to] = [number === 0 ? 0 : layer.ends[number - 1]!, layer.ends[number]!];
      const samples = viewSamples(storage, spare, 0, layer.slices * brick.rows * brick.columns);
      unpackBrick(new Uint8Array(new Uint8Array(layer.bytes, from, to - from)), samples, brick.columns);
      for (let place = needed; place <= last; place++) {
        const ofBox = place - box.places.first;
        if (!isNeeded(ofBox)) continue;
        const [top, boxLeft] = [box.tops[ofBox]!, box.lefts[ofBox]!];
        const left = Math.max(brick.left, boxLeft);
        const right = Math.min(brick.left + brick.columns, boxLeft + box.columns);
        const end = Math.min(brick.top + brick.rows, top + box.rows);
        for (let row = Math.max(brick.top, top); row < end; row++) {
          const at = ((place - layer.firstPlace) * brick.rows + row - brick.top) * brick.columns + left - brick.left;
          const into = (ofBox * box.rows + row - top) * box.columns + left - boxLeft;
          target.set(samples.subarray(at, at + right - left), into);
        }
      }
    }
  }
}

type Brick = { readonly top: number; readonly left: number; readonly rows: number; readonly columns: number };

function listBricks(rows: number, columns: number): Brick[] {
  const bricks: Brick[] = [];
  for (let top = 0; top < rows; top += BRICK_SIDE) {
    for (let left = 0; left < columns; left += BRICK_SIDE) {
      bricks.push({
        top,
        left,
        rows: Math.min(BRICK_SIDE, rows - top),
        columns: Math.min(BRICK_SIDE, columns - left),
      });
    }
  }
  return bricks;
}

type Slices = { readonly rows: number; readonly columns: number; readonly slices: number };

function cutBrick(samples: NumberSamples, brick: Brick, { rows, columns, slices }: Slices): NumberSamples {
  const cut = samples.slice(0, slices * brick.rows * brick.columns);
  for (let slice = 0; slice < slices; slice++) {
    for (let row = 0; row < brick.rows; row++) {
      const at = (slice * rows + brick.top + row) * columns + brick.left;
      cut.set(samples.subarray(at, at + brick.columns), (slice * brick.rows + row) * brick.columns);
    }
  }
  return cut;
}

/** The rows of all slices of a brick, one below the other. */
function packBrick(samples: NumberSamples, columns: number): Uint8Array {
  const bytes = isSmallSamples(samples) ? predictSamples(samples, columns) : new Uint8Array(samples.buffer);
  return deflateRawSync(bytes, { level: LEVEL });
}

function unpackBrick(packed: Uint8Array, samples: NumberSamples, columns: number): void {
  const bytes = inflateRawSync(packed, { maxOutputLength: samples.byteLength });
  if (isSmallSamples(samples)) {
    restoreRows(bytes, samples, { columns, from: 0, to: samples.length / columns });
  } else new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength).set(bytes);
}
