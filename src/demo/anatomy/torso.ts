import type { RowPlaces } from './bend.ts';
import { LABEL } from './tissue.ts';

const { skin, fat, muscle, marrow, cortex, cartilage, disc, cerebrospinalFluid, spinalCord, lung } = LABEL;

const CAVITY_CENTER_Y = -12;
const RIB_PITCH_MM = 27;
const VERTEBRA_PITCH_MM = 31;

/** The trunk extends at most this far in front of the body axis and behind it. */
export const HALF_DEPTH_MM = 118;

/**
 * Fills one image row with the tissues below the organs: trunk wall, skeleton, lungs, and fat in place of organs.
 * Functions that are too large to be inlined in this loop take the row and a position in it, because coordinates passed
 * as arguments would be boxed.
 */
export function paintTorso(line: Uint8Array, places: RowPlaces): void {
  for (let i = 0; i < line.length; i++) {
    const y = places.y[i]!;
    // Half of a slice is the air around the patient, whose label is already 0.
    if (y > HALF_DEPTH_MM || y < -HALF_DEPTH_MM) continue;
    const x = places.x[i]!;
    const z = places.z[i]!;
    const body = radius4(x / halfWidthAt(z), y * (1 / HALF_DEPTH_MM));
    if (body > 1) continue;
    const bone = y > 32 && x < 44 && x > -44 ? spineAt(places, i) : fat;
    if (bone !== fat) {
      line[i] = bone;
      continue;
    }
    const cavity = cavityRadius4(x, y, z);
    if (body > 0.938) line[i] = skin;
    else if (cavity > 1) line[i] = wallAt(places, i);
    else line[i] = cavityAt(x, y, { overDiaphragm: z - diaphragmAt(x, y), cavity });
  }
}

function halfWidthAt(z: number): number {
  return z > 110 ? 172 + 0.4 * (z - 110) : 172 - 7 * bump((z + 110) * (1 / 90));
}

function cavityAt(x: number, y: number, { overDiaphragm, cavity }: { overDiaphragm: number; cavity: number }): number {
  if (cavity > 0.93) return muscle;
  if (overDiaphragm > 3) return cavity < 0.885 && isBesideMediastinum(x, y) ? lung : fat;
  // The diaphragm is a thin sheet of muscle between lung and belly.
  return overDiaphragm > -2.2 && overDiaphragm < 2.2 ? muscle : fat;
}

export function isLung(x: number, y: number, z: number): boolean {
  const cavity = cavityRadius4(x, y, z);
  return cavity < 1 && cavityAt(x, y, { overDiaphragm: z - diaphragmAt(x, y), cavity }) === lung;
}

function isBesideMediastinum(x: number, y: number): boolean {
  return Math.abs(x - 2) > Math.max(7, 31 - 0.0052 * (y - 6) * (y - 6));
}

/**
 * 1 on the inner wall of chest and abdomen, less inside; as the fourth power of the distance, which needs no root. At
 * the top, the chest narrows to the apex of the lungs.
 */
export function cavityRadius4(x: number, y: number, z: number): number {
  const narrowing = z > 90 ? 1 + (z - 90) * (z - 90) * (1 / 16900) : 1;
  return radius4(x * narrowing * (1 / 140), (y - CAVITY_CENTER_Y) * narrowing * (1 / 83));
}

/** Height of the diaphragm at a point: two domes, the right one higher. */
export function diaphragmAt(x: number, y: number): number {
  const front = 0.0088 * (y + 12) * (y + 12);
  const right = 30 - 0.0098 * (x + 66) * (x + 66) - front;
  const left = 16 - 0.0105 * (x - 72) * (x - 72) - front;
  // Rounded where the domes meet, because the heart rests there.
  const valley = Math.max(0, 60 - Math.abs(right - left));
  return Math.max(right, left, -72) + (valley * valley) / 240;
}

