import { LABEL, TISSUE_NAMES, type TissueName } from './anatomy/tissue.ts';
import type { Plane } from './anatomy/plane.ts';
import type { CodeTriplet } from '../server/standard/dicom/codeSequence.ts';

/** A part of the body that the segmentation and the structure set outline. */
export type Structure = {
  readonly name: string;
  readonly category: CodeTriplet;
  readonly type: CodeTriplet;
  readonly modifier?: CodeTriplet;
  /** Red, green, blue, 0 to 255. */
  readonly color: readonly [number, number, number];
  readonly tissues: readonly TissueName[];
  readonly side?: 'left' | 'right';
};

const ANATOMICAL_STRUCTURE: CodeTriplet = ['123037004', 'SCT', 'Anatomical Structure'];
const ABNORMAL_STRUCTURE: CodeTriplet = ['49755003', 'SCT', 'Morphologically Abnormal Structure'];
const RIGHT: CodeTriplet = ['24028007', 'SCT', 'Right'];
const LEFT: CodeTriplet = ['7771000', 'SCT', 'Left'];
const LUNG: CodeTriplet = ['39607008', 'SCT', 'Lung'];
const LUNG_TISSUES = ['lung', 'lungVessel', 'nodule'] as const;

export const LIVER: Structure = {
  name: 'Liver',
  category: ANATOMICAL_STRUCTURE,
  type: ['10200004', 'SCT', 'Liver'],
  color: [221, 130, 101],
  tissues: ['liver', 'liverVessel', 'lesion', 'lesionRim'],
};

export const LIVER_LESIONS: Structure = {
  name: 'Liver lesions',
  category: ABNORMAL_STRUCTURE,
  type: ['52988006', 'SCT', 'Lesion'],
  color: [255, 214, 10],
  tissues: ['lesion', 'lesionRim'],
};

export const RIGHT_LUNG: Structure = {
  name: 'Right lung',
  category: ANATOMICAL_STRUCTURE,
  type: LUNG,
  modifier: RIGHT,
  color: [86, 180, 233],
  tissues: LUNG_TISSUES,
  side: 'right',
};

export const LEFT_LUNG: Structure = {
  ...RIGHT_LUNG,
  name: 'Left lung',
  modifier: LEFT,
  color: [90, 200, 170],
  side: 'left',
};

export const HEART: Structure = {
  name: 'Heart',
  category: ANATOMICAL_STRUCTURE,
  type: ['80891009', 'SCT', 'Heart'],
  color: [220, 80, 90],
  tissues: ['myocardium'],
};

export const SPLEEN: Structure = {
  name: 'Spleen',
  category: ANATOMICAL_STRUCTURE,
  type: ['78961009', 'SCT', 'Spleen'],
  color: [170, 110, 200],
  tissues: ['spleen'],
};

export const SPINAL_CANAL: Structure = {
  name: 'Spinal canal',
  category: ANATOMICAL_STRUCTURE,
  type: ['61853006', 'SCT', 'Spinal canal'],
  color: [250, 250, 120],
  tissues: ['cerebrospinalFluid', 'spinalCord'],
};

const KIDNEY: Structure = {
  name: 'Kidney',
  category: ANATOMICAL_STRUCTURE,
  type: ['64033007', 'SCT', 'Kidney'],
  color: [230, 160, 60],
  tissues: ['renalCortex', 'renalMedulla'],
};
export const RIGHT_KIDNEY: Structure = { ...KIDNEY, name: 'Right kidney', modifier: RIGHT, side: 'right' };
export const LEFT_KIDNEY: Structure = {
  ...KIDNEY,
  name: 'Left kidney',
  modifier: LEFT,
  color: [190, 190, 70],
  side: 'left',
};

/** Everything inside the skin. */
export const BODY: Structure = {
  name: 'Body',
  category: ANATOMICAL_STRUCTURE,
  type: ['38266002', 'SCT', 'Body'],
  color: [200, 200, 200],
  tissues: TISSUE_NAMES.filter((name) => name !== 'air'),
};

const STRUCTURES: readonly Structure[] = [
  BODY,
  LIVER,
  LIVER_LESIONS,
  RIGHT_LUNG,
  LEFT_LUNG,
  HEART,
  SPLEEN,
  RIGHT_KIDNEY,
  LEFT_KIDNEY,
  SPINAL_CANAL,
];

/** The bit of a structure in a `Membership`. */
export function bitOf(structure: Structure): number {
  return 1 << STRUCTURES.indexOf(structure);
}

/** The structures that each pixel of a plane belongs to, as bits. */
export type Membership = {
  readonly bits: Uint16Array;
  /** The bits that occur in each row, and in each column. */
  readonly rowBits: Uint16Array;
  readonly columnBits: Uint16Array;
};

/** For planes perpendicular to the body axis, where each column is either left or right. */
export function membershipOf({ plane, labels }: { plane: Plane; labels: Uint8Array }): Membership {
  const right = bitsOfLabel('right');
  const left = bitsOfLabel('left');
  // Column of the middle of the body: the patient's right is at the left of the image.
  const middle = Math.round(-plane.origin[0] / plane.spacingMm);
  const bits = new Uint16Array(labels.length);
  const rowBits = new Uint16Array(plane.rows);
  const columnBits = new Uint16Array(plane.columns);
  for (let row = 0; row < plane.rows; row++) {
    const marking = { row, labels, bits, columnBits };
    rowBits[row] =
      markRow(marking, right, { from: 0, end: middle }) | markRow(marking, left, { from: middle, end: plane.columns });
  }
  return { bits, rowBits, columnBits };
}

type Marking = {
  readonly row: number;
  readonly labels: Uint8Array;
  readonly bits: Uint16Array;
  readonly columnBits: Uint16Array;
};

/** Marks some columns of a row with the bits of their labels, and returns all bits found. */
function markRow(
  { row, labels, bits, columnBits }: Marking,
  bitsOf: Uint16Array,
  { from, end }: { from: number; end: number },
): number {
  const first = row * columnBits.length;
  let any = 0;
  for (let column = from; column < end; column++) {
    const found = bitsOf[labels[first + column]!]!;
    if (found === 0) continue;
    bits[first + column] = found;
    columnBits[column]! |= found;
    any |= found;
  }
  return any;
}

function bitsOfLabel(side: 'left' | 'right'): Uint16Array {
  const bits = new Uint16Array(TISSUE_NAMES.length);
  for (const structure of STRUCTURES) {
    if (structure.side !== undefined && structure.side !== side) continue;
    for (const tissue of structure.tissues) bits[LABEL[tissue]]! |= bitOf(structure);
  }
  return bits;
}

/** Rows and columns, both ends included. */
export type Box = { readonly top: number; readonly bottom: number; readonly left: number; readonly right: number };

/** The smallest box around a structure; undefined if it does not occur. */
export function boxOf(bit: number, { rowBits, columnBits }: Membership): Box | undefined {
  const isIn = (bits: number) => (bits & bit) !== 0;
  const top = rowBits.findIndex(isIn);
  if (top < 0) return undefined;
  return {
    top,
    bottom: rowBits.findLastIndex(isIn),
    left: columnBits.findIndex(isIn),
    right: columnBits.findLastIndex(isIn),
  };
}
