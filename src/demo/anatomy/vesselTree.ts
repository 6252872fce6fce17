import { createRandom } from '../noise.ts';
import type { PatientPoint } from './plane.ts';
import { LABEL } from './tissue.ts';
import { isLung } from './torso.ts';

/** Vessels as segments: everything within a radius of the line between two points. */
export type Vessels = {
  /** x, y and z of both ends of each segment. */
  readonly ends: Float64Array;
  readonly radiiMm: Float64Array;
  readonly tissues: Uint8Array;
  /** The only tissue that each segment runs through. */
  readonly within: Uint8Array;
};

type VesselPiece = {
  readonly from: PatientPoint;
  readonly to: PatientPoint;
  readonly radiusMm: number;
  readonly tissue: number;
  readonly within: number;
};

export function createVessels(): Vessels {
  const { lung, lungVessel, liver, liverVessel } = LABEL;
  const pieces = [
    ...thicken(growLung(-1, 5), { tissue: lungVessel, within: lung, twigMm: 0.75, growth: 0.46 }),
    ...thicken(growLung(1, 6), { tissue: lungVessel, within: lung, twigMm: 0.75, growth: 0.46 }),
    ...thicken(growLiver([-24, 12, 0], 7), { tissue: liverVessel, within: liver, twigMm: 1, growth: 0.6 }),
    ...thicken(growLiver([-22, 2, -52], 8), { tissue: liverVessel, within: liver, twigMm: 1, growth: 0.6 }),
  ];
  return {
    ends: Float64Array.from(pieces.flatMap(({ from, to }) => [...from, ...to])),
    radiiMm: Float64Array.from(pieces, ({ radiusMm }) => radiusMm),
    tissues: Uint8Array.from(pieces, ({ tissue }) => tissue),
    within: Uint8Array.from(pieces, ({ within }) => within),
  };
}

function growLung(side: -1 | 1, seed: number): TreeNode[] {
  const box = [side * 4, -96, -50, side * 138, 72, 180] as const;
  return growTree({ root: [side * 30, 6, 84], box, isInside: isLung, points: 700, seed });
}

function growLiver(root: PatientPoint, seed: number): TreeNode[] {
  return growTree({ root, box: [-150, -86, -96, 40, 50, 22], isInside: () => true, points: 120, seed });
}

type TreeNode = { readonly at: PatientPoint; readonly parent: number };

type Growth = {
  readonly root: PatientPoint;
  readonly box: readonly [number, number, number, number, number, number];
  readonly isInside: (x: number, y: number, z: number) => boolean;
  readonly points: number;
  readonly seed: number;
};

/**
 * Points are added in order of distance from the root, and each joins the tree where the path to the root stays short.
 */
function growTree(growth: Growth): TreeNode[] {
  const random = createRandom(growth.seed);
  const targets = chooseTargets(growth, random);
  const nodes: TreeNode[] = [{ at: growth.root, parent: -1 }];
  const places = new Float64Array(4 * (2 * targets.length + 1));
  places.set(growth.root);
  for (const target of targets) {
    const parent = findParent(places.subarray(0, 4 * nodes.length), target);
    const from = nodes[parent]!.at;
    const length = distance(target, from);
    // A bend half-way, because vessels are not straight.
    const bend = (random() - 0.5) * 0.3 * length;
    const middle: PatientPoint = [
      (from[0] + target[0]) / 2 + bend,
      (from[1] + target[1]) / 2 - bend,
      (from[2] + target[2]) / 2 + bend,
    ];
    const wayBack = places[4 * parent + 3]!;
    places.set([...middle, wayBack + length / 2, ...target, wayBack + length], 4 * nodes.length);
    nodes.push({ at: middle, parent }, { at: target, parent: nodes.length });
  }
  return nodes;
}

/** In order of increasing distance from the root. */
function chooseTargets({ root, box, isInside, points }: Growth, random: () => number): PatientPoint[] {
  const targets: PatientPoint[] = [];
  for (let attempt = 0; attempt < points * 8 && targets.length < points; attempt++) {
    const x = box[0] + random() * (box[3] - box[0]);
    const y = box[1] + random() * (box[4] - box[1]);
    const z = box[2] + random() * (box[5] - box[2]);
    if (isInside(x, y, z)) targets.push([x, y, z]);
  }
  return targets.toSorted((a, b) => distance(a, root) - distance(b, root));
}

/** `places` holds x, y, z and the length of the path to the root for each node. */
function findParent(places: Float64Array, [x, y, z]: PatientPoint): number {
  let parent = 0;
  let best = Infinity;
  for (let i = 0; i < places.length; i += 4) {
    const dx = x - places[i]!;
    const dy = y - places[i + 1]!;
    const dz = z - places[i + 2]!;
    const cost = Math.sqrt(dx * dx + dy * dy + dz * dz) + 0.42 * places[i + 3]!;
    if (cost < best) {
      best = cost;
      parent = i;
    }
  }
  return parent / 4;
}

/** Murray's law: the flow through a vessel supplies its branches, so its radius depends on their number. */
function thicken(
  nodes: readonly TreeNode[],
  { tissue, within, twigMm, growth }: { tissue: number; within: number; twigMm: number; growth: number },
): VesselPiece[] {
  const twigs = nodes.map(() => 1);
  for (let i = nodes.length - 1; i > 0; i--) twigs[nodes[i]!.parent]! += twigs[i]!;
  return nodes.slice(1).map(({ at, parent }, i) => ({
    from: nodes[parent]!.at,
    to: at,
    radiusMm: twigMm + growth * (Math.cbrt(twigs[i + 1]!) - 1),
    tissue,
    within,
  }));
}

function distance(a: PatientPoint, b: PatientPoint): number {
  return Math.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2);
}
