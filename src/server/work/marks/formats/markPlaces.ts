import { isMask } from '../../../../shared/markTraits.ts';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isBoxNear } from '../../../../shared/coverBox.ts';
import type { MarkPlace } from '../../../../shared/contract/marks.ts';
import { SPACING_SOURCES } from '../../../../shared/contract/fileTerms.ts';
import { frameDepthMm } from '../../../../shared/frameDepth.ts';
import { SCALE_SOURCES, type ScaleSource } from '../../../../shared/pixelScale.ts';
import { mayHaveRegions } from '../../../../shared/ultrasoundRegion.ts';
import type { Catalog } from '../../../images/catalog/catalog.ts';
import type { DicomFile } from '../../../images/catalog/dicomFile.ts';
import { readUltrasoundRegionsTask } from '../../../standard/geometry/ultrasoundRegionsTask.ts';
import { findReadStack } from '../../../images/series/findReadStack.ts';
import type { SeriesList } from '../../../images/series/seriesList.ts';
import { askWhileBusy, VOLUME_WAIT_MS } from '../../../machine/workers/askWhileBusy.ts';
import type { PackedStack } from '../../../images/series/stackRecord.ts';
import { listSlices, type MarkContent } from '../markContent.ts';
import { planeOfNumbers } from './formatShapes.ts';
import type { TaskRunner } from '../../../machine/workers/task.ts';
import { type MarkToWrite, MARK_PLANE_NUMBERS, type RegionsOfFile } from './formatTasks.ts';

export type MarkFrames = Pick<MarkToWrite, 'frames' | 'planes' | 'range' | 'isOrdered' | 'regions'>;
type PlacedFrames = Omit<MarkFrames, 'regions'>;

type FindOptions = {
  readonly isWhole?: boolean;
  readonly inVolume?: boolean;
  readonly signal?: AbortSignal | undefined;
};

export interface MarkPlaces {
  /**
   * `isWhole`: with all frames of the range also of a mask, which is only on the frames of its slices. `inVolume`: of a box
   * in a volume, the frames of its stack that it may reach; otherwise none.
   */
  find(content: MarkContent, options?: FindOptions): Promise<MarkFrames>;
}

export type MarkPlacesContext = {
  readonly catalog: Pick<Catalog, 'files'>;
  readonly series: Pick<SeriesList, 'findStack'>;
  readonly tasks: TaskRunner;
};

/** Stacks that are remembered. */
const MOST_STACKS = 8;
/** Frames that are described in one turn of the event loop. */
const TURN_FRAMES = 1_000;

type VolumePlace = Extract<MarkPlace, { type: 'volume' }>;
type Address = readonly [file: number, frame: number];
type InStack = { readonly stack: PackedStack; readonly at: number };

