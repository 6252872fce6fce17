import { ViewerError } from '../../../shared/contract/errors.ts';
import type { RealWorldValues, ValueMappingResponse } from '../../../shared/contract/valueMapping.ts';
import type { DeclaredValues } from '../../../shared/listFrameReadings.ts';
import { type Line, lineOfModality } from '../../../shared/valueMapping.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import type { References } from '../references/references.ts';
import type { SeriesList } from '../series/seriesList.ts';
import type { PackedStack } from '../series/stackRecord.ts';
import type { KnownVolume } from '../volumes/volumeMemory.ts';
import type { Volumes } from '../volumes/volumes.ts';
import { decideReading, toDeclared } from './toValueMapping.ts';
import type { SemanticOptions, ValueMappings } from './valueMappings.ts';

/** What the values of a frame mean, and which quantity the whole stack has. */
export interface StackQuantities {
  read(file: DicomFile, frame: number, options: SemanticOptions): Promise<ValueMappingResponse>;
}

export type StackQuantitiesInput = {
  readonly catalog: Pick<Catalog, 'get'>;
  readonly series: Pick<SeriesList, 'findStack'>;
  readonly volumes: Pick<Volumes, 'describe'>;
  readonly references: Pick<References, 'instances'>;
  readonly valueMappings: ValueMappings;
};

/** Of a stack that is no volume, as many frames are looked at. */
const MOST_WITNESSES = 8;
/** Stacks whose witnesses are remembered; more are read again. */
const MOST_REMEMBERED = 64;
/** Slopes are written with few digits. */
const SAME_WITHIN = 0.01;

/** The mappings of a frame, as functions of its modality values. */
type Witness = ReadonlyMap<string, Line | undefined>;
type Witnesses = { readonly hasOneRescale: boolean; readonly frames: readonly Witness[] };

export function createStackQuantities(input: StackQuantitiesInput): StackQuantities {
  const { catalog, series, volumes, references, valueMappings } = input;
  const remembered = new Map<string, Witnesses>();

  /** Only an image that declares a mapping needs a look at others. */
  async function findWitnesses(file: DicomFile, frame: number, options: SemanticOptions) {
    const stack = await series.findStack(file.index, frame);
    if (stack === undefined || stack.kind === 'too_many_frames') return undefined;
    const key = `${stack.key} ${references.instances.valueMappings.join()}`;
    const known = remembered.get(key) ?? (await readWitnesses(stack, options));
    remembered.delete(key);
    remembered.set(key, known);
    const [oldest] = remembered.keys();
    if (remembered.size > MOST_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
    return known;
  }

  async function readWitnesses(stack: PackedStack, options: SemanticOptions): Promise<Witnesses> {
    const [fileIndex = 0, frame = 0] = [stack.fileIndices[0], stack.frameIndices[0]];
    // All frames of a stack ask for the same volume, which is then described once.
    const { volume } = await volumes.describe({ fileIndex, frame }, options).catch(refuseQuietly);
    const places = volume === undefined ? spread(stack) : findExtremes(volume);
    const declared = await Promise.all(
      places.map(async (place) =>
        toDeclared(await valueMappings.read(catalog.get(place.fileIndex), place.frame, options)),
      ),
    );
    const [first] = declared;
    const isSame = ({ modality }: DeclaredValues) => JSON.stringify(modality) === JSON.stringify(first?.modality);
    const hasOneRescale = volume === undefined ? declared.every(isSame) : volume.sample.rescale !== undefined;
    return { hasOneRescale, frames: declared.map(toWitness) };
  }

  return {
    async read(file, frame, options) {
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
    },
  };
}

function judge(own: DeclaredValues, witnesses: Witnesses | undefined): RealWorldValues[] {
  if (witnesses === undefined) return own.real_world;
  const { hasOneRescale, frames } = witnesses;
  return own.real_world.map((mapping) => {
    if (mapping.in_stack !== null) return mapping;
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

function isSameLine(a: Line | undefined, b: Line): boolean {
  if (a === undefined) return false;
  return isNear(a.slope, b.slope) && isNear(a.intercept, b.intercept);
}

function isNear(one: number, other: number): boolean {
  return Math.abs(one - other) <= SAME_WITHIN * Math.max(Math.abs(one), Math.abs(other));
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
