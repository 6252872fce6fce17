import type { DataSetInput } from '../../../src/server/standard/dicom/dataSetInput.ts';
import { writeDicom } from '../../../src/server/standard/dicom/writeDicom.ts';
import { planElements } from '../../support/planElements.ts';
import { contentItem, reportElements } from '../../support/regionElements.ts';
import { documented, type HostileFile } from '../hostileFile.ts';

const PLAN = { document: 'shown', plan: 'shown' } as const;
const REPORT = { document: 'shown', report: 'shown', reportMeasurements: 'shown' } as const;

/** Plans and reports that declare more than they have, refer to themselves, or have more than anybody reads. */
export const documents: readonly HostileFile[] = [
  documented('a plan that declares 2,147,483,648 control points, beams and fractions', PLAN, () =>
    plan({
      FractionGroupSequence: [
        { FractionGroupNumber: '1', NumberOfFractionsPlanned: '2147483647', NumberOfBeams: '2147483647' },
      ],
      BeamSequence: [
        { ...beam([controlPoint(['-5', '5'])]), NumberOfControlPoints: { vr: 'IS', value: ascii('2147483648') } },
      ],
    }),
  ),
  documented('a collimator that declares 2,147,483,647 pairs of leaves', PLAN, () =>
    plan({
      BeamSequence: [
        {
          ...beam([controlPoint(['-5', '5'], 'MLCX')]),
          BeamLimitingDeviceSequence: [
            {
              RTBeamLimitingDeviceType: 'MLCX',
              NumberOfLeafJawPairs: '2147483647',
              LeafPositionBoundaries: ['0', '1'],
            },
          ],
        },
      ],
    }),
  ),
  documented('20,000 positions of leaves', PLAN, () =>
    plan({
      BeamSequence: [
        beam([
          controlPoint(
            Array.from({ length: 20_000 }, () => '1'),
            'MLCX',
          ),
        ]),
      ],
    }),
  ),
  documented('20,000 control points', PLAN, () =>
    plan({ BeamSequence: [beam(Array.from({ length: 20_000 }, () => controlPoint(['-5', '5'])))] }),
  ),
  documented('5,000 beams', PLAN, () =>
    plan({ BeamSequence: Array.from({ length: 5_000 }, () => beam([controlPoint(['-5', '5'])])) }),
  ),
  documented('weights, angles and energies that are no numbers', PLAN, () =>
    plan({
      BeamSequence: [
        {
          ...beam([
            { ...controlPoint(['-5', '5']), CumulativeMetersetWeight: { vr: 'DS', value: ascii('1e400') } },
            {
              GantryAngle: { vr: 'DS', value: ascii('-1e308') },
              NominalBeamEnergy: { vr: 'DS', value: ascii('nan ') },
            },
          ]),
          FinalCumulativeMetersetWeight: { vr: 'DS', value: ascii('1e-400') },
        },
      ],
    }),
  ),
  documented('a plan that refers to itself and to a fraction of a beam that it lacks', PLAN, () =>
    plan({
      ReferencedRTPlanSequence: [PLAN_OF_ITSELF, PLAN_OF_ITSELF],
      FractionGroupSequence: [
        {
          FractionGroupNumber: '1',
          ReferencedBeamSequence: [
            { ReferencedBeamNumber: '99' },
            { ReferencedBeamNumber: '1' },
            { ReferencedBeamNumber: '1' },
          ],
        },
      ],
    }),
  ),
  documented('a map of spots that declares 2,147,483,647 of them and has two and a half', PLAN, () =>
    ionPlan({
      NumberOfScanSpotPositions: '2147483647',
      ScanSpotPositionMap: Float32Array.of(1, 2, 3, 4, 5),
      ScanSpotMetersetWeights: Float32Array.of(1, 1, 1, 1, 1, 1, 1, 1),
    }),
  ),
  documented('a map of 300,000 spots, of which some are nowhere', PLAN, () =>
    ionPlan({
      NumberOfScanSpotPositions: '1',
      ScanSpotPositionMap: Float32Array.from({ length: 600_000 }, (_, at) => (at % 7 === 0 ? NaN : at)),
      ScanSpotMetersetWeights: Float32Array.from({ length: 300_000 }, (_, at) => (at % 5 === 0 ? Infinity : 1)),
    }),
  ),
  documented('a report whose items stand for their own ancestors', REPORT, () =>
    report([
      contentItem('CONTAINER', NAME, {}, [
        { RelationshipType: 'CONTAINS', ReferencedContentItemIdentifier: [1] },
        { RelationshipType: 'CONTAINS', ReferencedContentItemIdentifier: [1, 1] },
        { RelationshipType: 'CONTAINS', ReferencedContentItemIdentifier: [1, 1, 3] },
        { RelationshipType: 'CONTAINS', ReferencedContentItemIdentifier: [0, 4_294_967_295] },
      ]),
    ]),
  ),
  documented('a report that replaces itself', REPORT, () =>
    report([], {
      PredecessorDocumentsSequence: hierarchyOf('2.25.700'),
      IdenticalDocumentsSequence: hierarchyOf('2.25.700'),
    }),
  ),
  documented('a report that is 500 levels deep', REPORT, () => {
    let item = contentItem('TEXT', NAME, { TextValue: 'deep' });
    for (let level = 0; level < 500; level += 1) item = contentItem('CONTAINER', NAME, {}, [item]);
    return report([item]);
  }),
  documented('a dose report with 2,500 events of four values', REPORT, () =>
    report(
      Array.from({ length: 2_500 }, () =>
        contentItem(
          'CONTAINER',
          ['113706', 'DCM', 'Irradiation Event X-Ray Data'],
          {},
          Array.from({ length: 4 }, () => number('1e400')),
        ),
      ),
    ),
  ),
];

