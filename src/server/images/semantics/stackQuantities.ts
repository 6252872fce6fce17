import { ViewerError } from '../../../shared/contract/errors.ts';
import { RT_DOSE_STORAGE } from '../../../shared/contract/layers.ts';
import type { ModalityMapping, RealWorldValues, ValueMappingResponse } from '../../../shared/contract/valueMapping.ts';
import { explainNoLine } from '../../../shared/explainNoLine.ts';
import { type DeclaredValues, listFrameReadings } from '../../../shared/listFrameReadings.ts';
import { type Line, lineOfModality, type StoredMapping } from '../../../shared/valueMapping.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import type { References } from '../references/references.ts';
import type { SeriesList } from '../series/seriesList.ts';
import type { PackedStack } from '../series/stackRecord.ts';
import { ignoreRefusal } from '../../machine/workers/passingFailure.ts';
import { mapInLanes } from '../../machine/workers/mapInLanes.ts';
import { createSharedWork } from '../../machine/workers/sharedWork.ts';
import type { MappedFrames, KnownVolume } from '../volumes/volumeMemory.ts';
import type { Volumes } from '../volumes/volumes.ts';
import { decideReading, toDeclared } from './toValueMapping.ts';
import type { SemanticOptions, ValueMappings } from './valueMappings.ts';

/** What the values of a frame mean, and which quantity the whole stack has. */
export interface StackQuantities {
  read(file: DicomFile, frame: number, options: SemanticOptions): Promise<ValueMappingResponse>;
  /**
   * The mappings of all frames of a volume, if the quantity of its stack is one that each frame makes of its own stored
   * values. Undefined if it is a function of modality values, or if a frame lacks it.
   */
  mappingsOf(volume: KnownVolume, options: SemanticOptions): Promise<MappedFrames | undefined>;
}

export type StackQuantitiesInput = {
  readonly catalog: Pick<Catalog, 'get'>;
  readonly series: Pick<SeriesList, 'findStack'>;
  readonly volumes: Pick<Volumes, 'describeStored'>;
  readonly references: Pick<References, 'instances'>;
  readonly valueMappings: ValueMappings;
};

/** Of a stack that is no volume, as many frames are looked at. */
const MOST_WITNESSES = 8;
/** Stacks whose witnesses are remembered; more are read again. */
const MOST_REMEMBERED = 64;
/**
 * Each frame of a volume with mappings of its own takes a task, which goes through the frames of its file, and a look at
 * every Real World Value Mapping object. They cost as much as this many frames; without such objects, it may be 4,080 files,
 * or a file of 900 frames.
 */
const FRAMES_OF_TASK = 256;
const FRAMES_OF_OBJECT = 16;
const MOST_FRAMES_READ = 2 ** 20;
/** Up to this cost all frames of a volume are witnesses, because any of them may lack a mapping: some 1,000 files. */
const MOST_WITNESSES_READ = 2 ** 18;
/** Tasks at a time. */
const AT_ONCE = 16;
/** Of all different tables of a volume. */
const MOST_TABLE_VALUES = 2 ** 22;
/** Slopes are written with few digits. */
const SAME_WITHIN = 0.01;

/** The mappings of a frame, as functions of its modality values. */
type Witness = ReadonlyMap<string, Line | undefined>;
type Witnesses = { readonly hasOneRescale: boolean; readonly isVolume: boolean; readonly frames: readonly Witness[] };

