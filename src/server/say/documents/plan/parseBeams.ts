import type { WireFractionGroup, WirePlanBeam, WirePrescription } from '../../../../shared/contract/plans.ts';
import type { DataSet } from '../../../standard/dicom/dataSet.ts';
import * as Tag from '../../../standard/dicom/tag.ts';
import { countAt, numberAt, coordinatesAt, sumOf, textAt } from './planValues.ts';
import { RtTag } from './rtTags.ts';

export type ParsedBeam = {
  readonly item: DataSet;
  readonly controlPoints: readonly DataSet[];
  readonly beam: WirePlanBeam;
};

/** Where beams and their control points are, in plans and in records of treatments. */
const SEQUENCES: readonly (readonly [beams: number, controlPoints: number, isIon: boolean])[] = [
  [RtTag.BeamSequence, RtTag.ControlPointSequence, false],
  [RtTag.IonBeamSequence, RtTag.IonControlPointSequence, true],
  [RtTag.TreatmentSessionBeamSequence, RtTag.ControlPointDeliverySequence, false],
  [RtTag.TreatmentSessionIonBeamSequence, RtTag.IonControlPointDeliverySequence, true],
];

/** The beams of a plan, or of a treatment session. PS3.3 C.8.8.14, C.8.8.25, C.8.8.21, C.8.8.26. */
export function parseBeams(dataSet: DataSet): ParsedBeam[] {
  const planned = listPlanned(dataSet);
  const sessionUnit = textAt(dataSet, RtTag.PrimaryDosimeterUnit);
  const sessionMachine = textAt(dataSet.items(RtTag.TreatmentMachineSequence)[0], RtTag.TreatmentMachineName);
  return SEQUENCES.flatMap(([beams, points, isIon]) =>
    dataSet.items(beams).map((item) => {
      const controlPoints = item.items(points);
      const isSession = beams === RtTag.TreatmentSessionBeamSequence || beams === RtTag.TreatmentSessionIonBeamSequence;
      const own = parseBeam(item, controlPoints, isIon);
      const number = numberAt(item, isSession ? RtTag.ReferencedBeamNumber : RtTag.BeamNumber);
      const session = isSession ? parseSession(item) : null;
      const plan = isSession || number === null ? undefined : planned.get(number);
      return {
        item,
        controlPoints,
        beam: {
          ...own,
          number,
          machine: own.machine ?? sessionMachine,
          meterset_unit: own.meterset_unit ?? sessionUnit,
          meterset: session === null ? (plan?.meterset ?? null) : session.delivered_meterset,
          dose_gy: plan?.doseGy ?? null,
          session,
        },
      };
    }),
  );
}

/** Images before the treatment and open ports give no dose that counts. PS3.3 C.8.8.14.1 */
const GIVES_DOSE: readonly (string | null)[] = ['TREATMENT', 'CONTINUATION', null];

function parseBeam(
  item: DataSet,
  points: readonly DataSet[],
  isIon: boolean,
): Omit<WirePlanBeam, 'number' | 'meterset' | 'dose_gy' | 'session'> {
  const [first] = points;
  const radiation = textAt(item, RtTag.RadiationType);
  const delivery = textAt(item, RtTag.TreatmentDeliveryType);
  const gantry = followGantry(points);
  const isocenters = new Map(
    points.flatMap((point) => {
      const place = coordinatesAt(point, RtTag.IsocenterPosition);
      return place === null ? [] : [[place.join(), place] as const];
    }),
  );
  const energies = new Set(points.flatMap((point) => numberAt(point, RtTag.NominalBeamEnergy) ?? []));
  return {
    name: textAt(item, RtTag.BeamName),
    description: textAt(item, RtTag.BeamDescription),
    type: textAt(item, RtTag.BeamType),
    radiation,
    delivery,
    is_treatment: GIVES_DOSE.includes(delivery),
    machine: textAt(item, RtTag.TreatmentMachineName),
    meterset_unit: textAt(item, RtTag.PrimaryDosimeterUnit),
    energies: [...energies].slice(0, MOST_ENERGIES),
    energy_unit: isIon ? 'MeV/u' : radiation === null || radiation === 'PHOTON' ? 'MV' : 'MeV',
    ...gantry,
    collimator: numberAt(first, RtTag.BeamLimitingDeviceAngle),
    couch: numberAt(first, RtTag.PatientSupportAngle),
    isocenter: [...isocenters.values()][0] ?? null,
    isocenter_count: isocenters.size,
    source_surface_mm: numberAt(first, RtTag.SourceToSurfaceDistance),
    source_axis_mm: numberAt(item, RtTag.SourceAxisDistance) ?? numberAt(item, RtTag.VirtualSourceAxisDistances),
    wedges: countAt(item, RtTag.NumberOfWedges),
    compensators: countAt(item, RtTag.NumberOfCompensators),
    boli: countAt(item, RtTag.NumberOfBoli),
    blocks: countAt(item, RtTag.NumberOfBlocks),
    control_point_count: points.length,
    scan_mode: textAt(item, RtTag.ScanMode),
    range_shifters: countAt(item, RtTag.NumberOfRangeShifters),
    range_modulators: countAt(item, RtTag.NumberOfRangeModulators),
    snout: textAt(item.items(RtTag.SnoutSequence)[0], RtTag.SnoutID),
    ...countSpots(points),
    setup_number: numberAt(item, RtTag.ReferencedPatientSetupNumber),
    tolerance_table_number: numberAt(item, RtTag.ReferencedToleranceTableNumber),
  };
}

/** A beam of ions has one for each layer. */
const MOST_ENERGIES = 1000;

