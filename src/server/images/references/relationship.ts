import type { Relationship } from '../../../shared/contract/referenceTerms.ts';
import { KIND_OF_SOP_CLASS, type SopClassKind } from '../catalog/sopClassKinds.ts';
import * as Tag from '../../standard/dicom/tag.ts';

/** The position of a reference in an object, and its target. */
export type ReferencePlace = {
  readonly sopClassUid: string;
  /** The enclosing sequences, outermost first. */
  readonly path: readonly number[];
  /** The enclosing item of the Registration Sequence, from 0. */
  readonly registrationItem: number | undefined;
  /** The enclosing content item of a report. */
  readonly content: ContentPlace | undefined;
  readonly targetSopClassUid: string | undefined;
};

export type ContentPlace = {
  readonly valueType: string | undefined;
  /** Code Value of the concept name. */
  readonly concept: string | undefined;
  /** It belongs to a measurement: below a NUM, or in a group of measurements. PS3.16 TID 1410, 1411, 1501. */
  readonly isMeasured: boolean;
};

/** The meaning of a reference, from the class of the declaring object and the enclosing sequences. */
export function relationshipOf(place: ReferencePlace): Relationship {
  const kind = KIND_OF_SOP_CLASS.get(place.sopClassUid) ?? 'unknown';
  return (RULES[kind] ?? ofAnyObject)(place);
}

/** The evidence lists everything that a report mentions; it is used only for what the content does not name. */
export function isEvidence(path: readonly number[]): boolean {
  return path[0] === Tag.CurrentRequestedProcedureEvidenceSequence || path[0] === Tag.PertinentOtherEvidenceSequence;
}

const BLENDING_STATE = '1.2.840.10008.5.1.4.1.1.11.4';
const ADVANCED_BLENDING_STATE = '1.2.840.10008.5.1.4.1.1.11.8';
const DEFORMABLE_REGISTRATION = '1.2.840.10008.5.1.4.1.1.66.3';
const SPATIAL_REGISTRATION = '1.2.840.10008.5.1.4.1.1.66.1';
const RT_DOSE = '1.2.840.10008.5.1.4.1.1.481.2';

/** Code Values of PS3.16 Annex D. */
const SOURCE_IMAGE_FOR_SEGMENTATION = '121233';

function namesSources(path: readonly number[]): boolean {
  return path.includes(Tag.ReferencedSeriesSequence) || path.at(-1) === Tag.SourceImageSequence;
}

function isImageReference(path: readonly number[]): boolean {
  return path.at(-1) === Tag.ReferencedImageSequence || SERIES_SEQUENCES.has(path.at(-1) ?? 0);
}

/** Sequences whose items name a series; the instances may be omitted. */
export const SERIES_SEQUENCES: ReadonlySet<number> = new Set([
  Tag.ReferencedSeriesSequence,
  Tag.RTReferencedSeriesSequence,
  Tag.AdvancedBlendingSequence,
]);

function presentedImage({ sopClassUid, path }: ReferencePlace): Relationship {
  if (!isImageReference(path)) return 'unknown';
  if (sopClassUid === BLENDING_STATE || path.includes(Tag.BlendingSequence)) return 'blending_source';
  if (sopClassUid === ADVANCED_BLENDING_STATE || path.includes(Tag.AdvancedBlendingSequence)) return 'blending_input';
  return 'source_image';
}

function registeredImage({ sopClassUid, path, registrationItem }: ReferencePlace): Relationship {
  if (sopClassUid === SPATIAL_REGISTRATION) {
    if (registrationItem === undefined || !isImageReference(path)) return 'unknown';
    return registrationItem === 0 ? 'registered_target' : 'moving_source';
  }
  if (sopClassUid !== DEFORMABLE_REGISTRATION) return 'unknown';
  if (path.includes(Tag.DeformableRegistrationSequence)) return 'deformation_source';
  return path.includes(Tag.ReferencedSeriesSequence) ? 'registered_target' : 'unknown';
}

function therapyObject({ sopClassUid, path }: ReferencePlace): Relationship {
  if (path.includes(Tag.DefinitionSourceSequence)) return 'definition_source';
  const sequence = path.at(-1) ?? 0;
  if (sequence === Tag.ReferencedStructureSetSequence && sopClassUid === RT_DOSE) return 'source_structure_set';
  return IN_THERAPY.get(sequence) ?? 'unknown';
}

const IN_THERAPY: ReadonlyMap<number, Relationship> = new Map([
  [Tag.ReferencedRTRadiationSequence, 'referenced_rt_radiation'],
  [Tag.ReferencedRTPlanSequence, 'referenced_rt_plan'],
  [Tag.ReferencedStructureSetSequence, 'referenced_structure_set'],
  [Tag.ReferencedDoseSequence, 'referenced_dose'],
  [Tag.ContourImageSequence, 'source_image'],
  [Tag.ReferencedImageSequence, 'source_image'],
  [Tag.SourceImageSequence, 'source_image'],
  [Tag.RTReferencedSeriesSequence, 'source_image'],
]);

function keyObject(place: ReferencePlace): Relationship {
  if (isSegmentation(place.targetSopClassUid)) return 'key_object_segmentation';
  return isReportedImage(place) ? 'source_image' : 'unknown';
}

function reportedObject(place: ReferencePlace): Relationship {
  const { content, targetSopClassUid } = place;
  if (!isReportedImage(place)) return 'unknown';
  if (isSegmentation(targetSopClassUid)) return 'referenced_segment';
  if (content?.concept === SOURCE_IMAGE_FOR_SEGMENTATION) return 'source_image_for_segmentation';
  return content?.isMeasured === true ? 'source_of_measurement' : 'source_image';
}

/** An image named by a report or its evidence, but not its presentation state, nor an earlier report. */
function isReportedImage({ path, content, targetSopClassUid = '' }: ReferencePlace): boolean {
  if (content === undefined && !isEvidence(path)) return false;
  const kind = KIND_OF_SOP_CLASS.get(targetSopClassUid);
  if (kind !== undefined) return !NO_IMAGES.has(kind);
  // Some writers leave the class empty. The presentation state of an image is one level below it.
  return content?.valueType === 'IMAGE' && path.at(-2) !== Tag.ReferencedSOPSequence;
}

const NO_IMAGES: ReadonlySet<SopClassKind> = new Set<SopClassKind>([
  'real_world_value_mapping',
  'presentation_state',
  'registration',
  'structured_report',
  'key_object_selection',
  'waveform',
  'encapsulated_document',
  'unknown',
]);

function isSegmentation(sopClassUid: string | undefined): boolean {
  return KIND_OF_SOP_CLASS.get(sopClassUid ?? '') === 'segmentation';
}

function ofAnyObject({ path }: ReferencePlace): Relationship {
  return path.at(-1) === Tag.SourceImageSequence ? 'source_image' : 'unknown';
}

const RULES: { readonly [kind in SopClassKind]?: (place: ReferencePlace) => Relationship } = {
  segmentation: ({ path }) => (namesSources(path) ? 'source_image_for_segmentation' : 'unknown'),
  parametric_map: ({ path }) => (namesSources(path) ? 'source_image' : 'unknown'),
  real_world_value_mapping: ({ path }) =>
    namesSources(path) || path.includes(Tag.ReferencedImageRealWorldValueMappingSequence) ? 'source_image' : 'unknown',
  presentation_state: presentedImage,
  registration: registeredImage,
  radiation_therapy: therapyObject,
  key_object_selection: keyObject,
  structured_report: reportedObject,
};
