import { MIB } from '../../system/mib.ts';
import { basename } from 'node:path';
import { ViewerError } from '../../../shared/contract/errors.ts';
import { FIRST_ATTACHMENT_LAYER } from '../../../shared/contract/layers.ts';
import { findNeededPlaces, type PlaneGrid } from '../../../shared/planeGrid.ts';
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
import { checkPart } from '../field/fieldLayers.ts';
import { sampleField } from '../field/sampleField.ts';
import type { LayerContext } from '../layerContext.ts';
import type {
  DescribedField,
  DescribedPart,
  LayerDescription,
  LayerOptions,
  LayerTarget,
  LayerWarning,
  PlacedLayer,
  PlaneTarget,
  TargetFrames,
  WrittenPacket,
} from '../layerProvider.ts';
import {
  createPlacement,
  isPlaced,
  type LayerPlacement,
  placeInFrameOfReference,
  planeInLayer,
  wayBack,
} from '../placement.ts';
import { groupByFile } from '../reachedImages.ts';
import { bytesOfCropped, type CroppedMasks } from '../segmentation/croppedMasks.ts';
import { cutMasksTask, type PackedMaskLayers } from '../segmentation/segmentationTasks.ts';
import { type Arrangement, AS_IT_IS } from './arrayOrder.ts';
import { countVolumes, MOST_VOLUMES, nameVolumes, placesWithoutPosition, toVolume } from './arrayVolume.ts';
import { type AttachmentMasks, type AttachmentPart, packSliceTask, readMasksTask } from './attachmentTasks.ts';
import { type AttachmentPlaces, countSteps, placeAttachment, type PlacedOver } from './placeAttachment.ts';
import { type GridFrame, listStackGrids, type StackGrid } from './stackGrids.ts';

/** Model output over the stacks that it fits. */
export interface AttachmentLayers {
  list(options: LayerOptions): Promise<readonly Attachment[]>;
  /** What a list calls it. */
  nameOf(attachment: Attachment): string;
  /** Where it lies, without reading more than its header. */
  places(attachment: Attachment): Promise<AttachmentPlaces>;
  /** Lays it over the stack of a frame, or undefined: where it lies by itself. Throws if it does not fit there. */
  choose(attachment: Attachment, target: LayerTarget | undefined, arrangement?: Arrangement): Promise<AttachmentPlaces>;
  /** What the user has chosen. */
  choiceOf(attachment: Attachment): Promise<ChosenPlace | undefined>;
  /** Whether it lies over the stack of a frame, or it is worth telling its user why it does not. */
  concerns(attachment: Attachment, target: LayerTarget, options: LayerOptions): Promise<boolean>;
  describe(attachment: Attachment, options: LayerOptions): Promise<DescribedAttachment>;
  place(attachment: Attachment, target: LayerTarget, options: LayerOptions): Promise<PlacedLayer>;
  placeOnPlane(attachment: Attachment, target: PlaneTarget, options: LayerOptions): Promise<PlacedLayer>;
}

export type ChosenPlace = {
  /** The first frame of the stack. */
  readonly frame: GridFrame;
  readonly arrangement: Arrangement;
};

export type DescribedAttachment = LayerDescription & { readonly content: AttachmentMasks['content'] | undefined };

const MOST_LAYER_BYTES = 256_000_000;
/** Folders up to here belong together. */
const NEAR_STEPS = 2;

/** A plane of an image, and how the attachment gets there. */
type PlaneUnder = {
  readonly grid: PlaneGrid;
  readonly slabMm: number;
  readonly placement: LayerPlacement;
  readonly parts: readonly number[] | undefined;
};

