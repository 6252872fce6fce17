import type { PlaneGrid } from '../../../../shared/planeGrid.ts';
import type { PositionTable } from '../../../../shared/positionTable.ts';
import { countElements } from '../../../images/attachments/arrayHeader.ts';
import type { Attachment } from '../../../images/attachments/attachments.ts';
import { memoryOfPng } from '../../../images/attachments/png.ts';
import { sizeOf, stateOf } from '../../../bytes/origins/origins.ts';
import { explainTaskError } from '../../../images/pixels/explainTaskError.ts';
import { createKeptWork, type Wanted } from '../../../images/pixels/keptWork.ts';
import { MIB } from '../../../machine/system/mib.ts';
import type { LayerContext } from '../layerContext.ts';
import { type LayerPlacement, planeInLayer, wayBack } from '../placement.ts';
import { bytesOfCropped, type CroppedMasks } from '../segmentation/croppedMasks.ts';
import { cutMasksTask, type PackedMaskLayers } from '../segmentation/segmentationTasks.ts';
import { requireReadable } from './attachmentPlaces.ts';
import { type AttachmentMasks, packSliceTask, readMasksTask } from './attachmentTasks.ts';
import type { PlacedOver } from './placeAttachment.ts';
import { listStackGrids, type StackGrid } from './stackGrids.ts';

/** The masks of attachments, and the grids of the stacks that they may lie over, which share a cache. */
export interface MasksOfAttachments {
  readonly listGrids: () => Promise<readonly StackGrid[]>;
  /** The masks over one of the stacks that it lies over. Of values and probabilities, only what they are. */
  read(
    attachment: Attachment,
    over: PlacedOver,
    wanted: Wanted,
  ): Promise<{ readonly masks: AttachmentMasks; readonly cached: boolean }>;
  /** What lies in a plane. */
  cut(masks: AttachmentMasks, table: PositionTable, plane: MaskPlane, wanted: Wanted): Promise<PackedMaskLayers>;
  /** One slice of them, pixel by pixel. */
  packSlice(masks: AttachmentMasks, slice: Slice, wanted: Wanted): Promise<PackedMaskLayers>;
}

/** A plane of an image, and how the attachment gets there. */
export type MaskPlane = {
  readonly grid: PlaneGrid;
  readonly slabMm: number;
  readonly placement: LayerPlacement;
  readonly parts: readonly number[] | undefined;
};

type Slice = { readonly place: number; readonly rows: number; readonly columns: number };

const MOST_LAYER_BYTES = 256_000_000;

