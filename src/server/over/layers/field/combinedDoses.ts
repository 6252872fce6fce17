import { mappingUnavailable, ViewerError } from '../../../../shared/contract/errors.ts';
import { RT_DOSE_STORAGE } from '../../../../shared/contract/layers.ts';
import type { FieldItem } from '../../../../shared/fieldPacket.ts';
import type { DicomFile } from '../../../images/catalog/dicomFile.ts';
import type { DoseRecord } from '../../../images/semantics/doseRecord.ts';
import { readDoseTask } from '../../../images/semantics/semanticTasks.ts';
import type { KnownVolume } from '../../../images/volumes/volumeMemory.ts';
import type { WorkInTurns } from '../../../machine/workers/doInTurns.ts';
import type { LayerOptions, LayersInput } from '../layerProvider.ts';

/** A dose in Gray that is a volume. */
export type DescribedDose = { readonly dose: DicomFile; readonly record: DoseRecord; readonly volume: KnownVolume };

/** Throws for what is no dose in Gray: its values can be neither measured nor combined with those of others. */
export async function describeDose(
  { tasks, volumes }: Pick<LayersInput, 'tasks' | 'volumes'>,
  dose: DicomFile,
  options: LayerOptions,
): Promise<DescribedDose> {
  if (dose.sopClassUid !== RT_DOSE_STORAGE) throw new ViewerError('bad_request', `file ${dose.index} is no dose`);
  const record = await tasks.run(readDoseTask, dose.source, { of: dose, signal: options.signal });
  requireGray(record);
  if (!dose.hasPixels) throw new ViewerError('no_pixel_data', 'the dose has no grid');
  const { volume, refusal } = await volumes.describe({ fileIndex: dose.index }, options);
  if (volume === undefined) throw new ViewerError('volume_unavailable', `the dose is no volume: ${refusal.message}`);
  return { dose, record, volume };
}

function notAbsolute(reason: string): ViewerError {
  return new ViewerError('dose_not_absolute', `the dose cannot be measured: ${reason}`);
}

function requireGray({ doseUnits, doseType, doseGridScaling }: DoseRecord): void {
  if (doseGridScaling === undefined) throw notAbsolute('it has no valid Dose Grid Scaling');
  if (doseUnits !== 'GY') throw notAbsolute('it is relative, and the object does not say to which dose');
  if (doseType === 'ERROR') throw notAbsolute('its values are the difference between two doses');
}

/** What is known of the sum or difference of doses. Throws for doses that cannot be combined. */
export function requireCombinable(doses: readonly DescribedDose[]): Pick<DescribedDose, 'record' | 'volume'> {
  const [first, ...others] = doses;
  if (first === undefined) throw new Error('no dose');
  const files = doses.map(({ dose }) => dose.index);
  if (new Set(files).size < files.length) throw new ViewerError('bad_request', 'a dose is combined with itself');
  for (const { dose, record, volume } of others) {
    const own = volume.frameOfReferenceUid;
    if (own === undefined || own !== first.volume.frameOfReferenceUid) {
      const message = `the doses of files ${first.dose.index} and ${dose.index} are in different frames of reference`;
      throw mappingUnavailable(message);
    }
    if (record.doseType !== first.record.doseType) {
      const message = `that of file ${dose.index} is of another type than that of file ${first.dose.index}`;
      throw notAbsolute(message);
    }
  }
  const summations = new Set(doses.map(({ record }) => record.doseSummationType));
  const record = { ...first.record, ...(summations.size > 1 && { doseSummationType: undefined }) };
  return { record, volume: first.volume };
}

/** Adds the values of an item, or subtracts them; NaN where one of both is unknown. Both have the same grid. */
export function* addValues(values: Float64Array, item: FieldItem, sign: 1 | -1): WorkInTurns<void> {
  const { samples, scale, offset, missing, columns } = item;
  for (let start = 0; start < values.length; start += columns) {
    for (let at = start; at < start + columns; at += 1) {
      const sample = samples[at]!;
      const isKnown = missing === undefined || sample < missing.low || sample > missing.high;
      values[at]! += isKnown ? sign * (sample * scale + offset) : NaN;
    }
    yield;
  }
}