function wallAt(places: RowPlaces, i: number): number {
  const x = places.x[i]!;
  const y = places.y[i]!;
  const z = places.z[i]!;
  const cavity = Math.sqrt(Math.sqrt(cavityRadius4(x, y, z)));
  const rib = ribAt(x, y, { z, cavity });
  if (rib !== fat) return rib;
  if (z > -30 && Math.abs(x) < 19 && cavity > 1.03 && cavity < 1.13 && y < -80)
    return Math.abs(x) < 16 ? marrow : cortex;
  const erector = ellipse((Math.abs(x) - 30) / 25, (y - 82) / 17);
  if (erector < 1) return erector > 0.93 ? fat : muscle;
  const belt = z < -20 ? 1.15 : 1.115;
  if (cavity < belt) return cavity > 1.085 && cavity < 1.097 && Math.abs(x) > 60 ? fat : muscle;
  const latissimus = 0.07 * bump((y - 25) / 62) * bump((z - 70) / 150);
  const pectoral = 0.075 * bump((y + 78) / 40) * bump((z - 110) / 85);
  const sheet = cavity - belt - 0.016;
  return sheet > 0 && sheet < Math.max(latissimus, pectoral) ? muscle : fat;
}

/** Ribs are rings around the chest that descend toward the front, so an axial slice cuts each of them obliquely. */
function ribAt(x: number, y: number, { z, cavity }: { z: number; cavity: number }): number {
  if (cavity < 1.012 || cavity > 1.09) return fat;
  const angle = Math.atan2(Math.abs(x) / 140, (y - CAVITY_CENTER_Y) / 83);
  if (angle < 0.3) return fat;
  const level = (z + 24 * angle) / RIB_PITCH_MM;
  const rib = Math.floor(level);
  const end = rib > 0 ? 2.25 : 2.25 + 0.28 * rib;
  if (angle > end + 0.6) return fat;
  const across = (cavity - 1.051) / 0.036;
  const along = ((level - rib - 0.5) * RIB_PITCH_MM) / 6.5;
  const depth = across * across + along * along;
  if (depth > 1) return fat;
  if (angle > end) return cartilage;
  return depth > 0.42 ? cortex : marrow;
}

function spineAt(places: RowPlaces, i: number): number {
  const x = places.x[i]!;
  const y = places.y[i]!;
  const z = places.z[i]!;
  const side = Math.abs(x);
  if (y > 112) return fat;
  const level = z / VERTEBRA_PITCH_MM;
  const height = (level - Math.floor(level)) * VERTEBRA_PITCH_MM;
  const canal = ellipse(x / 10.5, (y - 76) / 8.5);
  if (canal < 1) return ellipse(x / 5.2, (y - 76.5) / 4) < 1 ? spinalCord : cerebrospinalFluid;
  const vertebralBody = ellipse(x / 20.5, (y - 52) / 16.5);
  if (vertebralBody < 1) {
    if (height > 25.5) return height > 26.4 && height < 30.2 ? disc : cortex;
    return vertebralBody > 0.86 ? cortex : marrow;
  }
  if (height > 24) return fat;
  if (canal < 1.9) return canal > 1.45 ? cortex : marrow;
  const process = height < 15 && side < 3.6 && y > 84 && y < 108;
  if (process) return side > 2.2 || y > 106 ? cortex : marrow;
  const wing = (y - 78 - 0.12 * side) / 4.6;
  const reach = (height - 12) / 7;
  const transverse = wing * wing + reach * reach;
  if (side < 36 && transverse < 1) return transverse > 0.5 || side > 34 ? cortex : marrow;
  return fat;
}

/** Fourth power of the distance from the middle of a rounded box with its edge at 1: between ellipse and rectangle. */
function radius4(u: number, v: number): number {
  const a = u * u;
  const b = v * v;
  return a * a + b * b + 1.15 * a * b;
}

function ellipse(u: number, v: number): number {
  return u * u + v * v;
}

/** 1 at 0, falling to 0 at -1 and 1. */
function bump(t: number): number {
  return t <= -1 || t >= 1 ? 0 : (1 - t * t) * (1 - t * t);
}