export function createMasksOfAttachments(
  context: Pick<LayerContext, 'catalog' | 'series' | 'tasks' | 'memory'>,
): MasksOfAttachments {
  const { catalog, series, tasks, memory } = context;
  const cache = memory.cache('attachments');
  const keptMasks = createKeptWork<AttachmentMasks>({ cache: cache.part('masks'), bytesOf: bytesOfMasks });
  const keptGrids = createKeptWork<readonly StackGrid[]>({ cache: cache.part('grids'), bytesOf: bytesOfGrids });
  const mostBytes = Math.floor(memory.plan.attachments * 0.75);

  async function listGrids(): Promise<readonly StackGrid[]> {
    const { value } = await keptGrids.get(series.version(), { signal: undefined }, () =>
      listStackGrids(catalog, series),
    );
    return value;
  }

  async function read(attachment: Attachment, over: PlacedOver, wanted: Wanted) {
    const key = `masks ${await keyOfElements(attachment, over)}`;
    const { value: masks, cached } = await keptMasks.get(key, wanted, async (signal) => {
      const { input: content, bytes } = inputOf(attachment, over.match);
      const { priority = 'interactive' } = wanted;
      const run = tasks.run(
        readMasksTask,
        { content, mostBytes },
        { of: { sampleBytes: bytes }, priority, signal, key },
      );
      return run.catch((error: unknown) => {
        throw explainTaskError(error, 0);
      });
    });
    return { masks, cached };
  }

  /** Its input, and the memory for its samples and masks. */
  function inputOf({ content }: Attachment, match: PlacedOver['match']) {
    if (content.kind === 'array' && 'order' in match) {
      const { data, header } = content;
      const voxels = countElements(header.sizes);
      const isByte = header.element.endsWith('int8') && header.scale === undefined;
      const bytes = voxels * (isByte ? 1 : 3) + 2 * Math.min(mostBytes, voxels * 2);
      return { input: { kind: 'array' as const, data, header, order: match.order }, bytes };
    }
    if (content.kind !== 'pictures' || !('places' in match)) throw new Error('a match of another attachment');
    const [first] = match.places;
    const { rows, columns } = first?.picture.header ?? { rows: 1, columns: 1 };
    const largest = match.places.reduce((most, { picture }) => Math.max(most, sizeOf(picture.source)), 0);
    const voxels = rows * columns * match.places.length;
    const pictures = match.places.map(({ picture, place }) => ({ source: picture.source, place }));
    const bytes = memoryOfPng({ rows, columns }, largest) + 2 * voxels + 2 * Math.min(mostBytes, voxels * 2);
    return { input: { kind: 'pictures' as const, rows, columns, pictures }, bytes };
  }

  async function cut(
    masks: AttachmentMasks,
    table: PositionTable,
    { grid, slabMm, placement }: MaskPlane,
    { signal, priority = 'interactive' }: Wanted,
  ): Promise<PackedMaskLayers> {
    const layer = grid.rows * grid.columns;
    const room = Math.max(layer, Math.floor((memory.plan.tasks - 2 * layer - 4 * MIB) / 3));
    const mostLayerBytes = Math.min(masks.parts.length * layer, MOST_LAYER_BYTES, room);
    const inLayer = planeInLayer(grid, placement);
    const back = inLayer === undefined ? wayBack(placement) : undefined;
    const cutInput = {
      tables: [{ table, frames: masks.cropped.frames, places: masks.places }],
      cropped: masks.cropped,
      segments: masks.segments,
      grid: inLayer ?? grid,
      steps: back?.steps,
      slabMm,
      meaning: { kind: 'mask' as const },
      maximum: undefined,
      mostLayerBytes,
    };
    const run = tasks.run(cutMasksTask, cutInput, {
      of: { bytes: 4 * MIB + 2 * layer + 3 * mostLayerBytes + (back?.bytes ?? 0) },
      priority,
      signal,
    });
    return run.catch((error: unknown) => {
      throw explainTaskError(error, 0);
    });
  }

  async function packSlice(
    masks: AttachmentMasks,
    { place, rows, columns }: Slice,
    { signal, priority = 'interactive' }: Wanted,
  ): Promise<PackedMaskLayers> {
    const { cropped, segments } = sliceOf(masks, place);
    const run = tasks.run(packSliceTask, { rows, columns, cropped, segments }, { priority, signal });
    return run.catch((error: unknown) => {
      throw explainTaskError(error, 0);
    });
  }

  return { listGrids, read, cut, packSlice };
}

/** Names the elements in the order of a stack; all stacks that it lies over have the same. */
export async function keyOfElements(attachment: Attachment, { match }: PlacedOver): Promise<string> {
  const content = requireReadable(attachment);
  const sources =
    content.kind === 'array' ? [content.source, content.data] : content.pictures.map(({ source }) => source);
  const states: string[] = [];
  for (const source of sources) states.push(await stateOf(source));
  const how = 'order' in match ? match.order : match.places.map(({ place }) => place);
  // Where it begins, because names of arrays may be the same.
  const start = content.kind === 'array' ? content.header.data.start : 0;
  return `${states.join()} ${start} ${JSON.stringify(how)}`;
}

/** The frames of masks in one slice. */
function sliceOf({ cropped, places, segments }: AttachmentMasks, place: number) {
  const first = places.findIndex((one) => one >= place);
  const from = first < 0 ? places.length : first;
  let to = from;
  while (places[to] === place) to += 1;
  const start = cropped.starts[from] ?? cropped.samples.length;
  const end = cropped.starts[to] ?? cropped.samples.length;
  const part: CroppedMasks = {
    frames: cropped.frames.slice(from, to),
    boxes: cropped.boxes.slice(4 * from, 4 * to),
    starts: cropped.starts.slice(from, to).map((one) => one - start),
    encoding: cropped.encoding,
    samples: cropped.samples.slice(start, end),
    damaged: [],
  };
  return { cropped: part, segments: segments.slice(from, to) };
}

function bytesOfMasks({ cropped, places, segments, amounts, parts }: AttachmentMasks): number {
  return bytesOfCropped(cropped) + places.byteLength + segments.byteLength + amounts.byteLength + parts.length * 512;
}

function bytesOfGrids(grids: readonly StackGrid[]): number {
  return grids.reduce((sum, { frames, placeCount }) => sum + 4_096 + frames.length * 96 + placeCount * 48, 0);
}
