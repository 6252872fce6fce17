import type { LookupTable } from '../../../shared/lookupTable.ts';
import type { Code } from '../../../shared/contract/semantics.ts';
import type {
  ModalityMapping,
  RealWorldTransform,
  RealWorldValues,
  ValueMappingResponse,
} from '../../../shared/contract/valueMapping.ts';
import type { RealWorldMapping } from '../../semantics/parametricMapRecord.ts';
import type { FrameValueMapping } from '../../semantics/valueMappings.ts';
import { closeObject, openObject, writeArray } from '../../workers/jsonPieces.ts';
import { parsePathNumber } from '../parseRequest.ts';
import { sendJsonTexts } from '../sendJson.ts';
import type { Handler, ServerContext } from '../serverContext.ts';

export function valueMappingRoutes({ catalog, semantics }: ServerContext) {
  const valueMapping: Handler = async (c) => {
    const index = parsePathNumber(c, 'index');
    const frame = parsePathNumber(c, 'frame');
    const mapping = await semantics.values(catalog.get(index), frame, { signal: c.signal });
    return sendJsonTexts(c, writeResponse({ index, frame }, mapping));
  };
  return { valueMapping };
}

/** Each lookup table is sent in a separate piece, because it can have 65,536 values. */
function* writeResponse(
  { index, frame }: { index: number; frame: number },
  values: FrameValueMapping,
): Generator<string> {
  const around: Omit<ValueMappingResponse, 'real_world' | 'voi_lut'> = {
    file_index: index,
    frame_index: frame,
    stored_value_type: values.storedValueType,
    modality: toModality(values),
  };
  const realWorld = [
    ...values.embedded.map((mapping) => toRealWorld(mapping, { source: 'real_world_value_mapping', file: null })),
    ...toDose(values),
    ...values.referenced.map((mapping) =>
      toRealWorld(mapping, { source: 'rwvm_instance', file: mapping.sourceFile.index }),
    ),
  ];
  yield `${openObject(around)},"real_world":`;
  yield* writeArray(realWorld, (each) => JSON.stringify(each));
  yield closeObject({ voi_lut: toVoiLut(values) });
}

function toModality({ modality, rescaleType }: FrameValueMapping): ModalityMapping {
  const rescale = modality.kind === 'rescale' ? modality : { slope: 1, intercept: 0 };
  return {
    rescale_slope: rescale.slope,
    rescale_intercept: rescale.intercept,
    rescale_type: rescaleType ?? null,
    lut: modality.kind === 'lut' ? toLut(modality.table) : null,
  };
}

function toVoiLut({ voiLut }: FrameValueMapping): ValueMappingResponse['voi_lut'] {
  return voiLut === undefined ? null : { ...toLut(voiLut.table), explanation: voiLut.explanation ?? null };
}

function toLut({ firstValue, entries }: LookupTable): { first_value_mapped: number; values: number[] } {
  return { first_value_mapped: firstValue, values: [...entries] };
}

function toRealWorld(
  mapping: RealWorldMapping,
  { source, file }: { source: RealWorldValues['source']; file: number | null },
): RealWorldValues {
  return {
    source,
    source_file_index: file,
    label: mapping.label ?? null,
    first_value_mapped: mapping.firstValueMapped ?? null,
    last_value_mapped: mapping.lastValueMapped ?? null,
    transform: toTransform(mapping),
    unit_label: labelUnits(mapping.units),
    units: mapping.units ?? null,
    quantity: mapping.quantity ?? null,
  };
}

function toTransform({ lutData, slope = 1, intercept = 0 }: RealWorldMapping): RealWorldTransform {
  return lutData.length > 0 ? { kind: 'lut', values: [...lutData] } : { kind: 'linear', slope, intercept };
}

function labelUnits(units: Code | undefined): string {
  return units?.meaning || units?.value || '';
}

/** Defined terms of Dose Units (3004,0002). */
const DOSE_UNITS: Readonly<Record<string, string>> = { GY: 'Gy', RELATIVE: 'relative' };

function toDose({ dose }: FrameValueMapping): RealWorldValues[] {
  if (dose?.doseGridScaling === undefined) return [];
  const { doseGridScaling: slope, doseUnits = '' } = dose;
  return [
    {
      source: 'dose_grid_scaling',
      source_file_index: null,
      label: null,
      first_value_mapped: null,
      last_value_mapped: null,
      transform: { kind: 'linear', slope, intercept: 0 },
      unit_label: DOSE_UNITS[doseUnits] ?? doseUnits,
      units: null,
      quantity: null,
    },
  ];
}