export function createAttachmentLayers(input: LayerContext): AttachmentLayers {
  const { attachments, catalog, series, tasks, memory, volumes, registrations, imagePlanes, reach } = input;
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

  /** What users have chosen, by attachment: the key of the stack, and how it lies there. */
  const chosen = new Map<number, { readonly key: string; readonly arrangement: Arrangement }>();
  /** Where the attachments lie among these stacks. */
  const decided = new WeakMap<readonly StackGrid[], Map<number, AttachmentPlaces>>();

  /** The stack of the last target: a list of layers asks about one target for each attachment. */
  const lastFound = new WeakMap<readonly StackGrid[], LayerTarget & { readonly grid: StackGrid | undefined }>();

  function findGrid(grids: readonly StackGrid[], { file, frame }: LayerTarget): StackGrid | undefined {
    const last = lastFound.get(grids);
    if (last !== undefined && last.file.index === file.index && last.frame === frame) return last.grid;
    const grid = grids.find((one) => hasFrame(one, { file, frame }));
    lastFound.set(grids, { file, frame, grid });
    return grid;
  }

  function findChoice({ number }: Attachment, grids: readonly StackGrid[]) {
    const choice = chosen.get(number);
    const grid = choice && grids.find((one) => one.key === choice.key);
    return choice && grid && { grid, arrangement: choice.arrangement };
  }

  async function places(attachment: Attachment): Promise<AttachmentPlaces> {
    const grids = await listGrids();
    const ofGrids = decided.get(grids) ?? new Map<number, AttachmentPlaces>();
    decided.set(grids, ofGrids);
    const found = ofGrids.get(attachment.number) ?? placeAttachment(attachment, grids, findChoice(attachment, grids));
    ofGrids.set(attachment.number, found);
    return found;
  }

  /** The masks over one of the stacks that it lies over. Of values and probabilities, only what they are. */
  async function readMasks(attachment: Attachment, over: PlacedOver, wanted: Wanted) {
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

  /** Where it lies as wanted; the first place of all if it lies so nowhere. */
  async function findOver(attachment: Attachment, isWanted: (one: PlacedOver) => boolean) {
    requireReadable(attachment);
    const { over, placement } = await places(attachment);
    const [first] = over;
    if (first === undefined) throw new ViewerError('semantic_mapping_unavailable', placement.reason);
    return over.find(isWanted) ?? { first };
  }

  async function placeElsewhere({ grid }: PlacedOver, target: string | undefined, options: LayerOptions) {
    const graph = await registrations.load(options);
    if (target === undefined || !graph.listReachable(grid.frameOfReferenceUid ?? '').includes(target)) {
      throw new ViewerError('semantic_mapping_unavailable', 'the file lies over other images');
    }
    const placement = placeInFrameOfReference(grid.frameOfReferenceUid, target, graph);
    if (!isPlaced(placement)) throw new ViewerError('semantic_mapping_unavailable', placement.reason);
    return placement;
  }

  async function cut(
    masks: AttachmentMasks,
    table: PositionTable,
    { grid, slabMm, placement }: PlaneUnder,
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
    { masks, place, rows, columns }: { masks: AttachmentMasks; place: number; rows: number; columns: number },
    { signal, priority = 'interactive' }: Wanted,
  ): Promise<PackedMaskLayers> {
    const { cropped, segments } = sliceOf(masks, place);
    const run = tasks.run(packSliceTask, { rows, columns, cropped, segments }, { priority, signal });
    return run.catch((error: unknown) => {
      throw explainTaskError(error, 0);
    });
  }

  /** The values of an array over a plane, sampled as those of any volume. */
  async function sampleValues(
    attachment: Attachment,
    over: PlacedOver,
    { grid, slabMm, placement, parts }: PlaneUnder,
    wanted: Wanted,
  ): Promise<WrittenPacket> {
    const { content, number } = attachment;
    const { match } = over;
    if (content.kind !== 'array' || !('order' in match)) throw new Error('pictures hold labels');
    const { data, header } = content;
    const channel = checkPart(parts, countVolumes(header, match.order));
    const table = tableOf(over) ?? placesWithoutPosition(over.grid);
    const { frameOfReferenceUid } = over.grid;
    const key = await keyOfElements(attachment, over);
    const source = toVolume(tasks, { key, data, header, order: match.order, channel, table, frameOfReferenceUid });
    const sampled = { layer: FIRST_ATTACHMENT_LAYER + number, source, table, time: 0 };
    const placed = await sampleField(volumes, sampled, { grid, slabMm, placement });
    return placed.packet(wanted);
  }

  /** What it has in a plane, as masks or as values. */
  async function packetIn(
    attachment: Attachment,
    over: PlacedOver,
    plane: PlaneUnder,
    wanted: Wanted,
  ): Promise<WrittenPacket> {
    const { masks, cached } = await readMasks(attachment, over, wanted);
    if (masks.content !== 'labels') return sampleValues(attachment, over, plane, wanted);
    const table = tableOf(over);
    if (table === undefined) {
      throw new ViewerError('semantic_mapping_unavailable', over.grid.problem ?? 'the images have no position');
    }
    return { ...(await cut(masks, table, plane, wanted)), cached };
  }

  /** Over the stacks that it lies over by itself, and over all that registrations connect with them. */
  async function listImages(over: readonly PlacedOver[], masks: AttachmentMasks, options: LayerOptions) {
    const [first] = over;
    const own = first?.grid.frameOfReferenceUid;
    const table = first && tableOf(first);
    const near = await doInTurns(listTargets(over, masks), options.signal);
    const spaces = [...new Set(over.flatMap(({ grid }) => grid.frameOfReferenceUid ?? []))];
    const direct = spaces.map((uid) => ({ frameOfReferenceUid: uid, placement: placeInFrameOfReference(uid, uid) }));
    if (own === undefined || table === undefined) return { targets: near, spaces: direct, warnings: [] };
    const far = await reach({ own, tables: [table] }, { ...options, isElsewhere: true });
    return { targets: [...near, ...far.targets], spaces: [...direct, ...far.spaces], warnings: far.warnings };
  }

  return {
    list: (options) => attachments.list(options),
    nameOf: nameAttachment,
    places,
    async choose(attachment, target, arrangement = AS_IT_IS) {
      requireReadable(attachment);
      const grids = await listGrids();
      const grid = target && findGrid(grids, target);
      const { matches } = await places(attachment);
      const match = matches.find((one) => one.grid === grid);
      if (target !== undefined && match === undefined) {
        throw new ViewerError('semantic_mapping_unavailable', 'the file does not fit these images');
      }
      const orders = match?.hasOther === true ? 2 : (match?.orders.length ?? 0);
      if (match !== undefined && arrangement.order > 0 && arrangement.order >= orders) {
        throw new ViewerError('semantic_mapping_unavailable', 'the axes of the file do not fit in this order');
      }
      if (grid === undefined) chosen.delete(attachment.number);
      else chosen.set(attachment.number, { key: grid.key, arrangement });
      decided.get(grids)?.delete(attachment.number);
      return places(attachment);
    },
    async choiceOf(attachment) {
      const choice = findChoice(attachment, await listGrids());
      const frame = choice?.grid.frames[0];
      return choice && frame && { frame, arrangement: choice.arrangement };
    },
    async concerns(attachment, target, options) {
      const grid = findGrid(await listGrids(), target);
      if (grid === undefined) return false;
      const { over, matches } = await places(attachment);
      if (over.some((one) => one.grid === grid)) return true;
      const [first] = over;
      if (first !== undefined) {
        const graph = await registrations.load(options);
        const reachable = graph.listReachable(first.grid.frameOfReferenceUid ?? '');
        return grid.frameOfReferenceUid !== undefined && reachable.includes(grid.frameOfReferenceUid);
      }
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
      const images = await listImages(over, masks, options);
      const isField = masks.content !== 'labels';
      return {
        content: masks.content,
        kind: isField ? 'field' : 'mask',
        ...(isField && { field: describeField(attachment, first, masks), about: nameContent(masks) }),
        parts: masks.parts.map((part, at) => describePart(part, at, { masks, over, attachment })),
        targets: images.targets,
        placement,
        frameOfReferenceUids: [...new Set(over.flatMap(({ grid }) => grid.frameOfReferenceUid ?? []))],
        spaces: images.spaces,
        unplaced: masks.parts
          .filter(({ voxels }) => voxels === 0)
          .map(({ number }) => ({ reason: NO_VOXELS, part: number, count: 0 })),
        warnings: [...warnings, ...masks.warnings, ...images.warnings],
      };
    },
    async place(attachment, target, options) {
      checkFrame(target.file, target.frame);
      const found = await findOver(attachment, ({ grid }) => hasFrame(grid, target));
      await stateOf(target.file.source);
      const { rows, columns } = target.file;
      const { parts } = target;
      if ('first' in found) {
        const under = await imagePlanes.findPlane(target, options);
        const placement = await placeElsewhere(found.first, under?.frameOfReferenceUid, options);
        const grid = { ...under!.plane, rows, columns };
        return { packet: (wanted) => packetIn(attachment, found.first, { grid, slabMm: 0, placement, parts }, wanted) };
      }
      const { grid: stack, match } = found;
      const { place } = stack.frames.find(
        ({ file, frame }) => file.index === target.file.index && frame === target.frame,
      )!;
      const plane = planeOfPlace(stack.table ?? placesWithoutPosition(stack), place);
      const under = { grid: { ...plane, rows, columns }, slabMm: 0, placement: HERE, parts };
      return {
        async packet(wanted) {
          const { masks, cached } = await readMasks(attachment, found, wanted);
          const isSlice = !('order' in match) || match.table === undefined;
          if (masks.content !== 'labels' || !isSlice) return packetIn(attachment, found, under, wanted);
          return { ...(await packSlice({ masks, place, rows, columns }, wanted)), cached };
        },
      };
    },
    async placeOnPlane(attachment, { frameOfReferenceUid, grid, slabMm, parts }, options) {
      const found = await findOver(attachment, (one) => one.grid.frameOfReferenceUid === frameOfReferenceUid);
      const isElsewhere = 'first' in found;
      const over = isElsewhere ? found.first : found;
      const placement = isElsewhere ? await placeElsewhere(over, frameOfReferenceUid, options) : HERE;
      const table = tableOf(over);
      if (table === undefined) {
        throw new ViewerError('semantic_mapping_unavailable', over.grid.problem ?? 'the images have no position');
      }
      const inLayer = planeInLayer(grid, placement);
      checkPlaneWork(table, inLayer ?? grid, { slabMm }, inLayer === undefined);
      return { packet: (wanted) => packetIn(attachment, over, { grid, slabMm, placement, parts }, wanted) };
    },
  };
}

/** Of an attachment in the frame of reference of the images that it lies over. */
const HERE = createPlacement('direct', '');

function hasFrame({ frames }: StackGrid, { file, frame }: LayerTarget): boolean {
  return frames.some((one) => one.file.index === file.index && one.frame === frame);
}

/** Its slices in space: its own, or those of the stack that they are. */
function tableOf({ grid, match }: PlacedOver): PositionTable | undefined {
  return ('order' in match ? match.table : undefined) ?? grid.table;
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

/** Names the elements in the order of a stack; all stacks that it lies over have the same. */
async function keyOfElements(attachment: Attachment, { match }: PlacedOver): Promise<string> {
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

/** Where a model decides. */
const HALF = 0.5;

function describeField({ content }: Attachment, { match }: PlacedOver, masks: AttachmentMasks): DescribedField {
  const isProbability = masks.content === 'probabilities';
  const isArray = content.kind === 'array' && 'order' in match;
  const volumes = isArray ? nameVolumes(content.header, match.order).slice(0, MOST_VOLUMES) : [''];
  const isUnnamed = isArray && content.header.labels.length === 0 && content.header.otherAxis === undefined;
  return {
    unit: '',
    unitKind: isProbability ? 'probability' : 'stored',
    range: isProbability ? [0, 1] : masks.valueRange,
    references: [],
    levels: isProbability ? [HALF] : [],
    volumes,
    // The first one of several probabilities is that of the background, unless the file says what they are.
    firstVolume: isProbability && volumes.length > 1 && isUnnamed ? 1 : 0,
  };
}

function nameContent({ content, valueRange: [low, high] }: AttachmentMasks): string {
  const range = `from ${toShort(low)} to ${toShort(high)}`;
  return content === 'probabilities' ? `probabilities ${range}` : `values ${range}`;
}

function toShort(value: number): string {
  return String(Number(value.toPrecision(4)));
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
  if (first.grid.placeCount < 2 || !isEven(table)) return undefined;
  return table.rowSpacingMm * table.columnSpacingMm * table.spacingMm;
}

/** Writers round positions by less than this part of the distance between slices. */
const ROUNDED = 0.01;

function isEven({ positionsMm, spacingMm }: PositionTable): boolean {
  return positionsMm.every(
    (zMm, place) => place === 0 || Math.abs(zMm - positionsMm[place - 1]! - spacingMm) <= ROUNDED * spacingMm,
  );
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

/** The frames that have something of it; values are everywhere. */
function* listTargets(
  over: readonly PlacedOver[],
  { places, content }: AttachmentMasks,
): WorkInTurns<readonly TargetFrames[]> {
  const filled = new Set(places);
  const touched: GridFrame[] = [];
  for (const { grid, match } of over) {
    const own = 'order' in match ? match.table : undefined;
    for (const frame of grid.frames) {
      yield;
      const isOver =
        own === undefined ? content !== 'labels' || filled.has(frame.place) : reaches(own, grid, frame.place);
      if (isOver) touched.push(frame);
    }
  }
  return groupByFile(touched);
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
