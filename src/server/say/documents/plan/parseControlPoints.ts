import type { PlanResponse, WireBeamDevice, WireControlPoint } from '../../../../shared/contract/plans.ts';
import type { DataSet } from '../../../standard/dicom/dataSet.ts';
import { printSingle } from '../../../standard/dicom/decodeValue.ts';
import { MOST_SPOTS, type ParsedBeam, spotWeightsOf } from './parseBeams.ts';
import { finite, numberAt, coordinatesAt, textAt } from './planValues.ts';
import { RtTag } from './rtTags.ts';

/** Limits of one answer. A beam has a few hundred control points, and a collimator at most 160 leaves. */
export const PLAN_LIMITS = { controlPoints: 5000, devices: 16, leafPairs: 512, numbers: 600_000 };

type Leaves = { readonly device: WireBeamDevice; readonly pairs: number };

/** The control points of a beam with everything that is in effect at each. */
export function parseControlPoints(
  { item, controlPoints, beam }: ParsedBeam,
  position: number,
): NonNullable<PlanResponse['beam']> {
  const devices = parseDevices(item, controlPoints);
  const room = { numbers: PLAN_LIMITS.numbers };
  const finalWeight = numberAt(item, RtTag.FinalCumulativeMetersetWeight);
  const planned = beam.session === null ? beam.meterset : null;
  const perWeight = planned !== null && finalWeight !== null && finalWeight > 0 ? planned / finalWeight : null;
  let before: WireControlPoint | undefined;
  let isCut = controlPoints.length > PLAN_LIMITS.controlPoints;
  const points: WireControlPoint[] = [];
  for (const point of controlPoints.slice(0, PLAN_LIMITS.controlPoints)) {
    const weight = numberAt(point, RtTag.CumulativeMetersetWeight);
    const positions = movedPositions(point, devices, before?.positions);
    const spots = parseSpots(point, before?.spots?.size ?? null);
    room.numbers -= positions.reduce((sum, list) => sum + (list?.length ?? 0), 0) + 3 * (spots?.x.length ?? 0);
    const fits = room.numbers >= 0;
    isCut ||= !fits;
    before = {
      index: numberAt(point, RtTag.ControlPointIndex),
      energy: numberAt(point, RtTag.NominalBeamEnergy) ?? before?.energy ?? null,
      dose_rate: numberAt(point, RtTag.DoseRateSet) ?? before?.dose_rate ?? null,
      gantry: numberAt(point, RtTag.GantryAngle) ?? before?.gantry ?? null,
      gantry_direction: textAt(point, RtTag.GantryRotationDirection) ?? before?.gantry_direction ?? null,
      collimator: numberAt(point, RtTag.BeamLimitingDeviceAngle) ?? before?.collimator ?? null,
      couch: numberAt(point, RtTag.PatientSupportAngle) ?? before?.couch ?? null,
      pitch: numberAt(point, RtTag.TableTopPitchAngle) ?? before?.pitch ?? null,
      roll: numberAt(point, RtTag.TableTopRollAngle) ?? before?.roll ?? null,
      isocenter: coordinatesAt(point, RtTag.IsocenterPosition) ?? before?.isocenter ?? null,
      source_surface_mm: numberAt(point, RtTag.SourceToSurfaceDistance) ?? before?.source_surface_mm ?? null,
      cumulative_weight: weight,
      meterset:
        beam.session !== null
          ? numberAt(point, RtTag.DeliveredMeterset)
          : weight === null || perWeight === null
            ? null
            : finite(weight * perWeight),
      specified_meterset: numberAt(point, RtTag.SpecifiedMeterset),
      positions: fits ? positions : positions.map(() => null),
      spots: fits ? spots : null,
    };
    points.push(before);
  }
  return { position, devices: devices.map(({ device }) => device), control_points: points, is_cut: isCut };
}

/** Positions that a control point does not state are those of the one before. PS3.3 C.8.8.14.5 */
function movedPositions(
  point: DataSet,
  devices: readonly Leaves[],
  before: WireControlPoint['positions'] | undefined,
): WireControlPoint['positions'] {
  const stated = new Map<string, number[] | null>();
  for (const one of point.items(RtTag.BeamLimitingDevicePositionSequence).slice(0, PLAN_LIMITS.devices)) {
    const numbers = one.numbers(RtTag.LeafJawPositions, 2 * PLAN_LIMITS.leafPairs + 1);
    if (numbers.length === 0) continue;
    stated.set(textAt(one, RtTag.RTBeamLimitingDeviceType) ?? '', numbers.every(Number.isFinite) ? [...numbers] : null);
  }
  return devices.map(({ device, pairs }, at) => {
    const positions = stated.get(device.type);
    if (positions === undefined) return before?.[at] ?? null;
    return positions?.length === 2 * pairs ? positions : null;
  });
}

