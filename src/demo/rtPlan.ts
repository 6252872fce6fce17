import type { DataSetInput } from '../server/dicom/writeDicom.ts';
import { instanceReference } from './references.ts';
import { RT_STRUCTURE_SET_STORAGE, STRUCTURE_SET_INSTANCE_UID } from './rtStructureSet.ts';
import { commonElements, frameOfReference, instanceUid, type DemoSeries, STUDY_DATE } from './studyElements.ts';

export const RT_PLAN_STORAGE = '1.2.840.10008.5.1.4.1.1.481.5';
const PLAN_SERIES: DemoSeries = {
  number: 10,
  modality: 'RTPLAN',
  description: 'Five fields on the largest lesion',
  time: '104000',
};
export const PLAN_INSTANCE_UID = instanceUid(PLAN_SERIES, 1);

/** What is prescribed to the largest lesion, in Gray. */
export const PRESCRIBED_GY = 50;

/** States on which structures the dose was planned, and what is prescribed; it contains no beams. */
export function rtPlan(): DataSetInput {
  return {
    ...commonElements(PLAN_SERIES, RT_PLAN_STORAGE, 1),
    ...frameOfReference(),
    ContentDate: undefined,
    ContentTime: undefined,
    OperatorsName: '',
    RTPlanLabel: 'FIVE FIELDS',
    RTPlanName: 'Five fields',
    RTPlanDate: STUDY_DATE,
    RTPlanTime: PLAN_SERIES.time,
    RTPlanGeometry: 'PATIENT',
    PlanIntent: 'RESEARCH',
    ApprovalStatus: 'UNAPPROVED',
    DoseReferenceSequence: [
      {
        DoseReferenceNumber: 1,
        DoseReferenceStructureType: 'VOLUME',
        DoseReferenceDescription: 'Largest lesion',
        DoseReferenceType: 'TARGET',
        TargetPrescriptionDose: PRESCRIBED_GY,
      },
    ],
    ReferencedStructureSetSequence: [
      instanceReference({ sopClassUid: RT_STRUCTURE_SET_STORAGE, sopInstanceUid: STRUCTURE_SET_INSTANCE_UID }),
    ],
  };
}
