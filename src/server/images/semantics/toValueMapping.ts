import type {
  ModalityMapping,
  RealWorldTransform,
  RealWorldValues,
  ValueMappingResponse,
} from '../../../shared/contract/valueMapping.ts';
import { type DeclaredValues, listCaveats, listFrameReadings } from '../../../shared/listFrameReadings.ts';
import type { LookupTable } from '../../../shared/lookupTable.ts';
import { toDoseUnit } from '../../../shared/modalityUnit.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import type { RealWorldMapping } from './parametricMapRecord.ts';
import type { FrameValueMapping } from './valueMappings.ts';

/** What a frame and others declare about its values, in the words of the contract. */
export function toDeclared(values: FrameValueMapping): DeclaredValues & Pick<ValueMappingResponse, 'voi_lut'> {
  return {
    modality: toModality(values),
    real_world: [
      ...values.embedded.map((mapping) => toRealWorld(mapping, { source: 'real_world_value_mapping', file: null })),
      ...toDose(values),
      ...values.referenced.map((mapping) =>
        toRealWorld(mapping, { source: 'rwvm_instance', file: mapping.sourceFile.index }),
      ),
    ],
    pet: values.pet ?? null,
    voi_lut: toVoiLut(values),
  };
}

/** Decides how the values are read by default, and says what contradicts it. */
export function decideReading(
  declared: DeclaredValues,
  { modality }: Pick<DicomFile, 'modality'>,
): Pick<ValueMappingResponse, 'default_reading' | 'caveats'> {
  const readings = listFrameReadings({ mapping: declared, modality });
  const { kind, index = null, reading } = readings[0]!;
  return { default_reading: { kind, index, unit: reading.unit }, caveats: listCaveats(readings, declared) };
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
    unit_label: mapping.units?.meaning || mapping.units?.value || '',
    units: mapping.units ?? null,
    quantity: mapping.quantity ?? null,
    in_stack: null,
  };
}

function toTransform({ lutData, slope = 1, intercept = 0 }: RealWorldMapping): RealWorldTransform {
  return lutData.length > 0 ? { kind: 'lut', values: [...lutData] } : { kind: 'linear', slope, intercept };
}

function toDose({ dose }: FrameValueMapping): RealWorldValues[] {
  if (dose?.doseGridScaling === undefined) return [];
  const { doseGridScaling: slope } = dose;
  return [
    {
      source: 'dose_grid_scaling',
      source_file_index: null,
      label: null,
      first_value_mapped: null,
      last_value_mapped: null,
      transform: { kind: 'linear', slope, intercept: 0 },
      unit_label: toDoseUnit(dose),
      units: null,
      quantity: null,
      in_stack: 'same',
    },
  ];
}