const IS_MLC = /^MLC/;

/** The devices of a beam. What they declare is compared with the positions of the first control point that has any. */
function parseDevices(item: DataSet, points: readonly DataSet[]): Leaves[] {
  const declared = [
    RtTag.BeamLimitingDeviceSequence,
    RtTag.IonBeamLimitingDeviceSequence,
    RtTag.BeamLimitingDeviceLeafPairsSequence,
  ]
    .flatMap((tag) => item.items(tag))
    .slice(0, PLAN_LIMITS.devices);
  const moved = points
    .slice(0, PLAN_LIMITS.controlPoints)
    .flatMap((point) => point.items(RtTag.BeamLimitingDevicePositionSequence));
  const types = new Set(
    [...declared, ...moved]
      .map((one) => textAt(one, RtTag.RTBeamLimitingDeviceType) ?? '')
      .slice(0, 64 * PLAN_LIMITS.devices),
  );
  types.delete('');
  return [...types].slice(0, PLAN_LIMITS.devices).map((type) => {
    const isType = (one: DataSet) => textAt(one, RtTag.RTBeamLimitingDeviceType) === type;
    const own = declared.find(isType);
    const count = moved
      .find((one) => isType(one) && one.has(RtTag.LeafJawPositions))
      ?.numbers(RtTag.LeafJawPositions, 2 * PLAN_LIMITS.leafPairs + 1).length;
    const pairs = count === undefined ? 0 : count / 2;
    const boundaries = own?.numbers(RtTag.LeafPositionBoundaries, PLAN_LIMITS.leafPairs + 2) ?? [];
    const problem = findDeviceProblem(type, pairs, boundaries, own && numberAt(own, RtTag.NumberOfLeafJawPairs));
    const isDrawn = problem === undefined && IS_MLC.test(type);
    return {
      device: { type, boundaries: isDrawn ? [...boundaries] : [], problem: problem ?? null },
      pairs: Number.isInteger(pairs) && pairs <= PLAN_LIMITS.leafPairs ? pairs : 0,
    };
  });
}

function findDeviceProblem(
  type: string,
  pairs: number,
  boundaries: readonly number[],
  declared: number | null | undefined,
): string | undefined {
  if (pairs === 0) return 'no control point has positions of it';
  if (pairs > PLAN_LIMITS.leafPairs) return `it has more than ${PLAN_LIMITS.leafPairs} pairs of leaves`;
  if (!Number.isInteger(pairs)) return 'it has an odd number of positions';
  if (declared !== undefined && declared !== null && declared !== pairs)
    return `it declares ${declared} pairs and has positions of ${pairs}`;
  if (!IS_MLC.test(type)) return pairs === 1 ? undefined : `a pair of jaws has positions of ${pairs} pairs`;
  if (boundaries.length === 0) return 'the object does not say where the leaves are';
  if (boundaries.length !== pairs + 1)
    return `${pairs} pairs of leaves have ${boundaries.length} boundaries instead of ${pairs + 1}`;
  if (!boundaries.every((edge, at) => Number.isFinite(edge) && (at === 0 || edge > (boundaries[at - 1] ?? NaN))))
    return 'the boundaries of its leaves do not ascend';
  return undefined;
}

/** Spots with a weight above 0. */
function parseSpots(point: DataSet, sizeBefore: number[] | null): WireControlPoint['spots'] {
  const weights = spotWeightsOf(point);
  if (weights.length === 0) return null;
  const places = point.numbers(RtTag.ScanSpotPositionMap, 2 * MOST_SPOTS);
  const spots = { x: Array.of<number>(), y: Array.of<number>(), weights: Array.of<number>() };
  for (const [at, weight] of weights.entries()) {
    const x = places[2 * at] ?? NaN;
    const y = places[2 * at + 1] ?? NaN;
    if (!(weight > 0) || !Number.isFinite(weight) || !Number.isFinite(x) || !Number.isFinite(y)) continue;
    spots.x.push(shorten(x));
    spots.y.push(shorten(y));
    spots.weights.push(shorten(weight));
  }
  if (spots.x.length === 0) return null;
  const size = point.numbers(RtTag.ScanningSpotSize, 2);
  return { ...spots, size: size.length === 2 && size.every(Number.isFinite) ? size.map(shorten) : sizeBefore };
}

/** With fewer digits: spots are 32-bit numbers. */
function shorten(value: number): number {
  return Number(printSingle(value));
}
