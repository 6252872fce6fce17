import type { ValueMappingResponse } from '../../../shared/contract/valueMapping.ts';
import type { ModalityTransform } from '../../../shared/modality.ts';
import type { VoiTable } from '../pixels/presentation/readLookupTables.ts';
import type { DoseRecord } from './doseRecord.ts';
import type { RealWorldMapping, StoredValueType } from './parametricMapRecord.ts';

/** What one frame declares about its stored values. */
export type FrameValueRecord = {
  readonly storedValueType: StoredValueType;
  readonly modality: ModalityTransform;
  /** Rescale Type, or Modality LUT Type. */
  readonly rescaleType: string | undefined;
  readonly mappings: readonly RealWorldMapping[];
  /** Undefined for an object that is not a dose, or does not declare its scaling. */
  readonly dose: Pick<DoseRecord, 'doseGridScaling' | 'doseUnits' | 'doseType'> | undefined;
  /** Undefined for an image that is no PET. */
  readonly pet: NonNullable<ValueMappingResponse['pet']> | undefined;
  readonly voiLut: VoiTable | undefined;
};

export function bytesOfValueRecord({ modality, mappings, voiLut, pet }: FrameValueRecord): number {
  const tables =
    (modality.kind === 'lut' ? modality.table.entries.byteLength : 0) + (voiLut?.table.entries.byteLength ?? 0);
  return mappings.reduce(
    (sum, { lutData }) => sum + lutData.length * 8 + BYTES_A_MAPPING,
    tables + (pet ? BYTES_A_PET : 0),
  );
}

const BYTES_A_MAPPING = 512;
/** The inputs of an uptake value, as texts. */
const BYTES_A_PET = 4_096;
