import { ViewerError } from '../../shared/contract/errors.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import type { FileReferences, ResolvedReference } from '../references/references.ts';
import type { DoseRecord } from './doseRecord.ts';
import type { RealWorldMapping, StoredValueType } from './parametricMapRecord.ts';
import { findMappingProblem } from './realWorldMappings.ts';
import type { OverlayEligibility, SegmentationContext } from './segmentationContext.ts';
import { createSegmentations, type Overlay, type SemanticOptions, type SemanticsInput } from './segmentations.ts';
import { readDoseTask, readParametricMapTask, readValueMappingsTask } from './semanticTasks.ts';

/** A mapping, and where it stands: in the map itself, or in a Real World Value Mapping object about it. */
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

/** What pixel values mean, as the objects declare it. */
export interface Semantics {
  read(file: DicomFile, options?: SemanticOptions): Promise<SemanticContext>;
  overlay(file: DicomFile, frame: number, options?: SemanticOptions): Promise<Overlay>;
}

const TIMEOUT_MS = 20_000;
const MOST_MAPPING_OBJECTS = 256;
const RT_DOSE_STORAGE = '1.2.840.10008.5.1.4.1.1.481.2';

export function createSemantics(input: SemanticsInput): Semantics {
  const { catalog, tasks, references } = input;
  const segmentations = createSegmentations(input);

  async function readMap(file: DicomFile, options: SemanticOptions): Promise<ParametricMapContext> {
    const { realPath: path, identity } = file;
    const [{ storedValueType, mappings: own }, found, others] = await Promise.all([
      tasks.run(readParametricMapTask, { path, identity }, toTaskOptions(options)),
      references.read(file, options),
      findReferencedMappings(file, options),
    ]);
    const mappings = [
      ...own.map((mapping) => ({ ...mapping, source: 'embedded' as const, sourceFile: undefined })),
      ...others,
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

  /** Real World Value Mapping objects point to the images that they are about, so each that is open is asked. */
  async function findReferencedMappings(file: DicomFile, options: SemanticOptions): Promise<FoundMapping[]> {
    const { sopInstanceUid } = file;
    if (sopInstanceUid === '') return [];
    const found: FoundMapping[] = [];
    for (const index of references.instances.valueMappings.slice(0, MOST_MAPPING_OBJECTS)) {
      const sourceFile = catalog.get(index);
      const named = await references.read(sourceFile, options);
      if (!some(named, (reference) => reference.sopInstanceUid === sopInstanceUid)) continue;
      const of = { path: sourceFile.realPath, identity: sourceFile.identity };
      const mappings = await tasks.run(readValueMappingsTask, { file: of, sopInstanceUid }, toTaskOptions(options));
      found.push(...mappings.map((mapping) => ({ ...mapping, source: 'referenced' as const, sourceFile })));
    }
    return found;
  }

  async function readDose(file: DicomFile, options: SemanticOptions): Promise<DoseContext> {
    const { realPath: path, identity } = file;
    const [record, found] = await Promise.all([
      tasks.run(readDoseTask, { path, identity }, toTaskOptions(options)),
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
      if (file.objectKind !== 'segmentation') {
        throw new ViewerError('bad_request', 'only a segmentation can be drawn over its source images');
      }
      return segmentations.overlay(file, frame, options);
    },
  };
}

function toTaskOptions({ signal }: SemanticOptions) {
  return { timeoutMs: TIMEOUT_MS, ...(signal !== undefined && { signal }) };
}

function explainNone({ objectKind, hasPixels, frameCount }: DicomFile): string {
  if (objectKind !== 'segmentation') return 'the object is no segmentation, parametric map or dose';
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

function some(references: FileReferences, holds: (reference: ResolvedReference) => boolean): boolean {
  for (const reference of references) if (holds(reference)) return true;
  return false;
}
