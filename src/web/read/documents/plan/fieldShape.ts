import type { WireBeamDevice, WireControlPoint } from '../../../../shared/contract/plans.ts';

/** A rectangle in mm at the isocentre, x to the right and y up, as seen from the source. */
export type FieldBox = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

export type FieldShape = {
  /** What the leaves cover, one box for each leaf. */
  readonly leaves: readonly FieldBox[];
  /** What the jaws cover. */
  readonly jaws: readonly FieldBox[];
};

/**
 * Half of the width of the drawing: everything that is open at any control point is in it, however the collimator is
 * turned, and some more.
 */
export function extentOf(devices: readonly WireBeamDevice[], points: readonly WireControlPoint[]): number {
  let jaws = 0;
  let leaves = 0;
  let spots = 0;
  let turned = 1;
  for (const { positions, spots: own, collimator } of points) {
    const angle = ((collimator ?? 0) * Math.PI) / 180;
    // A square that is turned needs a larger one.
    turned = Math.max(turned, Math.abs(Math.cos(angle)) + Math.abs(Math.sin(angle)));
    for (const [at, { type, boundaries }] of devices.entries()) {
      const values = positions[at] ?? [];
      if (boundaries.length === 0) {
        if (!type.startsWith('MLC')) for (const value of values) jaws = Math.max(jaws, Math.abs(value));
      } else leaves = Math.max(leaves, reachOf(boundaries, values));
    }
    for (let at = 0; at < (own?.x.length ?? 0); at += 1)
      spots = Math.max(spots, Math.abs(own?.x[at] ?? 0), Math.abs(own?.y[at] ?? 0));
  }
  const reach = Math.max(jaws, jaws === 0 ? leaves : 0, spots);
  return Math.min(MOST_MM, Math.max(LEAST_MM, reach * turned * MARGIN));
}

const MARGIN = 1.2;
const LEAST_MM = 20;
/** Larger than any field; positions may be any number. */
const MOST_MM = 2000;

/** How far the opening between the leaves reaches. */
function reachOf(boundaries: readonly number[], values: readonly number[]): number {
  const pairs = boundaries.length - 1;
  let reach = 0;
  for (let leaf = 0; leaf < pairs; leaf += 1) {
    const [from = 0, to = 0] = [values[leaf], values[pairs + leaf]];
    if (to - from <= CLOSED_MM) continue;
    for (const value of [from, to, boundaries[leaf] ?? 0, boundaries[leaf + 1] ?? 0])
      reach = Math.max(reach, Math.abs(value));
  }
  return reach;
}

/** Leaves that touch leave a gap of less than this. */
const CLOSED_MM = 1;

/**
 * What covers the field at a control point. The first half of the positions are those of the bank at the negative side.
 * Devices of X move along x, and those of Y along y; leaves lie between their boundaries in the other direction.
 */
export function fieldShapeOf(
  devices: readonly WireBeamDevice[],
  { positions }: WireControlPoint,
  extent: number,
): FieldShape {
  const leaves: FieldBox[] = [];
  const jaws: FieldBox[] = [];
  for (const [at, { type, boundaries, problem }] of devices.entries()) {
    const values = positions[at];
    if (values === undefined || values === null || problem !== null) continue;
    const pairs = values.length / 2;
    const isMlc = type.startsWith('MLC');
    const edges = isMlc ? boundaries : [-extent, extent];
    for (let pair = 0; pair < pairs; pair += 1) {
      const [low, high] = [edges[pair] ?? 0, edges[pair + 1] ?? 0];
      const boxes = [
        toBox(-extent, values[pair] ?? 0, low, high),
        toBox(values[pairs + pair] ?? 0, extent, low, high),
      ].filter(({ width, height }) => width > 0 && height > 0);
      (isMlc ? leaves : jaws).push(...boxes.map((box) => (type.endsWith('Y') ? turn(box) : box)));
    }
  }
  return { leaves, jaws };
}

function toBox(fromX: number, toX: number, fromY: number, toY: number): FieldBox {
  return { x: fromX, y: fromY, width: toX - fromX, height: toY - fromY };
}

function turn({ x, y, width, height }: FieldBox): FieldBox {
  return { x: y, y: x, width: height, height: width };
}
