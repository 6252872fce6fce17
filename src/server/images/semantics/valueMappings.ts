import { ViewerError } from '../../../shared/contract/errors.ts';
import { MOST_LUT_VALUES } from '../../../shared/contract/lutLimit.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import type { MemoryAccount } from '../../machine/memory/memoryAccount.ts';
import { stateOf } from '../../bytes/origins/origins.ts';
import { checkFrame } from '../pixels/frames.ts';
import type { References } from '../references/references.ts';
import type { TaskRunner } from '../../machine/workers/task.ts';
import { bytesOfValueRecord, type FrameValueRecord } from './frameValueRecord.ts';
import type { RealWorldMapping } from './parametricMapRecord.ts';
import { findMappingProblem } from './realWorldMappings.ts';
import { readFrameValuesTask, readValueMappingsTask, type ValueMappingsInput } from './semanticTasks.ts';

export type SemanticOptions = { readonly signal: AbortSignal | undefined };

export type ValueMappingsContext = {
  readonly catalog: Catalog;
  readonly tasks: TaskRunner;
  readonly memory: MemoryAccount;
  readonly references: References;
};

/** A mapping from a Real World Value Mapping object. */
export type ReferencedMapping = RealWorldMapping & { readonly sourceFile: DicomFile };

/** Everything known about the values of one frame. Mappings that cannot be applied to them are left out. */
export type FrameValueMapping = Omit<FrameValueRecord, 'mappings'> & {
  readonly embedded: readonly RealWorldMapping[];
  readonly referenced: readonly ReferencedMapping[];
};

export interface ValueMappings {
  /** For a frame (from 0). Throws `no_pixel_data` and `frame_out_of_range`. */
  read(file: DicomFile, frame: number, options: SemanticOptions): Promise<FrameValueMapping>;
  /** The mappings of Real World Value Mapping objects for an image, or for one of its frames. */
  findReferenced(
    image: { readonly file: DicomFile; readonly frame?: number },
    mostLutValues: number,
    options: SemanticOptions,
  ): Promise<ReferencedMapping[]>;
}

const MOST_MAPPING_OBJECTS = 256;
/** A table can have 65,536 values, and a client shows one mapping at a time. */
const MOST_REFERENCED = 16;

export function createValueMappings({ catalog, tasks, memory, references }: ValueMappingsContext): ValueMappings {
  const cache = memory.cache<FrameValueRecord>('frameValues');

  async function readOwn(own: DicomFile, frame: number, options: SemanticOptions) {
    const file = own.source;
    const key = `values\0${await stateOf(file)}\0${frame}`;
    const known = cache.get(key);
    if (known !== undefined) return known;
    const values = await tasks.run(
      readFrameValuesTask,
      { file, frame },
      { of: own, signal: options.signal, shareKey: key },
    );
    cache.set(key, values, bytesOfValueRecord(values));
    return values;
  }

  /** The objects reference the images that they describe, so every open one is checked. */
  const findReferenced: ValueMappings['findReferenced'] = async ({ file, frame }, mostLutValues, options) => {
    const { sopInstanceUid } = file;
    if (sopInstanceUid === '') return [];
    const image = { sopInstanceUid, ...(frame !== undefined && { frame }) };
    const found: ReferencedMapping[] = [];
    for (const index of references.instances.valueMappings.slice(0, MOST_MAPPING_OBJECTS)) {
      const sourceFile = catalog.get(index);
      const mappings = await readReferenced(sourceFile, { image, mostLutValues }, options);
      found.push(...mappings.map((mapping) => ({ ...mapping, sourceFile })));
    }
    return found;
  };

  async function readReferenced(
    source: DicomFile,
    wanted: Omit<ValueMappingsInput, 'file'>,
    options: SemanticOptions,
  ): Promise<readonly RealWorldMapping[]> {
    try {
      const declared = await references.read(source, options);
      if (!declared.names(wanted.image.sopInstanceUid)) return [];
      const file = source.source;
      return await tasks.run(readValueMappingsTask, { file, ...wanted }, { of: source, signal: options.signal });
    } catch (error) {
      // An object that is gone has no mappings, and must not prevent an image from reporting its own values.
      if (error instanceof ViewerError) return [];
      throw error;
    }
  }

  return {
    findReferenced,
    async read(file, frame, options) {
      checkFrame(file, frame);
      const [{ mappings, ...own }, others] = await Promise.all([
        readOwn(file, frame, options),
        findReferenced({ file, frame }, MOST_LUT_VALUES, options),
      ]);
      const isUsable = (mapping: RealWorldMapping) => findMappingProblem(mapping, own.storedValueType) === undefined;
      return {
        ...own,
        embedded: mappings.filter(isUsable),
        referenced: others.filter(isUsable).slice(0, MOST_REFERENCED),
      };
    },
  };
}
