import { createRandom } from '../noise.ts';
import type { PatientPoint } from './plane.ts';
import { LABEL } from './tissue.ts';
import { cavityRadius4, diaphragmAt } from './torso.ts';

/** An ellipsoid and the tissue in it. Organs are placed in order, each over those before it. */
export type Organ = {
  readonly center: PatientPoint;
  readonly radiiMm: PatientPoint;
  /** Rotation about the body axis, in radians. */
  readonly turn: number;
  tissueAt(spot: Spot): number;
};

export type Spot = {
  x: number;
  y: number;
  z: number;
  /** 0 in the centre of the ellipsoid, 1 on its surface: the squared distance in units of its radii. */
  depth: number;
  /** The tissue placed there before. */
  under: number;
};

/** Lesions of the liver, used by the segmentation, structure set, dose and report. */
export const LESIONS = [
  { center: [-82, -18, -22], radiusMm: 17 },
  { center: [-46, 22, -4], radiusMm: 9.5 },
  { center: [-106, 20, -52], radiusMm: 11.5 },
  { center: [4, -52, -30], radiusMm: 7.5 },
] as const satisfies readonly { center: PatientPoint; radiusMm: number }[];

const LUNG_NODULE = { center: [-88, 28, 62], radiusMm: 6 } as const;

export function createOrgans(): Organ[] {
  return [
    ...breasts(),
    liver(),
    ...LESIONS.map(lesion),
    stomach(),
    spleen(),
    ...pancreas(),
    ...bowel(),
    gallbladder(),
    kidney([-64, 40, -92], 0.35),
    kidney([66, 38, -80], -0.35),
    ...greatVessels(),
    heart(),
    esophagus(),
    ...airways(),
    noduleOfTheLung(),
  ];
}

function organ(center: PatientPoint, radiiMm: PatientPoint, tissueAt: Organ['tissueAt'], turn = 0): Organ {
  return { center, radiiMm, turn, tissueAt };
}

/** Abdominal organs are below the diaphragm and inside the wall, and do not replace bone or muscle. */
function isBelly({ x, y, z, under }: Spot): boolean {
  return under === LABEL.fat && z < diaphragmAt(x, y) - 3 && cavityRadius4(x, y, z) < 0.893;
}

function liver(): Organ {
  const { liver: tissue } = LABEL;
  return organ(
    [-68, -14, -34],
    [128, 92, 96],
    (spot) => {
      if (!isBelly(spot)) return spot.under;
      // The underside slopes: deep on the right, with a thin left lobe in front.
      const floor = -112 + 0.42 * (spot.x + 120) + 0.2 * (spot.y + 20);
      const hilum = square((spot.x + 6) / 34) + square((spot.y - 34) / 40);
      const left = spot.x > -10 ? 0.011 * square(spot.x + 10) : 0;
      if (spot.z < floor || hilum < 1 || spot.y > 38 - left + 0.4 * Math.max(0, -40 - spot.x)) return spot.under;
      return tissue;
    },
    -0.12,
  );
}

function lesion({ center, radiusMm }: { center: PatientPoint; radiusMm: number }): Organ {
  return organ(center, [radiusMm, radiusMm * 0.9, radiusMm], ({ depth, under }) => {
    if (under !== LABEL.liver) return under;
    return depth > 0.72 ? LABEL.lesionRim : LABEL.lesion;
  });
}

function stomach(): Organ {
  return organ(
    [66, -26, -34],
    [50, 40, 60],
    (spot) => {
      if (!isBelly(spot)) return spot.under;
      if (spot.depth > 0.8) return LABEL.stomachWall;
      // The patient is supine: gas rises to the front, and the fluid level is flat.
      return spot.y < -40 ? LABEL.airway : LABEL.stomachFluid;
    },
    0.5,
  );
}

function spleen(): Organ {
  return organ(
    [102, 30, -30],
    [38, 48, 52],
    (spot) => {
      const hollow = square((spot.x - 72) / 36) + square((spot.y - 14) / 34);
      return isBelly(spot) && hollow > 1 ? LABEL.spleen : spot.under;
    },
    0.35,
  );
}

function pancreas(): Organ[] {
  return [
    organ([-24, 2, -84], [20, 15, 22], pancreasAt, 0.4),
    organ([6, -6, -76], [30, 10, 13], pancreasAt, -0.2),
    organ([46, 12, -66], [30, 9, 12], pancreasAt, 0.5),
  ];
}

function pancreasAt(spot: Spot): number {
  return isBelly(spot) ? LABEL.pancreas : spot.under;
}

function gallbladder(): Organ {
  return organ(
    [-50, -46, -66],
    [14, 24, 26],
    ({ depth, under }) =>
      under === LABEL.fat || under === LABEL.liver || under === LABEL.bowelWall
        ? depth > 0.82
          ? LABEL.stomachWall
          : LABEL.bile
        : under,
    0.3,
  );
}

