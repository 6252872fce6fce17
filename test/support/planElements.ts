import type { DataSetInput } from '../../src/server/standard/dicom/writeDicom.ts';

type PlanChanges = {
  /** Of the leaves: what the beam declares, and the positions at its first control point. */
  readonly device?: DataSetInput;
  readonly positions?: DataSetInput;
  readonly elements?: DataSetInput;
};

function leaves(values: readonly string[], changes: DataSetInput = {}): DataSetInput {
  return { RTBeamLimitingDeviceType: 'MLCX', LeafJawPositions: [...values], ...changes };
}

/** A plan of 30 fractions: an arc of two pairs of leaves that treats, and a beam for a setup image. */
export function planElements({ device = {}, positions = {}, elements = {} }: PlanChanges = {}): DataSetInput {
  return {
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.481.5',
    SOPInstanceUID: '2.25.700',
    Modality: 'RTPLAN',
    RTPlanLabel: 'ARC',
    RTPlanGeometry: 'PATIENT',
    ApprovalStatus: 'APPROVED',
    DoseReferenceSequence: [
      {
        DoseReferenceNumber: '1',
        DoseReferenceStructureType: 'VOLUME',
        DoseReferenceDescription: 'PTV',
        DoseReferenceType: 'TARGET',
        TargetPrescriptionDose: '60',
      },
    ],
    FractionGroupSequence: [
      {
        FractionGroupNumber: '1',
        NumberOfFractionsPlanned: '30',
        NumberOfBeams: '2',
        NumberOfBrachyApplicationSetups: '0',
        ReferencedBeamSequence: [
          { ReferencedBeamNumber: '1', BeamDose: '2', BeamMeterset: '200' },
          { ReferencedBeamNumber: '2' },
        ],
      },
    ],
    BeamSequence: [
      {
        BeamNumber: '1',
        BeamName: 'Arc',
        BeamType: 'DYNAMIC',
        RadiationType: 'PHOTON',
        TreatmentDeliveryType: 'TREATMENT',
        TreatmentMachineName: 'LINAC',
        PrimaryDosimeterUnit: 'MU',
        BeamLimitingDeviceSequence: [
          { RTBeamLimitingDeviceType: 'ASYMX', NumberOfLeafJawPairs: '1' },
          {
            RTBeamLimitingDeviceType: 'MLCX',
            NumberOfLeafJawPairs: '2',
            LeafPositionBoundaries: ['-10', '0', '10'],
            ...device,
          },
        ],
        FinalCumulativeMetersetWeight: '4',
        NumberOfControlPoints: '3',
        ControlPointSequence: [
          {
            ControlPointIndex: '0',
            NominalBeamEnergy: '6',
            GantryAngle: '181',
            GantryRotationDirection: 'CW',
            IsocenterPosition: ['0', '0', '0'],
            CumulativeMetersetWeight: '0',
            BeamLimitingDevicePositionSequence: [
              { RTBeamLimitingDeviceType: 'ASYMX', LeafJawPositions: ['-20', '20'] },
              leaves(['-15', '-5', '15', '5'], positions),
            ],
          },
          {
            ControlPointIndex: '1',
            GantryAngle: '359',
            CumulativeMetersetWeight: '1',
            BeamLimitingDevicePositionSequence: [leaves(['-10', '-5', '10', '5'])],
          },
          {
            ControlPointIndex: '2',
            GantryAngle: '179',
            GantryRotationDirection: 'NONE',
            CumulativeMetersetWeight: '4',
          },
        ],
      },
      {
        BeamNumber: '2',
        BeamName: 'Setup',
        TreatmentDeliveryType: 'SETUP',
        ControlPointSequence: [{ ControlPointIndex: '0' }],
      },
    ],
    ...elements,
  };
}