/** Finds the frames of marks, their order and their planes. Stacks are remembered, because marks are on few of them. */
export function createMarkPlaces({ catalog, series, tasks }: MarkPlacesContext): MarkPlaces {
  const stacks: PackedStack[] = [];
  const knownRegions = new Map<number, RegionsOfFile>();

  /** Waits for positions that are still being read: without them, what is exported would be incomplete. */
  async function locate([file, frame]: Address, signal: AbortSignal | undefined): Promise<InStack | undefined> {
    for (const stack of stacks) {
      const at = placeIn(stack, file, frame);
      if (at !== -1) return { stack, at };
    }
    const found = await askWhileBusy(
      () => findReadStack(series, file, frame),
      () => ({ waitMs: VOLUME_WAIT_MS, signal }),
    );
    if (found === undefined || found.kind === 'too_many_frames') return undefined;
    stacks.unshift(found);
    stacks.length = Math.min(stacks.length, MOST_STACKS);
    const at = placeIn(found, file, frame);
    return at === -1 ? undefined : { stack: found, at };
  }

  /** What is known of a frame: from its stack, else the size of a pixel from the header of its file. */
  const planeOf = (found: InStack | undefined, index: number): Float64Array => {
    const plane = found === undefined ? new Float64Array(MARK_PLANE_NUMBERS).fill(NaN) : planeInStack(found);
    const file = catalog.files[index];
    if (file === undefined) return plane;
    if (Number.isNaN(plane[9])) plane.set(spacingOf(file), 9);
    const aspect = plane[9]! / plane[10]!;
    plane[12] = Number.isNaN(aspect) ? (file.pixelAspectRatio ?? 1) : aspect;
    return plane;
  };

  /** The scales of the parts of ultrasound images, which only their headers have. */
  async function readRegions(frames: Uint32Array, signal: AbortSignal | undefined): Promise<readonly RegionsOfFile[]> {
    const found: RegionsOfFile[] = [];
    for (const index of new Set(frames.filter((_, n) => n % 2 === 0))) {
      const file = catalog.files[index];
      if (file === undefined || !mayHaveRegions(file.modality)) continue;
      const known = knownRegions.get(index) ?? {
        file: index,
        regions: await tasks.run(readUltrasoundRegionsTask, file.source, { of: file, signal }),
      };
      knownRegions.set(index, known);
      if (known.regions.length > 0) found.push(known);
    }
    return found;
  }

  async function describe(
    addresses: readonly Address[],
    isOrdered: boolean,
    signal: AbortSignal | undefined,
  ): Promise<PlacedFrames> {
    const planes = new Float64Array(addresses.length * MARK_PLANE_NUMBERS);
    for (const [n, address] of addresses.entries()) {
      planes.set(planeOf(await locate(address, signal), address[0]), n * MARK_PLANE_NUMBERS);
    }
    return { frames: Uint32Array.from(addresses.flat()), planes, range: [0, 0], isOrdered };
  }

  /** All frames from one end to the other, and to slices that are outside of the range. */
  async function findRange(
    wanted: readonly Address[],
    signal: AbortSignal | undefined,
  ): Promise<PlacedFrames | undefined> {
    const [from, to] = wanted;
    const found = from && (await locate(from, signal));
    if (found === undefined || to === undefined) return undefined;
    const { stack } = found;
    const places = wanted.map(([file, frame]) => placeIn(stack, file, frame));
    if (places.includes(-1)) return undefined;
    const [first, last] = [Math.min(...places), Math.max(...places)];
    const frames = new Uint32Array(2 * (last - first + 1));
    const planes = new Float64Array(MARK_PLANE_NUMBERS * (last - first + 1));
    for (let at = first; at <= last; at += 1) {
      const file = stack.fileIndices[at]!;
      frames.set([file, stack.frameIndices[at]!], 2 * (at - first));
      planes.set(planeOf({ stack, at }, file), MARK_PLANE_NUMBERS * (at - first));
      if (at % TURN_FRAMES === 0) await nextTurn();
    }
    const [a = 0, b = 0] = places;
    return { frames, planes, range: [Math.min(a, b) - first, Math.max(a, b) - first], isOrdered: true };
  }

  /** The frames of the stack of a box that it may reach. */
  async function findReached(box: VolumePlace, signal: AbortSignal | undefined): Promise<PlacedFrames> {
    const found = await locate([box.file_index, box.frame_index], signal);
    const frames: number[] = [];
    const planes: number[] = [];
    if (found === undefined) return describe([], false, signal);
    const { stack } = found;
    for (let at = 0; at < stack.length; at += 1) {
      const [file = 0, frame = 0] = [stack.fileIndices[at], stack.frameIndices[at]];
      const numbers = planeOf({ stack, at }, file);
      const plane = planeOfNumbers(numbers);
      const size = catalog.files[file];
      if (plane !== undefined && size !== undefined && isBoxNear(box, plane, size)) {
        frames.push(file, frame);
        planes.push(...numbers);
      }
      if (at % TURN_FRAMES === 0) await nextTurn();
    }
    const last = Math.max(0, frames.length / 2 - 1);
    return { frames: Uint32Array.from(frames), planes: Float64Array.from(planes), range: [0, last], isOrdered: true };
  }

  async function findFrames(
    { kind, place, slices }: MarkContent,
    { isWhole = false, inVolume = false, signal }: FindOptions,
  ): Promise<PlacedFrames> {
    if (place.type === 'volume' && inVolume) return findReached(place, signal);
    if (place.type === 'plane' || place.type === 'volume') return describe([], false, signal);
    if (place.type === 'frame') return describe([[place.file_index, place.frame_index]], true, signal);
    if (place.type === 'slide') return describe([[place.file_index, 0]], true, signal);
    const { from, to } = place;
    const ends: Address[] = [
      [from.file_index, from.frame_index],
      [to.file_index, to.frame_index],
    ];
    const drawn = Array.from(listSlices(slices), ({ fileIndex, frame }): Address => [fileIndex, frame]);
    const range = isMask(kind) && !isWhole ? undefined : await findRange([...ends, ...drawn], signal);
    if (range !== undefined) return range;
    const distinct = new Map([...ends, ...drawn].map((address) => [address.join(), address]));
    // Nothing lies between the slices of a mask.
    return describe([...distinct.values()], isMask(kind) && !isWhole, signal);
  }

  return {
    async find(content, options = {}) {
      const found = await findFrames(content, options);
      return { ...found, regions: await readRegions(found.frames, options.signal) };
    },
  };
}

/** Spacing between rows and between columns, and the place of its source. */
function spacingOf({ pixelSpacingMm, pixelSpacingSource, pixelAspectRatio, placement }: DicomFile): number[] {
  if (pixelSpacingMm !== undefined) return [...pixelSpacingMm, numberOfSource(pixelSpacingSource)];
  const { imagedVolumeWidthMm, totalColumns } = placement?.slide ?? {};
  if (imagedVolumeWidthMm === undefined || totalColumns === undefined) return [NaN, NaN, NaN];
  const columnMm = imagedVolumeWidthMm / totalColumns;
  return [columnMm * (pixelAspectRatio ?? 1), columnMm, numberOfSource('imaged_volume')];
}

function numberOfSource(source: ScaleSource | undefined): number {
  return source === undefined ? -1 : SCALE_SOURCES.indexOf(source);
}

function placeIn({ fileIndices, frameIndices }: PackedStack, file: number, frame: number): number {
  for (let at = fileIndices.indexOf(file); at !== -1; at = fileIndices.indexOf(file, at + 1)) {
    if (frameIndices[at] === frame) return at;
  }
  return -1;
}

/** Only planes in the patient have a position here; that of a slide or of an ultrasound volume is none. */
function planeInStack({ stack, at }: InStack): Float64Array {
  const { points, positionsMm, orientations, orientationOf, spacingsMm, spacingSources, spacingOf: spacings } = stack;
  const numbers = new Float64Array(MARK_PLANE_NUMBERS).fill(NaN);
  const orientation = orientationOf[at] ?? -1;
  const spacing = spacings[at] ?? -1;
  const source = spacingSources[spacing] ?? -1;
  numbers[13] = frameDepthMm(positionsMm, at);
  if (spacing >= 0) numbers.set([...spacingsMm.subarray(2 * spacing, 2 * spacing + 2), source], 9);
  if (orientation >= 0 && stack.space === 'patient' && SPACING_SOURCES[source] === 'pixel_spacing') {
    numbers.set(points.subarray(3 * at, 3 * at + 3), 0);
    numbers.set(orientations.subarray(6 * orientation, 6 * orientation + 6), 3);
  }
  return numbers;
}
