import { basename } from 'node:path';
import { ViewerError } from '../../../shared/contract/errors.ts';
import type { PlaneGrid } from '../../../shared/planeGrid.ts';
import { type PositionTable, planeOfPlace } from '../../../shared/positionTable.ts';
import { paletteColor } from '../../../shared/segmentColor.ts';
import { countElements } from '../../attachments/arrayHeader.ts';
import type { Attachment } from '../../attachments/attachments.ts';
import { memoryOfPng } from '../../attachments/png.ts';
import { sizeOf, stateOf } from '../../origins/origins.ts';
import { explainTaskError } from '../../pixels/explainTaskError.ts';
import { checkFrame } from '../../pixels/frames.ts';
import { createKeptWork, type Wanted } from '../../pixels/keptWork.ts';
import { checkPlaneWork } from '../../volumes/planeQuery.ts';
import { doInTurns, type WorkInTurns } from '../../workers/doInTurns.ts';
import type {
  DescribedPart,
  LayerDescription,
  LayerOptions,
  LayersInput,
  LayerTarget,
  LayerWarning,
  PlacedLayer,
  PlaneTarget,
  TargetFrames,
} from '../layerProvider.ts';
import { findNeededPlaces } from '../../../shared/planeGrid.ts';
import { bytesOfCropped, type CroppedMasks } from '../segmentation/croppedMasks.ts';
import { cutMasksTask, type PackedMaskLayers } from '../segmentation/segmentationTasks.ts';
import { type AttachmentMasks, type AttachmentPart, packSliceTask, readMasksTask } from './attachmentTasks.ts';
import { type AttachmentPlaces, countSteps, placeAttachment, type PlacedOver } from './placeAttachment.ts';
import { listStackGrids, type StackGrid } from './stackGrids.ts';

/** Model output over the stacks that it fits. */
export interface AttachmentLayers {
  list(): Promise<readonly Attachment[]>;
  /** What a list calls it. */
  nameOf(attachment: Attachment): string;
  /** Where it lies, without reading more than its header. */
  places(attachment: Attachment): Promise<AttachmentPlaces>;
  /** Lays it over the stack of a frame, or undefined: where it lies by itself. Throws if it does not fit there. */
  choose(attachment: Attachment, target: LayerTarget | undefined): Promise<AttachmentPlaces>;
  /** Whether it lies over the stack of a frame, or it is worth telling its user why it does not. */
  concerns(attachment: Attachment, target: LayerTarget): Promise<boolean>;
  describe(attachment: Attachment, options: LayerOptions): Promise<DescribedAttachment>;
  place(attachment: Attachment, target: LayerTarget, options: LayerOptions): Promise<PlacedLayer>;
  placeOnPlane(attachment: Attachment, target: PlaneTarget, options: LayerOptions): Promise<PlacedLayer>;
}

export type DescribedAttachment = LayerDescription & { readonly content: AttachmentMasks['content'] | undefined };

const READ_TIMEOUT_MS = 180_000;
const PACK_TIMEOUT_MS = 20_000;
const CUT_TIMEOUT_MS = 30_000;
const MIB = 2 ** 20;
const MOST_LAYER_BYTES = 256_000_000;
/** Folders up to here belong together. */
const NEAR_STEPS = 2;

type Kept = { readonly masks: AttachmentMasks } | { readonly grids: readonly StackGrid[] };