function kidney(center: PatientPoint, turn: number): Organ {
  return organ(
    center,
    [25, 31, 54],
    ({ x, y, z, depth, under }) => {
      if (under === LABEL.muscle || under === LABEL.marrow || under === LABEL.cortex || under === LABEL.lung)
        return under;
      // The sinus opens toward the spine.
      const inward = (x - center[0]) * Math.sign(-center[0]);
      const sinus = square((inward - 9) / 14) + square((y - center[1]) / 8) + square((z - center[2]) / 24);
      if (sinus < 1) return sinus < 0.2 ? LABEL.bile : LABEL.fat;
      if (depth > 0.56) return LABEL.renalCortex;
      // Columns of cortex extend between the pyramids.
      return Math.sin(z * 0.42) * Math.sin(y * 0.36 + 1) > 0.45 ? LABEL.renalCortex : LABEL.renalMedulla;
    },
    turn,
  );
}

/** Loops of bowel fill the front of the abdomen below the liver. */
function bowel(): Organ[] {
  const random = createRandom(71);
  return Array.from({ length: 74 }, () => {
    const center: PatientPoint = [(random() - 0.5) * 210, -78 + random() * 92, -62 - random() * 170];
    const width = 11 + random() * 9;
    const long = width * (1.3 + random());
    const gasLine = center[1] - width * (0.1 + random() * 0.9);
    return organ(
      center,
      [long, width, width * (0.9 + 0.5 * random())],
      (spot) => {
        const free = isBelly(spot) || spot.under === LABEL.bowelWall;
        if (!free) return spot.under;
        if (spot.depth > 0.7) return LABEL.bowelWall;
        return spot.y < gasLine ? LABEL.airway : LABEL.bowelContent;
      },
      random() * Math.PI,
    );
  });
}

function greatVessels(): Organ[] {
  const vessel = (center: PatientPoint, radiiMm: PatientPoint, tissue: number) =>
    organ(center, radiiMm, ({ depth, under }) => (depth < 1 && under !== LABEL.cortex ? tissue : under));
  const { blood, venousBlood } = LABEL;
  return [
    vessel([20, 26, -20], [12.5, 12.5, 900], blood),
    organ([20, 26, -40], [13.5, 13.5, 160], ({ depth, under, x, z }) => {
      const plaque = depth > 0.84 && Math.sin(z * 0.19) + Math.sin(x * 0.4 + z * 0.07) > 1.5;
      return plaque ? LABEL.calcification : under;
    }),
    vessel([-22, 18, -90], [12, 10, 140], venousBlood),
    vessel([-14, -20, 125], [16, 16, 70], blood),
    vessel([16, -26, 112], [14, 13, 34], venousBlood),
    vessel([-32, -14, 130], [9.5, 9, 90], venousBlood),
    vessel([0, 4, 92], [44, 9, 9], venousBlood),
  ];
}

function heart(): Organ {
  const { myocardium, blood, venousBlood, fat } = LABEL;
  return organ(
    [24, -34, 46],
    [62, 42, 54],
    ({ x, y, z, depth, under }) => {
      if (under === LABEL.muscle || under === LABEL.cortex || under === LABEL.marrow || z < diaphragmAt(x, y) + 2)
        return under;
      if (depth > 0.9) return fat;
      const leftVentricle = square((x - 46) / 27) + square((y + 28) / 19) + square((z - 36) / 34);
      if (leftVentricle < 0.5) return blood;
      if (leftVentricle < 1) return myocardium;
      const leftAtrium = square((x - 22) / 26) + square((y + 8) / 15) + square((z - 66) / 20);
      if (leftAtrium < 1) return blood;
      const rightAtrium = square((x + 14) / 20) + square((y + 30) / 21) + square((z - 44) / 30);
      if (rightAtrium < 1) return venousBlood;
      const rightVentricle = square((x - 16) / 31) + square((y + 52) / 17) + square((z - 40) / 36);
      if (rightVentricle < 0.78) return venousBlood;
      return rightVentricle < 1.05 || depth < 0.7 ? myocardium : fat;
    },
    0.45,
  );
}

function esophagus(): Organ {
  return organ([4, 22, 90], [8.5, 6.5, 120], ({ x, y, depth, under }) => {
    if (depth > 0.9) return under;
    return square((x - 4) / 2.6) + square((y - 21) / 1.6) < 1 ? LABEL.airway : LABEL.stomachWall;
  });
}

function airways(): Organ[] {
  return [
    organ([0, 4, 165], [11, 11, 62], airwayAt),
    organ([-22, 8, 101], [26, 8, 8], airwayAt, -0.1),
    organ([24, 8, 100], [28, 7.5, 7.5], airwayAt, 0.1),
  ];
}

function airwayAt({ depth }: Spot): number {
  return depth > 0.66 ? LABEL.airwayWall : LABEL.airway;
}

function noduleOfTheLung(): Organ {
  const { center, radiusMm } = LUNG_NODULE;
  return organ(center, [radiusMm, radiusMm, radiusMm], ({ under }) => (under === LABEL.lung ? LABEL.nodule : under));
}

function breasts(): Organ[] {
  return [-1, 1].map((side) =>
    organ([side * 78, -92, 62], [66, 54, 56], ({ x, y, z, depth, under }) => {
      if (under !== LABEL.air) return under;
      if (depth > 0.955) return LABEL.skin;
      const strands =
        Math.sin(x * 0.21 + z * 0.13) + Math.sin(y * 0.27 - z * 0.19) + Math.sin((x + y) * 0.12 + z * 0.23);
      return depth < 0.82 && strands > 0.55 ? LABEL.gland : LABEL.fat;
    }),
  );
}

function square(value: number): number {
  return value * value;
}
