import { RT_DOSE_STORAGE } from '../../../../shared/contract/layers.ts';
import { toDoseUnit } from '../../../../shared/modalityUnit.ts';
import type { DicomFile } from '../../../images/catalog/dicomFile.ts';
import type { FileReferences } from '../../../images/references/references.ts';
import type { DoseRecord } from '../../../images/semantics/doseRecord.ts';
import { readDoseTask } from '../../../images/semantics/semanticTasks.ts';
import { doInTurns, type WorkInTurns } from '../../../machine/workers/doInTurns.ts';
import type { DescribedField, LayerOptions, LayersInput, LayerWarning, ReferenceValue } from '../layerProvider.ts';
import { type PlanRecord, readPrescriptionTask } from './fieldTasks.ts';

/** RT Plan Storage and RT Ion Plan Storage. */
const PLANS: ReadonlySet<string> = new Set(['1.2.840.10008.5.1.4.1.1.481.5', '1.2.840.10008.5.1.4.1.1.481.8']);
/** In percent of a prescription, and of the highest dose. */
const OF_PRESCRIPTION = [110, 105, 100, 95, 90, 80, 70, 50, 30];
const OF_MAXIMUM = [95, 90, 80, 70, 50, 30, 10];

export type FieldFacts = {
  readonly field: DescribedField;
  readonly warnings: readonly LayerWarning[];
  readonly about: string | undefined;
};

/** What the values of a dose grid mean, and what 100 % is. */
export function createDoseFacts({ tasks, references }: Pick<LayersInput, 'tasks' | 'references'>) {
  return {
    /** Of a volume that is no dose: what is known already. */
    async describe(file: DicomFile, plain: DescribedField, options: LayerOptions): Promise<FieldFacts> {
      if (file.sopClassUid !== RT_DOSE_STORAGE) return { field: plain, warnings: [], about: undefined };
      const record = await tasks.run(readDoseTask, file.source, optionsOf(file, options));
      const isGray = record.doseUnits === 'GY' && record.doseGridScaling !== undefined;
      const planFile = await doInTurns(findPlan(await references.read(file, options)), options.signal);
      const plan = planFile && (await tasks.run(readPrescriptionTask, planFile.source, optionsOf(planFile, options)));
      const prescribed = isGray && plan !== undefined ? toReferences(plan, planFile!, record) : [];
      const highest = plain.range?.[1];
      const maximum: ReferenceValue[] =
        highest === undefined || !(highest > 0)
          ? []
          : [{ value: highest, source: 'maximum', file: undefined, label: 'maximum of the dose' }];
      const found = [...prescribed, ...maximum];
      return {
        field: {
          ...plain,
          unit: record.doseGridScaling === undefined ? '' : toDoseUnit(record),
          unitKind: isGray ? 'gy' : record.doseGridScaling === undefined ? 'stored' : 'relative',
          references: found,
          ...(planFile && { plan: { file: planFile, label: plan?.label } }),
          levels: listLevels(found[0]),
        },
        warnings: listDoseWarnings(record),
        about: nameDose(record, plan?.beams ?? []),
      };
    },
  };
}

function optionsOf(file: DicomFile, { signal }: LayerOptions) {
  return { of: file, signal };
}

/** Example: `physical dose of a beam: Left lateral`. */
function nameDose({ doseType, doseSummationType, beams }: DoseRecord, named: PlanRecord['beams']): string {
  const type = doseType === undefined ? 'dose' : `${doseType.toLowerCase()} dose`;
  const names = named.filter(({ number }) => beams.includes(number)).map(({ name }) => name);
  const kind = doseSummationType === undefined ? undefined : SUMMATIONS.get(doseSummationType);
  const of = kind === undefined || names.length === 0 ? kind : `${kind}: ${names.join(', ')}`;
  return of === undefined ? type : `${type} of ${of}`;
}

/** Dose Summation Type, PS3.3 C.8.8.3. */
const SUMMATIONS: ReadonlyMap<string, string> = new Map([
  ['PLAN', 'a plan'],
  ['MULTI_PLAN', 'several plans'],
  ['PLAN_OVERVIEW', 'several plans'],
  ['FRACTION', 'a fraction'],
  ['BEAM', 'a beam'],
  ['BRACHY', 'an application of brachytherapy'],
  ['FRACTION_SESSION', 'a session'],
  ['BEAM_SESSION', 'a beam in a session'],
  ['BRACHY_SESSION', 'an application in a session'],
  ['CONTROL_POINT', 'a control point'],
  ['RECORD', 'a treatment record'],
]);

/** The highest prescription first. The dose of a beam or an application is only a part of what is prescribed. */
function toReferences(plan: PlanRecord, file: DicomFile, { doseSummationType, doseType }: DoseRecord) {
  const parts = doseSummationType === 'FRACTION' ? plan.fractions : doseSummationType === 'PLAN' ? 1 : undefined;
  if (parts === undefined || doseType === 'ERROR') return [];
  const ofPlan = plan.label === undefined ? 'the plan' : `plan ${plan.label}`;
  const ofFraction = doseSummationType === 'FRACTION' ? ' for one fraction' : '';
  return plan.prescriptions
    .toSorted((a, b) => b.doseGy - a.doseGy)
    .map(({ doseGy, description }): ReferenceValue => {
      const ofTarget = description === undefined ? '' : `, ${description}`;
      const label = `target prescription of ${ofPlan}${ofTarget}${ofFraction}`;
      return { value: doseGy / parts, source: 'target_prescription', file, label };
    });
}

function listLevels(reference: ReferenceValue | undefined): number[] {
  if (reference === undefined) return [];
  const percents = reference.source === 'maximum' ? OF_MAXIMUM : OF_PRESCRIPTION;
  return percents.map((percent) => Number(((percent * reference.value) / 100).toPrecision(12)));
}

/** What must be said about the values of a dose. */
export function listDoseWarnings({
  doseUnits,
  doseType,
  doseGridScaling,
}: Pick<DoseRecord, 'doseUnits' | 'doseType' | 'doseGridScaling'>): LayerWarning[] {
  if (doseGridScaling === undefined) {
    return [{ code: 'dose_not_scaled', message: 'the object has no valid Dose Grid Scaling, so values are as stored' }];
  }
  if (doseUnits === undefined) {
    return [
      { code: 'dose_not_absolute', message: 'the object has no Dose Units, so the unit of its values is unknown' },
    ];
  }
  if (doseUnits !== 'GY') {
    return [{ code: 'dose_not_absolute', message: 'values are relative, and the object does not say to which dose' }];
  }
  if (doseType === 'EFFECTIVE') {
    return [{ code: 'dose_effective', message: 'values are an effective dose, corrected for biological effect' }];
  }
  return doseType === 'ERROR' ? [{ code: 'dose_error', message: 'values are the difference between two doses' }] : [];
}

/** The open plan that a dose was computed for. */
function* findPlan(references: FileReferences): WorkInTurns<DicomFile | undefined> {
  for (const file of references.openFiles()) {
    if (file !== undefined && PLANS.has(file.sopClassUid)) return file;
    yield;
  }
  return undefined;
}