export function createStackQuantities(input: StackQuantitiesInput): StackQuantities {
  const { catalog, series, volumes, references, valueMappings } = input;
  const remembered = new Map<string, Witnesses>();
  const mapped = new Map<string, { readonly mappings: MappedFrames | undefined }>();
  const witnessing = createSharedWork<Witnesses>();
  const shared = createSharedWork<{ readonly mappings: MappedFrames | undefined }>();

  /** Only an image that declares a mapping needs a look at others. */
  async function findWitnesses(file: DicomFile, frame: number, options: SemanticOptions) {
    const stack = await series.findStack(file.index, frame);
    if (stack === undefined || stack.kind === 'too_many_frames') return undefined;
    const key = `${stack.key} ${references.instances.valueMappings.join()}`;
    const known =
      remembered.get(key) ?? (await witnessing.join(key, options.signal, (signal) => readWitnesses(stack, { signal })));
    remembered.delete(key);
    remembered.set(key, known);
    const [oldest] = remembered.keys();
    if (remembered.size > MOST_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
    return known;
  }

  async function readWitnesses(stack: PackedStack, options: SemanticOptions): Promise<Witnesses> {
    const [fileIndex = 0, frame = 0] = [stack.fileIndices[0], stack.frameIndices[0]];
    // All frames of a stack ask for the same volume, which is then described once.
    const { volume } = await volumes.describeStored({ fileIndex, frame }, options).catch(refuseQuietly);
    const places =
      volume === undefined
        ? spread(stack)
        : costOf(volume) <= MOST_WITNESSES_READ
          ? listFrames(volume)
          : findExtremes(volume);
    const declared = await mapInLanes(
      places,
      async (place) => toDeclared(await valueMappings.read(catalog.get(place.fileIndex), place.frame, options)),
      AT_ONCE,
    );
    const [first] = declared;
    const isSame = ({ modality }: DeclaredValues) => JSON.stringify(modality) === JSON.stringify(first?.modality);
    const hasOneRescale = volume === undefined ? declared.every(isSame) : volume.sample.rescale !== undefined;
    return { hasOneRescale, isVolume: volume !== undefined, frames: declared.map(toWitness) };
  }

  /** Of a look at the mappings of all frames. */
  function costOf(volume: KnownVolume): number {
    const ofEach = FRAMES_OF_TASK + FRAMES_OF_OBJECT * references.instances.valueMappings.length;
    return volume.fileIndices.reduce(
      (sum, index, at) => sum + (isSameFrame(volume, at) ? 0 : ofEach + catalog.get(index).frameCount),
      0,
    );
  }

  async function readMappings(volume: KnownVolume, options: SemanticOptions): Promise<MappedFrames | undefined> {
    const { fileIndices, frameIndices, table } = volume;
    const first = catalog.get(fileIndices[0]!);
    // The volume of a dose is in its unit already.
    if (first.sopClassUid === RT_DOSE_STORAGE) return undefined;
    const values = await read(first, frameIndices[0]!, options);
    const named = listFrameReadings({ mapping: values, modality: first.modality })[0]!;
    if (explainNoLine(named, values) === undefined) return undefined;
    if (costOf(volume) > MOST_FRAMES_READ) return undefined;
    const isSame = (at: number) => isSameFrame(volume, at);
    const wanted = keyOf(values.real_world[named.index!]!);
    const middle = Math.floor(table.positionsMm.length / 2);
    const ofFrames: StoredMapping[] = [];
    let ofModality: MappedFrames['ofModality'] | undefined;
    let tableValues = 0;
    for (let at = 0; at < fileIndices.length; at += AT_ONCE) {
      const frames = Array.from(fileIndices.subarray(at, at + AT_ONCE), (index, n) => ({ index, at: at + n }));
      const asked = frames.filter((frame, n) => n === 0 || !isSame(frame.at));
      const answers = await Promise.all(
        asked.map(async (frame) =>
          toDeclared(await valueMappings.read(catalog.get(frame.index), frameIndices[frame.at]!, options)),
        ),
      );
      const batch = frames.map((frame) => answers[asked.findLastIndex((one) => one.at <= frame.at)]!);
      for (const { modality, real_world: declared } of batch) {
        const found = declared.find((each) => keyOf(each) === wanted);
        if (found === undefined) return undefined;
        // The table of an object for all images is there once.
        const before = ofFrames.at(-1);
        const mapping = before !== undefined && isSameMapping(before, found) ? before : toStoredMapping(found);
        if (mapping !== before && found.transform.kind === 'lut') tableValues += found.transform.values.length;
        if (tableValues > MOST_TABLE_VALUES) return undefined;
        if (ofFrames.length === middle) ofModality = afterModality(mapping, modality);
        ofFrames.push(mapping);
      }
    }
    return { key: `mapped ${named.id} ${wanted}`, unit: named.reading.unit, ofFrames, ofModality: ofModality! };
  }

  async function read(file: DicomFile, frame: number, options: SemanticOptions): Promise<ValueMappingResponse> {
    const values = await valueMappings.read(file, frame, options);
    const own = toDeclared(values);
    const needsOthers = own.real_world.some(({ in_stack: known }) => known === null);
    const witnesses = needsOthers ? await findWitnesses(file, frame, options) : undefined;
    const declared = { ...own, real_world: judge(own, witnesses) };
    return {
      file_index: file.index,
      frame_index: frame,
      stored_value_type: values.storedValueType,
      ...declared,
      ...decideReading(declared, file),
    };
  }

  return {
    read,
    async mappingsOf(volume, options) {
      const objects = references.instances.valueMappings.join();
      const key = `${volume.key} ${objects}`;
      const known = mapped.get(key);
      const found =
        known ??
        (await shared.join(key, options.signal, async (signal) => {
          const mappings = await readMappings(volume, { signal }).catch(ignoreRefusal);
          return { mappings: mappings && { ...mappings, key: `${mappings.key} ${objects}` } };
        }));
      mapped.delete(key);
      mapped.set(key, found);
      const [oldest] = mapped.keys();
      if (mapped.size > MOST_REMEMBERED && oldest !== undefined) mapped.delete(oldest);
      return found.mappings;
    },
  };
}

function judge(own: DeclaredValues, witnesses: Witnesses | undefined): RealWorldValues[] {
  if (witnesses === undefined) return own.real_world;
  const { hasOneRescale, isVolume, frames } = witnesses;
  return own.real_world.map((mapping) => {
    if (mapping.in_stack !== null) return mapping;
    if (isVolume && frames.some((frame) => !frame.has(keyOf(mapping)))) return { ...mapping, in_stack: 'missing' };
    const line = lineOfModality(mapping, own.modality);
    const isSame = line !== undefined && frames.every((frame) => isSameLine(frame.get(keyOf(mapping)), line));
    return { ...mapping, in_stack: isSame ? 'same' : hasOneRescale ? 'own' : 'ignores_rescale' };
  });
}

function toWitness(declared: DeclaredValues): Witness {
  return new Map(declared.real_world.map((each) => [keyOf(each), lineOfModality(each, declared.modality)]));
}

/** What two images call the same quantity. */
function keyOf({ source, label, unit_label: unit, units, quantity }: RealWorldValues): string {
  return JSON.stringify([source, label, unit, units?.value, quantity?.value]);
}

function toStoredMapping({ transform, first_value_mapped, last_value_mapped }: RealWorldValues): StoredMapping {
  return { transform, first_value_mapped, last_value_mapped };
}

function isSameMapping(a: StoredMapping, b: StoredMapping): boolean {
  if (a.first_value_mapped !== b.first_value_mapped || a.last_value_mapped !== b.last_value_mapped) return false;
  if (a.transform.kind === 'linear' || b.transform.kind === 'linear') {
    return a.transform.kind === b.transform.kind && JSON.stringify(a.transform) === JSON.stringify(b.transform);
  }
  const { values } = b.transform;
  return a.transform.values.length === values.length && a.transform.values.every((value, at) => value === values[at]);
}

/** A mapping as a function of modality values; beyond the ends of a table, it has the value of its end. */
function afterModality(mapping: StoredMapping, modality: ModalityMapping): MappedFrames['ofModality'] {
  const { transform, first_value_mapped: first } = mapping;
  if (modality.lut !== null) return () => undefined;
  const line = lineOfModality(mapping, modality);
  if (line !== undefined) return (value) => value * line.slope + line.intercept;
  const { rescale_slope: slope, rescale_intercept: intercept } = modality;
  const values = transform.kind === 'lut' ? transform.values : [];
  return (value) => {
    const at = Math.round((value - intercept) / slope) - (first ?? 0);
    return values[Math.max(0, Math.min(values.length - 1, at))];
  };
}

function isSameLine(a: Line | undefined, b: Line): boolean {
  if (a === undefined) return false;
  return isNear(a.slope, b.slope) && isNear(a.intercept, b.intercept);
}

function isNear(one: number, other: number): boolean {
  return Math.abs(one - other) <= SAME_WITHIN * Math.max(Math.abs(one), Math.abs(other));
}

/** The slices of a mosaic are parts of one frame. */
function isSameFrame({ fileIndices, frameIndices }: KnownVolume, at: number): boolean {
  return fileIndices[at] === fileIndices[at - 1] && frameIndices[at] === frameIndices[at - 1];
}

function listFrames(volume: KnownVolume): FramePlace[] {
  const { fileIndices, frameIndices } = volume;
  const places = Array.from(fileIndices, (fileIndex, at) => ({ fileIndex, frame: frameIndices[at]! }));
  return places.filter((_, at) => !isSameFrame(volume, at));
}

type FramePlace = { readonly fileIndex: number; readonly frame: number };

/** The first and last frame, and those with the smallest and largest rescale: a mapping that ignores it differs most there. */
function findExtremes({ fileIndices, frameIndices, sample: { rescales } }: KnownVolume): FramePlace[] {
  const found = new Set([0, fileIndices.length - 1]);
  for (const column of rescales === undefined ? [] : [rescales.slopes, rescales.intercepts]) {
    let [least, most] = [0, 0];
    for (let at = 1; at < column.length; at += 1) {
      if (column[at]! < column[least]!) least = at;
      if (column[at]! > column[most]!) most = at;
    }
    found.add(least).add(most);
  }
  return [...found].map((at) => ({ fileIndex: fileIndices[at]!, frame: frameIndices[at]! }));
}

/** Frames spread evenly over a stack, with both ends. */
function spread({ fileIndices, frameIndices }: PackedStack): FramePlace[] {
  const last = fileIndices.length - 1;
  const count = Math.min(MOST_WITNESSES, fileIndices.length);
  const places = Array.from({ length: count }, (_, n) => Math.round((n * last) / Math.max(1, count - 1)));
  return places.map((at) => ({ fileIndex: fileIndices[at]!, frame: frameIndices[at]! }));
}

/** What cannot be a volume is a stack all the same. That it is still being read passes, and the request is repeated. */
function refuseQuietly(error: unknown): { readonly volume: undefined } {
  if (error instanceof ViewerError && error.code !== 'decode_busy') return { volume: undefined };
  throw error;
}
