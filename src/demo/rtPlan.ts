import type { DataSetInput } from '../server/standard/dicom/writeDicom.ts';
import { GANTRY_DEGREES, HALF_FIELD_MM, ISOCENTER, isocenterDoseGy, PRESCRIBED_GY } from './fields.ts';
import { instanceReference } from './references.ts';
import { roiNumberOf, STRUCTURE_SET } from './rtStructureSet.ts';
import { DEMO_SERIES, commonElements, frameOfReference, instanceUid, STUDY_DATE } from './studyElements.ts';

export const PLAN = {
  sopClassUid: '1.2.840.10008.5.1.4.1.1.481.5',
  sopInstanceUid: instanceUid(DEMO_SERIES.plan, 1),
};

export const FRACTIONS = 25;
/** What the machine gives at the isocenter for one monitor unit. */
const GY_PER_MU = 0.008;

const LEAF_PAIRS = 40;
const LEAF_MM = 5;

/** The plan of the dose: five open fields of 5 by 5 cm, on which structures, and what is prescribed. */
export function rtPlan(): DataSetInput {
  const beamDose = round(isocenterDoseGy() / FRACTIONS / GANTRY_DEGREES.length);
  return {
    ...commonElements(DEMO_SERIES.plan, PLAN.sopClassUid, 1),
    ...frameOfReference(),
    ContentDate: undefined,
    ContentTime: undefined,
    OperatorsName: '',
    RTPlanLabel: 'FIVE FIELDS',
    RTPlanName: 'Five fields',
    RTPlanDescription: 'Five static photon fields on the largest lesion of the liver',
    RTPlanDate: STUDY_DATE,
    RTPlanTime: DEMO_SERIES.plan.time,
    RTPlanGeometry: 'PATIENT',
    PlanIntent: 'RESEARCH',
    ApprovalStatus: 'UNAPPROVED',
    PrescriptionDescription: `${PRESCRIBED_GY} Gy in ${FRACTIONS} fractions`,
    DoseReferenceSequence: [
      {
        DoseReferenceNumber: 1,
        DoseReferenceStructureType: 'VOLUME',
        DoseReferenceDescription: 'Largest lesion',
        DoseReferenceType: 'TARGET',
        ReferencedROINumber: roiNumberOf('GTV'),
        TargetPrescriptionDose: PRESCRIBED_GY,
      },
      organAtRisk(2, 'Spinal canal', 45),
      organAtRisk(3, 'Liver', 54),
    ],
    ToleranceTableSequence: [
      {
        ToleranceTableNumber: 1,
        ToleranceTableLabel: 'BODY',
        GantryAngleTolerance: 1,
        BeamLimitingDeviceAngleTolerance: 1,
        PatientSupportAngleTolerance: 1,
        BeamLimitingDeviceToleranceSequence: ['ASYMX', 'ASYMY', 'MLCX'].map((type) => ({
          BeamLimitingDevicePositionTolerance: 2,
          RTBeamLimitingDeviceType: type,
        })),
      },
    ],
    FractionGroupSequence: [
      {
        FractionGroupNumber: 1,
        NumberOfFractionsPlanned: FRACTIONS,
        NumberOfBeams: GANTRY_DEGREES.length,
        NumberOfBrachyApplicationSetups: 0,
        ReferencedBeamSequence: GANTRY_DEGREES.map((_, at) => ({
          BeamDoseSpecificationPoint: ISOCENTER.map(round),
          BeamDose: beamDose,
          BeamMeterset: round(beamDose / GY_PER_MU),
          ReferencedBeamNumber: at + 1,
        })),
      },
    ],
    BeamSequence: GANTRY_DEGREES.map(beam),
    PatientSetupSequence: [{ PatientPosition: 'HFS', PatientSetupNumber: 1, SetupTechnique: 'ISOCENTRIC' }],
    ReferencedStructureSetSequence: [instanceReference(STRUCTURE_SET)],
  };
}

function organAtRisk(number: number, name: string, mostGy: number): DataSetInput {
  return {
    DoseReferenceNumber: number,
    DoseReferenceStructureType: 'VOLUME',
    DoseReferenceDescription: name,
    DoseReferenceType: 'ORGAN_AT_RISK',
    ReferencedROINumber: roiNumberOf(name),
    OrganAtRiskMaximumDose: mostGy,
  };
}

/** A static field: the second control point only says that all of it was given. */
function beam(gantry: number, at: number): DataSetInput {
  return {
    BeamNumber: at + 1,
    BeamName: `Field ${at + 1}`,
    BeamDescription: `Gantry ${gantry}`,
    BeamType: 'STATIC',
    RadiationType: 'PHOTON',
    TreatmentDeliveryType: 'TREATMENT',
    TreatmentMachineName: 'DEMO',
    PrimaryDosimeterUnit: 'MU',
    SourceAxisDistance: 1000,
    NumberOfWedges: 0,
    NumberOfCompensators: 0,
    NumberOfBoli: 0,
    NumberOfBlocks: 0,
    BeamLimitingDeviceSequence: [
      { RTBeamLimitingDeviceType: 'ASYMX', NumberOfLeafJawPairs: 1 },
      { RTBeamLimitingDeviceType: 'ASYMY', NumberOfLeafJawPairs: 1 },
      {
        RTBeamLimitingDeviceType: 'MLCX',
        NumberOfLeafJawPairs: LEAF_PAIRS,
        LeafPositionBoundaries: Array.from({ length: LEAF_PAIRS + 1 }, (_, leaf) => leafEdge(leaf)),
      },
    ],
    FinalCumulativeMetersetWeight: 1,
    NumberOfControlPoints: 2,
    ControlPointSequence: [
      {
        ControlPointIndex: 0,
        CumulativeMetersetWeight: 0,
        NominalBeamEnergy: 6,
        DoseRateSet: 600,
        GantryAngle: gantry,
        GantryRotationDirection: 'NONE',
        BeamLimitingDeviceAngle: 0,
        BeamLimitingDeviceRotationDirection: 'NONE',
        PatientSupportAngle: 0,
        PatientSupportRotationDirection: 'NONE',
        TableTopEccentricAngle: 0,
        TableTopEccentricRotationDirection: 'NONE',
        IsocenterPosition: ISOCENTER.map(round),
        BeamLimitingDevicePositionSequence: [
          { RTBeamLimitingDeviceType: 'ASYMX', LeafJawPositions: [-HALF_FIELD_MM, HALF_FIELD_MM] },
          { RTBeamLimitingDeviceType: 'ASYMY', LeafJawPositions: [-HALF_FIELD_MM, HALF_FIELD_MM] },
          {
            RTBeamLimitingDeviceType: 'MLCX',
            LeafJawPositions: [...leafBank(-HALF_FIELD_MM), ...leafBank(HALF_FIELD_MM)],
          },
        ],
      },
      { ControlPointIndex: 1, CumulativeMetersetWeight: 1 },
    ],
    ReferencedPatientSetupNumber: 1,
    ReferencedToleranceTableNumber: 1,
  };
}

function leafEdge(leaf: number): number {
  return (leaf - LEAF_PAIRS / 2) * LEAF_MM;
}

/** Leaves outside of the field are closed. */
function leafBank(openMm: number): number[] {
  return Array.from({ length: LEAF_PAIRS }, (_, leaf) =>
    Math.abs(leafEdge(leaf) + LEAF_MM / 2) < HALF_FIELD_MM ? openMm : 0,
  );
}

/** A decimal string has no more than 16 characters. */
function round(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}