const NAME = ['1', '99X', 'again'] as const;
const PLAN_OF_ITSELF: DataSetInput = {
  ReferencedSOPClassUID: '1.2.840.10008.5.1.4.1.1.481.5',
  ReferencedSOPInstanceUID: '2.25.700',
  RTPlanRelationship: 'PRIOR',
};

/** A value that the writer would refuse, of an even length. */
function ascii(text: string): Uint8Array {
  return new TextEncoder().encode(text.padEnd(text.length + (text.length % 2)));
}

function plan(elements: DataSetInput): Uint8Array {
  return writeDicom(planElements({ elements }));
}

function beam(points: readonly DataSetInput[]): DataSetInput {
  return {
    BeamNumber: '1',
    BeamName: 'Beam',
    RadiationType: 'PHOTON',
    TreatmentDeliveryType: 'TREATMENT',
    ControlPointSequence: points,
  };
}

function controlPoint(positions: readonly string[], type = 'ASYMX'): DataSetInput {
  return {
    ControlPointIndex: '0',
    CumulativeMetersetWeight: '0',
    BeamLimitingDevicePositionSequence: [{ RTBeamLimitingDeviceType: type, LeafJawPositions: positions }],
  };
}

/** Without VRs, because the length of such a map fits into no other form. */
function ionPlan(point: DataSetInput): Uint8Array {
  return writeDicom(
    planElements({
      elements: {
        SOPClassUID: '1.2.840.10008.5.1.4.1.1.481.8',
        BeamSequence: undefined,
        IonBeamSequence: [
          {
            BeamNumber: '1',
            BeamName: 'Ions',
            RadiationType: 'PROTON',
            ScanMode: 'MODULATED',
            IonControlPointSequence: [{ ControlPointIndex: '0', NominalBeamEnergy: '100', ...point }],
          },
        ],
      },
    }),
    { transferSyntaxUid: '1.2.840.10008.1.2' },
  );
}

function report(content: readonly DataSetInput[], different: DataSetInput = {}): Uint8Array {
  return writeDicom(reportElements([], { ContentSequence: content, ...different }));
}

function hierarchyOf(uid: string): DataSetInput[] {
  const instance = { ReferencedSOPClassUID: '1.2.840.10008.5.1.4.1.1.88.34', ReferencedSOPInstanceUID: uid };
  return [
    {
      StudyInstanceUID: '2.25.502',
      ReferencedSeriesSequence: [{ SeriesInstanceUID: '2.25.701', ReferencedSOPSequence: [instance] }],
    },
  ];
}

function number(value: string): DataSetInput {
  const unit = { CodeValue: 'Gy', CodingSchemeDesignator: 'UCUM', CodeMeaning: 'Gy' };
  const measured = { NumericValue: { vr: 'DS', value: ascii(value) }, MeasurementUnitsCodeSequence: [unit] };
  return contentItem('NUM', ['113738', 'DCM', 'Dose (RP)'], { MeasuredValueSequence: [measured] });
}
