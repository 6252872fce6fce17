import { ViewerError } from '../../shared/contract/errors.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import { readMemoryOf } from '../pixels/decodeCost.ts';
import type { Wanted } from '../pixels/keptWork.ts';
import type { FileReferences } from '../references/references.ts';
import type { DoseRecord } from './doseRecord.ts';
import type { RealWorldMapping, StoredValueType } from './parametricMapRecord.ts';
import { findMappingProblem } from './realWorldMappings.ts';
import type { OverlayEligibility, SegmentationContext } from './segmentationContext.ts';
import { createSegmentations, type Overlay, type SemanticOptions, type SemanticsInput } from './segmentations.ts';
import { type SegmentationSummary, summarizeSegmentation } from './segmentationSummary.ts';
import { createSegmentCounter, type SegmentStatistics } from './segmentStatistics.ts';
import { readDoseTask, readParametricMapTask } from './semanticTasks.ts';
import { createSourceMasks, type PackedMasks, type SourcePlace } from './sourceMasks.ts';
import { createValueMappings, type FrameValueMapping } from './valueMappings.ts';

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

export type SemanticContext =
  | SegmentationContext
  | ParametricMapContext
  | DoseContext
  | { readonly kind: 'not_applicable'; readonly reason: string };

/** The meaning of pixel values, as declared by the objects. */
export interface Semantics {
  read(file: DicomFile, options?: SemanticOptions): Promise<SemanticContext>;
  overlay(file: DicomFile, frame: number, options?: SemanticOptions): Promise<Overlay>;
  /** The masks of all segments of a segmentation over one source frame. */
  masks(file: DicomFile, source: SourcePlace, wanted?: Wanted): Promise<PackedMasks>;
  summary(file: DicomFile, options?: SemanticOptions): Promise<SegmentationSummary>;
  statistics(file: DicomFile, options?: SemanticOptions): Promise<SegmentStatistics>;
  /** The meaning of the stored values of one frame (from 0). */
  values(file: DicomFile, frame: number, options?: SemanticOptions): Promise<FrameValueMapping>;
}

const TIMEOUT_MS = 20_000;
/** Per table, in the context of a parametric map. */
const MOST_LUT_VALUES = 4096;
const RT_DOSE_STORAGE = '1.2.840.10008.5.1.4.1.1.481.2';

export function createSemantics(input: SemanticsInput): Semantics {
  const { tasks, memory, references } = input;
  const segmentations = createSegmentations(input);
  const sourceMasks = createSourceMasks({ tasks, memory, segmentations });
  const countSegments = createSegmentCounter({ tasks, memory, segmentations });
  const valueMappings = createValueMappings(input);

  async function readMap(file: DicomFile, options: SemanticOptions): Promise<ParametricMapContext> {
    const [{ storedValueType, mappings: own }, found, others] = await Promise.all([
      tasks.run(readParametricMapTask, file.source, toTaskOptions(file, options)),
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
      overlay: notDrawn('a parametric map is shown by itself, not over its source images', found),
    };
  }

  async function readDose(file: DicomFile, options: SemanticOptions): Promise<DoseContext> {
    const [record, found] = await Promise.all([
      tasks.run(readDoseTask, file.source, toTaskOptions(file, options)),
      references.read(file, options),
    ]);
    const overlay = notDrawn('a dose grid is shown by itself, not over the images that it was computed on', found);
    return { kind: 'rt_dose', record, references: found, overlay };
  }

  return {
    async read(file, options = {}) {
      if (file.objectKind === 'segmentation' && file.hasPixels && file.frameCount > 0) {
        return segmentations.read(file, options);
      }
      if (file.objectKind === 'parametric_map') return readMap(file, options);
      if (file.sopClassUid === RT_DOSE_STORAGE) return readDose(file, options);
      return { kind: 'not_applicable', reason: explainNone(file) };
    },
    async overlay(file, frame, options = {}) {
      checkSegmentation(file);
      return segmentations.overlay(file, frame, options);
    },
    async masks(file, source, wanted = {}) {
      checkSegmentation(file);
      return sourceMasks(file, source, wanted);
    },
    async summary(file, options = {}) {
      checkSegmentation(file);
      return summarizeSegmentation(await segmentations.map(file, options));
    },
    async statistics(file, options = {}) {
      checkSegmentation(file);
      return countSegments(file, options);
    },
    values: (file, frame, options = {}) => valueMappings.read(file, frame, options),
  };
}

function checkSegmentation({ objectKind, hasPixels }: DicomFile): void {
  if (objectKind !== 'segmentation') {
    throw new ViewerError('bad_request', 'only a segmentation can be drawn over its source images');
  }
  if (!hasPixels) throw new ViewerError('no_pixel_data', 'the segmentation has no pixels');
}

function toTaskOptions(file: DicomFile, { signal }: SemanticOptions) {
  return { timeoutMs: TIMEOUT_MS, memory: readMemoryOf(file), ...(signal !== undefined && { signal }) };
}

function explainNone({ objectKind, hasPixels, frameCount }: DicomFile): string {
  if (objectKind !== 'segmentation') return 'the object is not a segmentation, parametric map or dose';
  return hasPixels && frameCount === 0 ? 'the segmentation has no whole frame' : 'the segmentation has no pixels';
}

function notDrawn(reason: string, references: FileReferences): OverlayEligibility {
  const open = new Set<DicomFile>();
  for (const { relationship, matches } of references) {
    if (relationship === 'source_image') for (const { file } of matches) open.add(file);
  }
  const [sourceFile] = open;
  return { eligible: false, reason, sourceFile, mappedSourceCount: open.size };
}