/** The direction at a control point is that of the turn to the next one. CW is towards larger angles. */
function followGantry(points: readonly DataSet[]) {
  let angle: number | null = null;
  let direction: string | null = null;
  let start: number | null = null;
  let travel = 0;
  let turn: string | null = null;
  for (const point of points) {
    const next: number | null = numberAt(point, RtTag.GantryAngle) ?? angle;
    if (next !== null && angle !== null && Math.abs(next) <= MOST_DEGREES) {
      if (direction === 'CW') travel += (next - angle + 360) % 360;
      else if (direction === 'CC') travel += (angle - next + 360) % 360;
    }
    start ??= next;
    angle = next;
    direction = textAt(point, RtTag.GantryRotationDirection) ?? direction;
    if (turn === null || turn === 'NONE') turn = direction;
  }
  return { gantry_start: start, gantry_stop: angle, gantry_direction: turn, gantry_travel: Math.max(0, travel) };
}

const MOST_DEGREES = 3600;

/** More than any layer has. */
export const MOST_SPOTS = 200_000;

/** The weights of the spots of a control point, or what they got. */
export function spotWeightsOf(point: DataSet): readonly number[] {
  const delivered = point.numbers(RtTag.ScanSpotMetersetsDelivered, MOST_SPOTS);
  return delivered.length > 0 ? delivered : point.numbers(RtTag.ScanSpotMetersetWeights, MOST_SPOTS);
}

/** The second of two control points of a layer repeats its spots with the weight 0. */
function countSpots(points: readonly DataSet[]) {
  let layers = 0;
  let spots = 0;
  let weight = 0;
  for (const point of points) {
    const given = spotWeightsOf(point).filter((one) => one > 0 && Number.isFinite(one));
    if (given.length === 0) continue;
    layers += 1;
    spots += given.length;
    for (const one of given) weight += one;
  }
  return { layer_count: layers, spot_count: spots, spot_weight: weight };
}

function parseSession(item: DataSet): WirePlanBeam['session'] {
  const points = [
    ...item.items(RtTag.ControlPointDeliverySequence),
    ...item.items(RtTag.IonControlPointDeliverySequence),
  ];
  return {
    fraction: numberAt(item, RtTag.CurrentFractionNumber),
    specified_meterset: numberAt(item, RtTag.SpecifiedPrimaryMeterset),
    delivered_meterset: numberAt(item, RtTag.DeliveredPrimaryMeterset),
    termination: textAt(item, RtTag.TreatmentTerminationStatus),
    verification: textAt(item, RtTag.TreatmentVerificationStatus),
    delivered_time_s: numberAt(item, RtTag.DeliveredTreatmentTime),
    overrides: points.reduce((sum, point) => sum + point.items(RtTag.OverrideSequence).length, 0),
    corrections: points.reduce((sum, point) => sum + point.items(RtTag.CorrectedParameterSequence).length, 0),
  };
}

type PlannedBeam = { readonly meterset: number | null; readonly doseGy: number | null };

/** What the fraction groups say about beams, by Beam Number. The first group that names a beam counts. */
function listPlanned(dataSet: DataSet): ReadonlyMap<number, PlannedBeam> {
  const planned = new Map<number, PlannedBeam>();
  for (const reference of dataSet
    .items(Tag.FractionGroupSequence)
    .flatMap((group) => group.items(RtTag.ReferencedBeamSequence))) {
    const number = numberAt(reference, RtTag.ReferencedBeamNumber);
    if (number === null || planned.has(number)) continue;
    planned.set(number, {
      meterset: numberAt(reference, RtTag.BeamMeterset),
      doseGy: numberAt(reference, RtTag.BeamDose),
    });
  }
  return planned;
}

/** Dose per fraction is the sum of the Beam Doses of the beams that treat. It is a dose at points, no prescription. */
export function parseFractionGroups(dataSet: DataSet, beams: readonly ParsedBeam[]): WireFractionGroup[] {
  const treats = new Map(beams.map(({ beam }) => [beam.number, beam.is_treatment]));
  return dataSet.items(Tag.FractionGroupSequence).map((group) => {
    const references = group.items(RtTag.ReferencedBeamSequence);
    const treating = references.filter((one) => treats.get(numberAt(one, RtTag.ReferencedBeamNumber)) !== false);
    return {
      number: numberAt(group, RtTag.FractionGroupNumber),
      fractions: numberAt(group, Tag.NumberOfFractionsPlanned),
      dose_per_fraction_gy: sumOf(treating.map((one) => numberAt(one, RtTag.BeamDose))),
      meterset: sumOf(treating.map((one) => numberAt(one, RtTag.BeamMeterset))),
      beam_numbers: references.flatMap((one) => numberAt(one, RtTag.ReferencedBeamNumber) ?? []),
    };
  });
}

export function parsePrescriptions(dataSet: DataSet): WirePrescription[] {
  return dataSet.items(Tag.DoseReferenceSequence).map((item) => ({
    number: numberAt(item, RtTag.DoseReferenceNumber),
    type: textAt(item, Tag.DoseReferenceType),
    structure_type: textAt(item, RtTag.DoseReferenceStructureType),
    description: textAt(item, Tag.DoseReferenceDescription),
    roi_number: numberAt(item, Tag.ReferencedROINumber),
    target_minimum_gy: numberAt(item, RtTag.TargetMinimumDose),
    target_prescription_gy: numberAt(item, Tag.TargetPrescriptionDose),
    target_maximum_gy: numberAt(item, RtTag.TargetMaximumDose),
    organ_limit_gy: numberAt(item, RtTag.OrganAtRiskLimitDose),
    organ_maximum_gy: numberAt(item, RtTag.OrganAtRiskMaximumDose),
  }));
}
