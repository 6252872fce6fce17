import { mappingUnavailable } from '../../../../shared/contract/errors.ts';
import type { Catalog } from '../../../images/catalog/catalog.ts';
import type { FrameOptions } from '../../../images/pixels/frames.ts';
import { MIB } from '../../../machine/system/mib.ts';
import { mapInLanes } from '../../../machine/workers/mapInLanes.ts';
import { LABELLED_KINDS } from '../../../../shared/contract/layers.ts';
import type { TaskRunner } from '../../../machine/workers/task.ts';
import type { Layers } from '../../../over/layers/layers.ts';
import type { LabelGrid } from './labelGrid.ts';
import type { LabelLayer, LabelPart } from './labelParts.ts';
import {
  type PacketToPaint,
  type PaintedParts,
  paintPartsTask,
  type PaintPartsInput,
  type SliceToPaint,
} from './labelTasks.ts';

/** Layers and marks on a grid, with the values that their parts get. */
export type LabelsToPaint = {
  readonly grid: LabelGrid;
  readonly layers: readonly LabelLayer[];
  /** Those of layers, then the classes of marks. */
  readonly parts: readonly LabelPart[];
  readonly threshold: number;
  /** Bytes of the files of images and layers, as far as they are known. */
  readonly fileBytes: number;
};

/** What is painted, and how. Without volumes, parts are only counted. */
export type PaintWay = Pick<PaintPartsInput, 'volumes' | 'volumeOf' | 'rowsRunUp' | 'marks'>;

/** Paints all slices of labels. The caller holds the memory for the labels and for `lanesBytes`. */
export type PaintLayers = (labels: LabelsToPaint, way: PaintWay, options: FrameOptions) => Promise<PaintedParts>;

/** Batches that are painted at a time, each with the packets of its slices. */
const LANES = 4;
/** What one batch paints. Packets are copied to the thread, so that more would block the event loop. */
const BATCH = { slices: 16, bytes: 2 * MIB };

/**
 * Runs and samples that are looked at, at most, and for each byte of the files: a core looks at some 20 million in a second,
 * and parts that people have drawn have fewer than one for each byte. A structure set of 64 kB can have thousands of millions.
 */
const FEW_STEPS = 2 ** 23;
const STEPS_PER_BYTE = 8;

/** Memory for packets of slices, and for which parts lie over each other in them. */
export function lanesBytes({ rows, columns }: Pick<LabelGrid, 'rows' | 'columns'>): number {
  return LANES * (8 * rows * columns + 2 * BATCH.bytes);
}

type Context = {
  readonly catalog: Pick<Catalog, 'get'>;
  readonly layers: Pick<Layers, 'packet' | 'packetOnPlane'>;
  readonly tasks: TaskRunner;
};

