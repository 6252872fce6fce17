import type {
  Overlay,
  WireParametricMapContext,
  WireRealWorldMapping,
  RtDoseContext,
  Segment,
  WireSegmentationContext,
  SegmentationFrameMapping,
} from '../../../../shared/contract/semantics.ts';
import type { DicomFile } from '../../../images/catalog/dicomFile.ts';
import {
  createFrameReader,
  type MappedFrame,
  type SegmentationContext,
  type ShownSegment,
} from '../../../over/layers/segmentation/segmentationContext.ts';
import type {
  DoseContext,
  FoundMapping,
  OverlayEligibility,
  ParametricMapContext,
  SemanticContext,
} from '../../../images/semantics/semantics.ts';
import { openObject, writeArray } from '../../../machine/workers/jsonPieces.ts';
import { parsePathNumber } from '../parseRequest.ts';
import { sendJsonTexts } from '../sendJson.ts';
import type { Handler, ServerContext } from '../serverContext.ts';
import { writeReferences } from './writeReferences.ts';

const NOT_CLINICAL = 'for inspection only: this dose must not be used to plan, approve or deliver a treatment';

export function semanticRoutes({ catalog, semantics, layers }: ServerContext) {
  const semanticContext: Handler = async (c) => {
    const file = catalog.get(parsePathNumber(c, 'index'));
    const options = { signal: c.signal };
    const context = (await layers.segmentation.context(file, options)) ?? (await semantics.read(file, options));
    return sendJsonTexts(c, writeResponse(file, context));
  };
  return { semanticContext };
}

function* writeResponse({ index }: DicomFile, context: SegmentationContext | SemanticContext): Generator<string> {
  const around = {
    source_file_index: index,
    default_mode: 'pixel_preview',
    pixel_preview_preserves_stored_values: true,
  };
  yield `${openObject(around)},"context":`;
  switch (context.kind) {
    case 'segmentation':
      yield* writeSegmentation(context);
      break;
    case 'parametric_map':
      yield* writeWithReferences(toParametricMap(context), 'source_references', context);
      break;
    case 'rt_dose':
      yield* writeWithReferences(toDose(context), 'references', context);
      break;
    case 'not_applicable':
      yield JSON.stringify(context);
      break;
  }
  yield '}';
}

/** Everything except the two long lists is sent in one piece. */
function* writeSegmentation(context: SegmentationContext): Generator<string> {
  const { record, mappings } = context;
  const around: Omit<WireSegmentationContext, 'frame_mappings' | 'references'> = {
    kind: 'segmentation',
    segmentation_type: record.segmentationType ?? null,
    segmentation_fractional_type: record.fractionalType ?? null,
    maximum_fractional_value: record.maximumFractionalValue ?? null,
    segments: context.segments.map(toSegment),
    overlay: toOverlay(context.overlay),
    warnings: [...context.warnings],
  };
  const readFrame = createFrameReader(context);
  yield `${openObject(around)},"frame_mappings":`;
  yield* writeArray(mappings.statuses.keys(), (frame) => JSON.stringify(toFrameMapping(frame, readFrame(frame))));
  yield ',"references":';
  yield* writeReferences(context.references);
  yield '}';
}

function* writeWithReferences(
  around: object,
  name: 'references' | 'source_references',
  { references }: Pick<ParametricMapContext, 'references'>,
): Generator<string> {
  yield `${openObject(around)},"${name}":`;
  yield* writeReferences(references);
  yield '}';
}

export function toSegment(segment: ShownSegment): Segment {
  const { recommendedCielab } = segment;
  return {
    number: segment.number,
    label: segment.label ?? null,
    description: segment.description ?? null,
    property_category: segment.propertyCategory ?? null,
    property_type: segment.propertyType ?? null,
    algorithm_type: segment.algorithmType ?? null,
    algorithm_name: segment.algorithmName ?? null,
    recommended_display_cielab: recommendedCielab === undefined ? null : [...recommendedCielab],
    recommended_display_grayscale: segment.recommendedGrayscale ?? null,
    display_color: [...segment.color],
    display_color_source: segment.colorSource,
  };
}

function toFrameMapping(frame: number, mapped: MappedFrame): SegmentationFrameMapping {
  return {
    frame_index: frame,
    segment_number: mapped.segmentNumber ?? null,
    source_sop_instance_uid: mapped.sopInstanceUid ?? null,
    source_frame_numbers: [...mapped.frameNumbers],
    source_file_indices: mapped.files.map(({ index }) => index),
    source_frames: mapped.sourceFrames.map(({ file, frame: sourceFrame }) => ({
      file_index: file.index,
      frame_index: sourceFrame,
      sop_instance_uid: file.sopInstanceUid,
    })),
    mapping_method: mapped.method ?? null,
    mapping_status: mapped.status,
    mapping_reason: mapped.reason,
  };
}

export function toOverlay({ eligible, reason, sourceFile, mappedSourceCount }: OverlayEligibility): Overlay {
  return { eligible, reason, source_file_index: sourceFile?.index ?? null, mapped_source_count: mappedSourceCount };
}

function toParametricMap(context: ParametricMapContext): Omit<WireParametricMapContext, 'source_references'> {
  return {
    kind: 'parametric_map',
    stored_value_type: context.storedValueType,
    displayed_value_kind: 'stored_value',
    mappings: context.mappings.map(toMapping),
    mapping_status: context.mappingStatus,
    warnings: [...context.warnings],
    overlay: toOverlay(context.overlay),
  };
}

function toMapping(mapping: FoundMapping): WireRealWorldMapping {
  return {
    source: mapping.source,
    source_sop_instance_uid: mapping.sourceFile?.sopInstanceUid ?? null,
    label: mapping.label ?? null,
    first_value_mapped: mapping.firstValueMapped ?? null,
    last_value_mapped: mapping.lastValueMapped ?? null,
    slope: mapping.slope ?? null,
    intercept: mapping.intercept ?? null,
    lut_data: [...mapping.lutData],
    lut_data_truncated: mapping.lutDataTruncated,
    units: mapping.units ?? null,
    quantity: mapping.quantity ?? null,
    derivation: mapping.derivation ?? null,
  };
}

function toDose({ record, overlay }: DoseContext): Omit<RtDoseContext, 'references'> {
  return {
    kind: 'rt_dose',
    dose_grid_scaling: record.doseGridScaling ?? null,
    scaling_status: record.doseGridScaling === undefined ? 'missing_or_malformed' : 'available',
    displayed_value_kind: 'stored_value',
    dose_units: record.doseUnits ?? null,
    dose_type: record.doseType ?? null,
    dose_summation_type: record.doseSummationType ?? null,
    geometry: {
      frame_of_reference_uid: record.frameOfReferenceUid ?? null,
      image_position_patient: toList(record.imagePosition),
      image_orientation_patient: toList(record.imageOrientation),
      pixel_spacing: toList(record.pixelSpacing),
      grid_frame_offsets: [...record.gridFrameOffsets],
    },
    overlay: toOverlay(overlay),
    clinical_use_warning: NOT_CLINICAL,
  };
}

function toList(numbers: readonly number[] | undefined): number[] | null {
  return numbers === undefined ? null : [...numbers];
}
