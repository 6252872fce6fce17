import { createRandom } from '../noise.ts';
import type { Point } from './plane.ts';
import { LABEL } from './tissue.ts';
import { isLung } from './torso.ts';

/** A piece of a vessel: everything within `radiusMm` of the line between two points. */
export type VesselPiece = {
  readonly from: Point;
  readonly to: Point;
  readonly radiusMm: number;
  readonly tissue: number;
  /** The only tissue that the vessel runs through. */
  readonly within: number;
};

export function createVessels(): VesselPiece[] {
  const { lung, lungVessel, liver, liverVessel } = LABEL;
  return [
    ...thicken(growLung(-1, 5), { tissue: lungVessel, within: lung, twigMm: 0.75, growth: 0.46 }),
    ...thicken(growLung(1, 6), { tissue: lungVessel, within: lung, twigMm: 0.75, growth: 0.46 }),
    ...thicken(growLiver([-24, 12, 0], 7), { tissue: liverVessel, within: liver, twigMm: 1, growth: 0.6 }),
    ...thicken(growLiver([-22, 2, -52], 8), { tissue: liverVessel, within: liver, twigMm: 1, growth: 0.6 }),
  ];
}

function growLung(side: -1 | 1, seed: number): TreeNode[] {
  const box = [side * 4, -96, -50, side * 138, 72, 180] as const;
  return growTree({ root: [side * 30, 6, 84], box, isInside: isLung, points: 700, seed });
}

function growLiver(root: Point, seed: number): TreeNode[] {
  return growTree({ root, box: [-150, -86, -96, 40, 50, 22], isInside: () => true, points: 120, seed });
}

type TreeNode = { readonly at: Point; readonly parent: number };

type Growth = {
  readonly root: Point;
  readonly box: readonly [number, number, number, number, number, number];
  readonly isInside: (x: number, y: number, z: number) => boolean;
  readonly points: number;
  readonly seed: number;
};

/** Points are taken from near the root outward and each joins the tree where the way back to the root stays short. */
function growTree({ root, box, isInside, points, seed }: Growth): TreeNode[] {
  const random = createRandom(seed);
  const targets: Point[] = [];
  for (let attempt = 0; attempt < points * 8 && targets.length < points; attempt++) {
    const x = box[0] + random() * (box[3] - box[0]);
    const y = box[1] + random() * (box[4] - box[1]);
    const z = box[2] + random() * (box[5] - box[2]);
    if (isInside(x, y, z)) targets.push([x, y, z]);
  }
  targets.sort((a, b) => distance(a, root) - distance(b, root));
  const nodes: TreeNode[] = [{ at: root, parent: -1 }];
  const wayBack = [0];
  for (const target of targets) {
    let parent = 0;
    let best = Infinity;
    for (let i = 0; i < nodes.length; i++) {
      const length = distance(target, nodes[i]!.at);
      const cost = length + 0.42 * wayBack[i]!;
      if (cost < best) [best, parent] = [cost, i];
    }
    const from = nodes[parent]!.at;
    const length = distance(target, from);
    // A bend half-way, for vessels are not straight.
    const bend = (random() - 0.5) * 0.3 * length;
    const middle: Point = [
      (from[0] + target[0]) / 2 + bend,
      (from[1] + target[1]) / 2 - bend,
      (from[2] + target[2]) / 2 + bend,
    ];
    nodes.push({ at: middle, parent }, { at: target, parent: nodes.length });
    wayBack.push(wayBack[parent]! + length / 2, wayBack[parent]! + length);
  }
  return nodes;
}

/** Murray's law: what flows through a vessel fills the vessels that leave it, so its radius follows their number. */
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

function distance(a: Point, b: Point): number {
  return Math.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2);
}