export function createPaintLayers({ catalog, layers, tasks }: Context): PaintLayers {
  /** What one layer has in one slice; undefined if that is nothing. */
  async function readPacket(
    { ref, reaches }: LabelLayer,
    part: number | undefined,
    { grid, slice }: { readonly grid: LabelGrid; readonly slice: number },
    { signal }: FrameOptions,
  ): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const wanted = { signal, priority: 'prefetch' } as const;
    const asked = part === undefined ? {} : { parts: [part] };
    if (grid.kind === 'own') {
      const plane = grid.planes.get(slice);
      if (plane === undefined) return undefined;
      const target = { frameOfReferenceUid: grid.frameOfReferenceUid, grid: plane, slabMm: 0, ...asked };
      return (await layers.packetOnPlane(ref, target, wanted)).bytes;
    }
    const [fileIndex = 0, frame = 0] = grid.frames.subarray(2 * slice, 2 * slice + 2);
    if (reaches.get(fileIndex)?.has(frame) !== true) return undefined;
    return (await layers.packet(ref, { file: catalog.get(fileIndex), frame, ...asked }, wanted)).bytes;
  }

  async function readSlice(
    { grid, layers: chosen }: LabelsToPaint,
    slice: number,
    options: FrameOptions,
  ): Promise<SliceToPaint> {
    const packets: PacketToPaint[] = [];
    for (const [layer, one] of chosen.entries()) {
      for (const part of LABELLED_KINDS[one.kind].hasVolumes ? one.parts.map(({ from }) => from?.part) : [undefined]) {
        const bytes = await readPacket(one, part, { grid, slice }, options);
        if (bytes !== undefined) packets.push({ layer, part, bytes });
      }
    }
    return { place: slice, packets };
  }

  /** Slices with their packets, in portions that fit into a message. */
  async function* readSlices(
    labels: LabelsToPaint,
    { first, end }: { readonly first: number; readonly end: number },
    options: FrameOptions,
  ): AsyncGenerator<readonly SliceToPaint[], void> {
    let some: SliceToPaint[] = [];
    let bytes = 0;
    for (let slice = first; slice < end; slice += 1) {
      const read = await readSlice(labels, slice, options);
      some.push(read);
      bytes += read.packets.reduce((sum, packet) => sum + packet.bytes.length, 0);
      if (bytes < BATCH.bytes && slice + 1 < end) continue;
      yield some;
      [some, bytes] = [[], 0];
    }
  }

  return async (labels, way, options) => {
    const { grid, layers: chosen, parts, threshold } = labels;
    const { rows, columns, slices } = grid;
    const places = new Map(parts.flatMap(({ from }, at) => (from ? [[`${from.layer} ${from.part}`, at + 1]] : [])));
    const painted = chosen.map(({ kind, parts: own }) => ({
      kind,
      parts: new Map(own.map(({ from }) => [from!.part, places.get(`${from!.layer} ${from!.part}`)!] as const)),
    }));
    const values = Uint16Array.from([0, ...parts.map(({ value }) => value)]);
    const input = { rows, columns, layers: painted, threshold, values, ...way };
    const batches = Array.from({ length: Math.ceil(slices / BATCH.slices) }, (_, at) => {
      return { first: at * BATCH.slices, end: Math.min(slices, (at + 1) * BATCH.slices) };
    });
    const found = createSum(values.length);
    let left = FEW_STEPS + STEPS_PER_BYTE * labels.fileBytes;
    await mapInLanes(batches, async (batch) => {
      for await (const some of readSlices(labels, batch, options)) {
        const done = await tasks.run(
          paintPartsTask,
          { ...input, slices: some, mostSteps: left },
          { signal: options.signal },
        );
        left -= done.steps;
        found.add(done);
      }
    });
    return found.sum();
  };
}

/** Adds up what tasks have found on different slices. */
function createSum(parts: number) {
  const counts = new Float64Array(parts);
  const boxes = Int32Array.from({ length: 6 * parts }, (_, at) => (at % 2 === 0 ? 2 ** 31 - 1 : -1));
  const pairs = new Set<number>();
  let [overlaps, steps] = [0, 0];
  return {
    add(found: PaintedParts): void {
      for (let part = 0; part < parts; part += 1) counts[part]! += found.counts[part]!;
      for (let at = 0; at < boxes.length; at += 1) {
        boxes[at] = at % 2 === 0 ? Math.min(boxes[at]!, found.boxes[at]!) : Math.max(boxes[at]!, found.boxes[at]!);
      }
      for (let at = 0; at < found.pairs.length; at += 2) pairs.add(found.pairs[at]! * 65_536 + found.pairs[at + 1]!);
      overlaps += found.overlaps;
      steps += found.steps;
    },
    sum(): PaintedParts {
      const sorted = [...pairs].toSorted((a, b) => a - b);
      return {
        counts,
        boxes,
        pairs: Uint32Array.from(sorted.flatMap((key) => [Math.floor(key / 65_536), key % 65_536])),
        overlaps,
        steps,
      };
    },
  };
}

/** Throws the reason why a layer lies on none of these frames. */
export function requireReach({ described, reaches }: LabelLayer, frames: Uint32Array): void {
  for (let at = 0; at < frames.length; at += 2) if (reaches.get(frames[at]!)?.has(frames[at + 1]!) === true) return;
  const { title, description } = described;
  const { placement, targets } = description;
  const why = targets.length === 0 ? placement.reason : 'it lies over other images';
  throw mappingUnavailable(`${title} is on none of these images: ${why}`);
}
