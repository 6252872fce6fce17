import type { ValueMappingResponse } from '../../../shared/contract/valueMapping.ts';
import { RT_DOSE_STORAGE } from '../../../shared/contract/layers.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import type { FileReferences } from '../references/references.ts';
import { doInTurns, type WorkInTurns } from '../../machine/workers/doInTurns.ts';
import type { MappedFrames, KnownVolume } from '../volumes/volumeMemory.ts';
import type { DoseRecord } from './doseRecord.ts';
import type { RealWorldMapping, StoredValueType } from './parametricMapRecord.ts';
import { findMappingProblem } from './realWorldMappings.ts';
import { createStackQuantities, type StackQuantitiesInput } from './stackQuantities.ts';
import { readDoseTask, readParametricMapTask } from './semanticTasks.ts';
import { createValueMappings, type SemanticOptions, type ValueMappingsContext } from './valueMappings.ts';

export type SemanticsInput = ValueMappingsContext & Omit<StackQuantitiesInput, 'valueMappings'>;

/** A mapping, and its origin: the map itself, or a Real World Value Mapping object that references it. */
export type FoundMapping = RealWorldMapping & {
  readonly source: 'embedded' | 'referenced';
  readonly sourceFile: DicomFile | undefined;
};

export type ParametricMapContext = {
  readonly kind: 'parametric_map';
  readonly storedValueType: StoredValueType;
  readonly mappings: readonly FoundMapping[];
  readonly mappingStatus: 'unmapped' | 'mapping_available' | 'incompatible_mapping';
  readonly references: FileReferences;
  readonly warnings: readonly string[];
  readonly overlay: OverlayEligibility;
};

export type DoseContext = {
  readonly kind: 'rt_dose';
  readonly record: DoseRecord;
  readonly references: FileReferences;
  readonly overlay: OverlayEligibility;
};

/** Whether and where an object can be drawn over its source. */
export type OverlayEligibility = {
  readonly eligible: boolean;
  readonly reason: string;
  readonly sourceFile: DicomFile | undefined;
  /** Number of distinct source frames that frames of the object lie over. */
  readonly mappedSourceCount: number;
};

/** What the values of an object mean. What the samples of a segmentation mean is part of its layer. */
export type SemanticContext =
  | ParametricMapContext
  | DoseContext
  | { readonly kind: 'not_applicable'; readonly reason: string };

/** The meaning of pixel values, as declared by the objects. */
export interface Semantics {
  read(file: DicomFile, options: SemanticOptions): Promise<SemanticContext>;
  /** The meaning of the stored values of one frame (from 0). */
  values(file: DicomFile, frame: number, options: SemanticOptions): Promise<ValueMappingResponse>;
  /** The mappings of the frames of a volume, if it takes them all to make its quantity of its samples. */
  mappingsOf(volume: KnownVolume, options: SemanticOptions): Promise<MappedFrames | undefined>;
}

/** Per table, in the context of a parametric map. */
const MOST_LUT_VALUES = 4096;

export function createSemantics(input: SemanticsInput): Semantics {
  const { tasks, references } = input;
  const valueMappings = createValueMappings(input);
  const quantities = createStackQuantities({ ...input, valueMappings });

  async function readMap(file: DicomFile, options: SemanticOptions): Promise<ParametricMapContext> {
    const [{ storedValueType, mappings: own }, found, others] = await Promise.all([
      tasks.run(readParametricMapTask, file.source, { of: file, signal: options.signal }),
      references.read(file, options),
      valueMappings.findReferenced({ file }, MOST_LUT_VALUES, options),
    ]);
    const mappings = [
      ...own.map((mapping) => ({ ...mapping, source: 'embedded' as const, sourceFile: undefined })),
      ...others.map((mapping) => ({ ...mapping, source: 'referenced' as const })),
    ];
    const warnings = mappings.flatMap((mapping) => findMappingProblem(mapping, storedValueType) ?? []);
    const isAnyUsable = warnings.length < mappings.length;
    return {
      kind: 'parametric_map',
      storedValueType,
      mappings,
      mappingStatus: mappings.length === 0 ? 'unmapped' : isAnyUsable ? 'mapping_available' : 'incompatible_mapping',
      references: found,
      warnings: [...new Set(warnings)],
      overlay: await doInTurns(judgeOverlay(file, found), options.signal),
    };
  }

  async function readDose(file: DicomFile, options: SemanticOptions): Promise<DoseContext> {
    const [record, found] = await Promise.all([
      tasks.run(readDoseTask, file.source, { of: file, signal: options.signal }),
      references.read(file, options),
    ]);
    return {
      kind: 'rt_dose',
      record,
      references: found,
      overlay: await doInTurns(judgeOverlay(file, found), options.signal),
    };
  }

  return {
    async read(file, options) {
      if (file.objectKind === 'parametric_map') return readMap(file, options);
      if (file.sopClassUid === RT_DOSE_STORAGE) return readDose(file, options);
      return { kind: 'not_applicable', reason: 'the object is not a segmentation, parametric map or dose' };
    },
    values: (file, frame, options) => quantities.read(file, frame, options),
    mappingsOf: (volume, options) => quantities.mappingsOf(volume, options),
  };
}

/** The layer of the file says where it lies; this says only whether it may. */
function* judgeOverlay(
  { frameOfReferenceUid, frameCount }: DicomFile,
  references: FileReferences,
): WorkInTurns<OverlayEligibility> {
  let sourceFile: DicomFile | undefined;
  let mappedSourceCount = 0;
  for (const file of references.openFiles('source_image')) {
    sourceFile ??= file;
    if (file !== undefined) mappedSourceCount += 1;
    yield;
  }
  const problem =
    frameOfReferenceUid === undefined
      ? 'the object does not declare a frame of reference'
      : frameCount < 2
        ? 'the object has only one plane, so it is no volume'
        : undefined;
  const reason = problem ?? 'the values lie over images of the same frame of reference';
  return { eligible: problem === undefined, reason, sourceFile, mappedSourceCount };
}