export function createAttachmentLayers({ attachments, catalog, series, tasks, memory }: LayersInput): AttachmentLayers {
  const kept = createKeptWork<Kept>({
    cache: memory.cache('attachments'),
    bytesOf: (one) => ('masks' in one ? bytesOfMasks(one.masks) : bytesOfGrids(one.grids)),
  });
  const mostBytes = Math.floor(memory.plan.attachments * 0.75);

  async function listGrids(): Promise<readonly StackGrid[]> {
    const { value } = await kept.get(`grids ${series.version()}`, {}, async () => ({
      grids: await listStackGrids(catalog, series),
    }));
    if (!('grids' in value)) throw new Error('stacks have a key of their own');
    return value.grids;
  }

  /** The keys of the stacks that users have chosen, by attachment. */
  const chosen = new Map<number, string>();
  /** Where the attachments lie among these stacks. */
  const decided = new WeakMap<readonly StackGrid[], Map<number, AttachmentPlaces>>();

  async function places(attachment: Attachment): Promise<AttachmentPlaces> {
    const grids = await listGrids();
    const ofGrids = decided.get(grids) ?? new Map<number, AttachmentPlaces>();
    decided.set(grids, ofGrids);
    const key = chosen.get(attachment.number);
    const grid = key === undefined ? undefined : grids.find((one) => one.key === key);
    const found = ofGrids.get(attachment.number) ?? placeAttachment(attachment, grids, grid);
    ofGrids.set(attachment.number, found);
    return found;
  }

  /** The masks over one of the stacks that it lies over; all of these have the same. */
  async function readMasks(attachment: Attachment, { match }: PlacedOver, wanted: Wanted) {
    const content = requireReadable(attachment);
    const sources =
      content.kind === 'array' ? [content.source, content.data] : content.pictures.map(({ source }) => source);
    const states: string[] = [];
    for (const source of sources) states.push(await stateOf(source));
    const how = 'order' in match ? match.order : match.places.map(({ place }) => place);
    const member = content.kind === 'array' ? content.member : undefined;
    const key = `masks ${states.join()} ${member} ${JSON.stringify(how)}`;
    const { value, cached } = await kept.get(key, wanted, async (signal) => {
      const { input, bytes } = inputOf(attachment, match);
      const { priority = 'interactive' } = wanted;
      const run = tasks.run(
        readMasksTask,
        { content: input, mostBytes },
        { timeoutMs: READ_TIMEOUT_MS, priority, signal, key, memory: { bytes: bytes + 4 * MIB } },
      );
      const masks = await run.catch((error: unknown) => {
        throw explainTaskError(error, 0);
      });
      return { masks };
    });
    if (!('masks' in value)) throw new Error('masks have a key of their own');
    return { masks: value.masks, cached, key };
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

  async function findOver(attachment: Attachment, isWanted: (one: PlacedOver) => boolean): Promise<PlacedOver> {
    requireReadable(attachment);
    const { over, placement } = await places(attachment);
    const found = over.find(isWanted);
    if (found !== undefined) return found;
    const reason = over.length === 0 ? placement.reason : 'the file lies over other images';
    throw new ViewerError('semantic_mapping_unavailable', reason);
  }

  async function cut(
    { masks, table, grid, slabMm }: { masks: AttachmentMasks; table: PositionTable; grid: PlaneGrid; slabMm: number },
    { signal, priority = 'interactive' }: Wanted,
  ): Promise<PackedMaskLayers> {
    const layer = grid.rows * grid.columns;
    const room = Math.max(layer, Math.floor((memory.plan.tasks - 2 * layer - 4 * MIB) / 3));
    const mostLayerBytes = Math.min(masks.parts.length * layer, MOST_LAYER_BYTES, room);
    const input = {
      tables: [{ table, frames: masks.cropped.frames, places: masks.places }],
      cropped: masks.cropped,
      segments: masks.segments,
      grid,
      slabMm,
      ...meaningOf(masks),
      mostLayerBytes,
    };
    const run = tasks.run(cutMasksTask, input, {
      timeoutMs: CUT_TIMEOUT_MS,
      priority,
      ...(signal !== undefined && { signal }),
      memory: { bytes: 4 * MIB + 2 * layer + 3 * mostLayerBytes },
    });
    return run.catch((error: unknown) => {
      throw explainTaskError(error, 0);
    });
  }

  async function packSlice(
    { masks, place, rows, columns }: { masks: AttachmentMasks; place: number; rows: number; columns: number },
    { signal, priority = 'interactive' }: Wanted,
  ): Promise<PackedMaskLayers> {
    const { cropped, segments } = sliceOf(masks, place);
    const kind = masks.content === 'probabilities' ? ('fractions' as const) : ('mask' as const);
    const bytes = MIB + 3 * rows * columns * Math.max(1, cropped.frames.length);
    const run = tasks.run(
      packSliceTask,
      { rows, columns, kind, cropped, segments },
      {
        timeoutMs: PACK_TIMEOUT_MS,
        priority,
        ...(signal !== undefined && { signal }),
        memory: { bytes, isUpperBound: true },
      },
    );
    return run.catch((error: unknown) => {
      throw explainTaskError(error, 0);
    });
  }

  return {
    list: () => attachments.list(),
    nameOf: nameAttachment,
    places,
    async choose(attachment, target) {
      requireReadable(attachment);
      const grids = await listGrids();
      const grid = target && grids.find((one) => hasFrame(one, target));
      const { matches } = await places(attachment);
      if (target !== undefined && !matches.some((one) => one.grid === grid)) {
        throw new ViewerError('semantic_mapping_unavailable', 'the file does not fit these images');
      }
      if (grid === undefined) chosen.delete(attachment.number);
      else chosen.set(attachment.number, grid.key);
      decided.get(grids)?.delete(attachment.number);
      return places(attachment);
    },
    async concerns(attachment, target) {
      const grid = (await listGrids()).find((one) => hasFrame(one, target));
      if (grid === undefined) return false;
      const { over, matches } = await places(attachment);
      if (over.length > 0) return over.some((one) => one.grid === grid);
      if (matches.length > 0) return matches.some((one) => one.grid === grid);
      return countSteps(attachment, grid) <= NEAR_STEPS;
    },
    async describe(attachment, options) {
      requireReadable(attachment);
      const { over, placement } = await places(attachment);
      const [first] = over;
      const warnings: LayerWarning[] =
        attachment.content.kind === 'array' ? [...attachment.content.header.warnings] : [];
      if (first === undefined) {
        return { ...NOTHING, placement, warnings, content: undefined };
      }
      if (first.match.warning !== undefined) warnings.push(first.match.warning);
      const { masks } = await readMasks(attachment, first, options);
      warnings.push(...masks.warnings);
      const [low, high] = masks.valueRange;
      if (masks.content === 'values') {
        const reason = `the file holds values from ${low} to ${high} and no labels`;
        return { ...NOTHING, placement: { ...placement, status: 'unavailable', reason }, warnings, content: 'values' };
      }
      return {
        content: masks.content,
        parts: masks.parts.map((part, at) => describePart(part, at, { masks, over, attachment })),
        targets: await doInTurns(listTargets(over, masks)),
        placement,
        frameOfReferenceUids: [...new Set(over.flatMap(({ grid }) => grid.frameOfReferenceUid ?? []))],
        unplaced: masks.parts
          .filter(({ voxels }) => voxels === 0)
          .map(({ number }) => ({ reason: NO_VOXELS, part: number, count: 0 })),
        warnings,
      };
    },
    async place(attachment, target) {
      checkFrame(target.file, target.frame);
      const over = await findOver(attachment, ({ grid }) => hasFrame(grid, target));
      await stateOf(target.file.source);
      const { place } = over.grid.frames.find(
        ({ file, frame }) => file.index === target.file.index && frame === target.frame,
      )!;
      const { rows, columns } = target.file;
      return {
        async packet(wanted) {
          const { masks, cached } = await readMasks(attachment, over, wanted);
          const { match, grid } = over;
          if (!('order' in match) || match.table === undefined) {
            return { ...(await packSlice({ masks, place, rows, columns }, wanted)), cached };
          }
          const plane = grid.table && planeOfPlace(grid.table, place);
          if (plane === undefined) throw new ViewerError('semantic_mapping_unavailable', 'the image has no position');
          const packet = await cut({ masks, table: match.table, grid: { ...plane, rows, columns }, slabMm: 0 }, wanted);
          return { ...packet, cached };
        },
      };
    },
    async placeOnPlane(attachment, { frameOfReferenceUid, grid, slabMm }) {
      const over = await findOver(attachment, (one) => one.grid.frameOfReferenceUid === frameOfReferenceUid);
      const table = ('order' in over.match ? over.match.table : undefined) ?? over.grid.table;
      if (table === undefined) {
        throw new ViewerError('semantic_mapping_unavailable', 'the images do not declare their position in space');
      }
      checkPlaneWork(table, grid, { slabMm });
      return {
        async packet(wanted) {
          const { masks, cached } = await readMasks(attachment, over, wanted);
          return { ...(await cut({ masks, table, grid, slabMm }, wanted)), cached };
        },
      };
    },
  };
}

function hasFrame({ frames }: StackGrid, { file, frame }: LayerTarget): boolean {
  return frames.some((one) => one.file.index === file.index && one.frame === frame);
}

const NOTHING = { parts: [], targets: [], frameOfReferenceUids: [], unplaced: [] };

/** What a list calls it: the name of the file, and that of the array in it. */
export function nameAttachment({ path, content }: Attachment): string {
  const member = content.kind === 'array' ? content.member : undefined;
  return member === undefined ? basename(path) : `${basename(path)}: ${member}`;
}

function requireReadable({ content }: Attachment) {
  if (content.kind === 'unreadable') throw new ViewerError('attachment_unreadable', content.reason);
  return content;
}

const NO_VOXELS = 'the file has no voxels of it';

type Described = {
  readonly masks: AttachmentMasks;
  readonly over: readonly PlacedOver[];
  readonly attachment: Attachment;
};

function describePart(
  { number, name, color, voxels }: AttachmentPart,
  at: number,
  described: Described,
): DescribedPart {
  const { masks, over } = described;
  const { places, segments } = masks;
  const first = segments.indexOf(number);
  const last = segments.lastIndexOf(number);
  const ends = over.flatMap(({ grid, match }) => {
    if (('order' in match && match.table !== undefined) || first < 0) return [];
    const frameAt = (place: number) => grid.frames.find((frame) => frame.place === place);
    const [from, to] = [frameAt(places[first]!), frameAt(places[last]!)];
    return from === undefined || to === undefined ? [] : [{ first: from, last: to }];
  });
  const voxelMm3 = findVoxelMm3(described);
  return {
    number,
    label: name ?? `Label ${number}`,
    color: color ?? paletteColor(at + 1),
    colorSource: color === undefined ? 'palette' : 'declared',
    extent: {
      volumeMm3: voxelMm3 === undefined ? undefined : voxels * voxelMm3,
      ends,
      problem: voxels === 0 && first < 0 ? NO_VOXELS : undefined,
    },
  };
}

/** Of the grid that it lies on; undefined if its slices are not evenly spaced, or if their distance is not known. */
function findVoxelMm3({ over, attachment }: Described): number | undefined {
  const [first] = over;
  const table = (first && 'order' in first.match ? first.match.table : undefined) ?? first?.grid.table;
  if (attachment.content.kind !== 'array' || first === undefined || table === undefined) return undefined;
  if (first.grid.placeCount < 2 || table.isHole.includes(1)) return undefined;
  return table.rowSpacingMm * table.columnSpacingMm * table.spacingMm;
}

function meaningOf({ content }: AttachmentMasks) {
  return content === 'probabilities'
    ? { meaning: { kind: 'fractions' as const, maximum: 255 }, maximum: 255 }
    : { meaning: { kind: 'mask' as const }, maximum: undefined };
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

/** The frames that have something of it. */
function* listTargets(over: readonly PlacedOver[], { places }: AttachmentMasks): WorkInTurns<TargetFrames[]> {
  const filled = new Set(places);
  const targets = new Map<number, { file: TargetFrames['file']; frames: number[] }>();
  for (const { grid, match } of over) {
    const own = 'order' in match ? match.table : undefined;
    for (const { file, frame, place } of grid.frames) {
      yield;
      const isOver = own === undefined ? filled.has(place) : reaches(own, grid, place);
      if (!isOver) continue;
      const known = targets.get(file.index);
      if (known === undefined) targets.set(file.index, { file, frames: [frame] });
      else known.frames.push(frame);
    }
  }
  return [...targets.values()];
}

function reaches(own: PositionTable, { table, rows, columns }: StackGrid, place: number): boolean {
  const plane = table && planeOfPlace(table, place);
  return plane !== undefined && findNeededPlaces(own, { ...plane, rows, columns }, { slabMm: 0 }) !== undefined;
}

function bytesOfMasks({ cropped, places, segments, parts }: AttachmentMasks): number {
  return bytesOfCropped(cropped) + places.byteLength + segments.byteLength + parts.length * 512;
}

function bytesOfGrids(grids: readonly StackGrid[]): number {
  return grids.reduce((sum, { frames, placeCount }) => sum + 4_096 + frames.length * 96 + placeCount * 48, 0);
}
