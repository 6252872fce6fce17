import {
  dot,
  hasSameOrientation,
  type ImagePlane,
  lengthOf,
  normalOf,
  subtract,
  type Vector3,
} from '../../../../shared/geometry.ts';
import type { PositionTable } from '../../../../shared/positionTable.ts';
import { measuresAt, planeAt } from '../../../standard/geometry/frameGeometry.ts';
import { findLacking, nameLacking } from '../../../standard/geometry/nameLacking.ts';
import type { PlacedSegmentation } from './mapFrames.ts';

/** Frames of a segmentation that are slices of one volume, for all segments together. */
export type MaskTable = {
  readonly table: PositionTable;
  /** Frames (from 0), and the place of each of them. Several segments have frames in the same place. */
  readonly frames: Uint32Array<ArrayBuffer>;
  readonly places: Uint32Array<ArrayBuffer>;
};

export type MaskTables = { readonly tables: readonly MaskTable[]; readonly reason: string | undefined };

/** Frames whose first samples are this close are in the same place. */
const SAME_PLACE_MM = 0.01;
const SAME_ORIENTATION = 1e-4;
/** Segmentations have one table; more are of frames with different sizes, directions or origins. */
const MOST_TABLES = 64;
/** A larger gap between evenly spaced frames is a frame that was left out because it is empty. */
const LEFT_OUT = 1.5;

type Group = {
  readonly plane: ImagePlane;
  readonly thicknessMm: number | undefined;
  readonly members: { readonly frame: number; readonly position: Vector3; readonly atMm: number }[];
};

/**
 * Implements `placeMasksTask`: sorts the frames of a segmentation into volumes, so that planes can be cut from them.
 * Without tables, `reason` says why there are none.
 */
export function buildMaskTables({ rows, columns, frames }: PlacedSegmentation): MaskTables {
  if (frames.geometry.space === 'slide') return none('the frames of the segmentation are tiles of a slide');
  const groups: Group[] = [];
  for (let frame = 0; frame < frames.length; frame += 1) {
    const plane = planeAt(frames.geometry, frame);
    if (plane === undefined) continue;
    let group = groups.find((one) => isSameGrid(one.plane, plane));
    if (group === undefined) {
      if (groups.length === MOST_TABLES) return none('the frames of the segmentation have too many orientations');
      group = { plane, thicknessMm: measuresAt(frames.geometry, frame)?.sliceThicknessMm, members: [] };
      groups.push(group);
    }
    const { position } = plane;
    group.members.push({ frame, position, atMm: dot(normalOf(group.plane), position) });
  }
  if (groups.length === 0)
    return none(`the frames of the segmentation have ${nameLacking(findLacking(frames.geometry, 0))}`);
  const { sliceSpacing } = frames;
  const regularMm = 'spacingMm' in sliceSpacing ? sliceSpacing.spacingMm : undefined;
  const tables = groups.flatMap((group) =>
    splitByOrigin(group).map((part) => buildTable(group, part, { rows, columns, regularMm })),
  );
  if (tables.length > MOST_TABLES) return none('the frames of the segmentation lie beside each other');
  const known = tables.filter((table) => table !== undefined);
  return known.length === tables.length
    ? { tables: known, reason: undefined }
    : none('the thickness of the only plane of the segmentation is not declared');
}

function none(reason: string): MaskTables {
  return { tables: [], reason };
}

function isSameGrid(a: ImagePlane, b: ImagePlane): boolean {
  return (
    isSameLength(a.rowSpacingMm, b.rowSpacingMm) &&
    isSameLength(a.columnSpacingMm, b.columnSpacingMm) &&
    hasSameOrientation(a, b, SAME_ORIENTATION)
  );
}

function isSameLength(one: number, other: number): boolean {
  return Math.abs(one - other) <= 1e-6 * one;
}

type Place = { readonly position: Vector3; readonly atMm: number; readonly frames: number[] };

/** Places in ascending order. Frames that lie beside each other in one plane belong to different volumes. */
function splitByOrigin({ members }: Group): Place[][] {
  const parts: Place[][] = [];
  for (const { frame, position, atMm } of members.toSorted((a, b) => a.atMm - b.atMm || a.frame - b.frame)) {
    const isContinued = parts.slice(0, MOST_TABLES + 1).some((part) => {
      const last = part.at(-1)!;
      const gapMm = atMm - last.atMm;
      const distanceMm = lengthOf(subtract(position, last.position));
      if (distanceMm <= SAME_PLACE_MM) {
        last.frames.push(frame);
        return true;
      }
      // A tilted gantry moves the origin by less than the distance of the slices.
      if (gapMm <= SAME_PLACE_MM || distanceMm > 2 * gapMm) return false;
      part.push({ position, atMm, frames: [frame] });
      return true;
    });
    if (!isContinued && parts.length <= MOST_TABLES) parts.push([{ position, atMm, frames: [frame] }]);
  }
  return parts;
}

type TableFacts = { readonly rows: number; readonly columns: number; readonly regularMm: number | undefined };

function buildTable(
  { plane, thicknessMm }: Group,
  places: readonly Place[],
  { rows, columns, regularMm }: TableFacts,
): MaskTable | undefined {
  const { rowDirection, columnDirection, rowSpacingMm, columnSpacingMm } = plane;
  const gaps = places.slice(1).map(({ atMm }, at) => atMm - places[at]!.atMm);
  const spacingMm = regularMm ?? middleOf(gaps) ?? thicknessMm;
  const [only] = places;
  if (spacingMm === undefined || !(spacingMm > 0) || only === undefined) return undefined;
  const isHole = gaps.map((gapMm) =>
    Number(regularMm === undefined ? !isNarrowGap(gapMm, spacingMm) : gapMm > LEFT_OUT * regularMm),
  );
  // A table has two places at least. The second one is far away, and no frame is in it.
  const all = places.length > 1 ? places : [only, beyond(only, plane, 4 * spacingMm)];
  return {
    table: {
      rowDirection,
      columnDirection,
      rows,
      columns,
      rowSpacingMm,
      columnSpacingMm,
      positionsMm: Float64Array.from(all, ({ atMm }) => atMm),
      points: Float64Array.from(all.flatMap(({ position }) => [...position])),
      isHole: Uint8Array.from(places.length > 1 ? isHole : [1]),
      spacingMm,
    },
    frames: Uint32Array.from(places.flatMap(({ frames }) => frames)),
    places: Uint32Array.from(places.flatMap(({ frames }, place) => frames.map(() => place))),
  };
}

function beyond({ position, atMm }: Place, plane: ImagePlane, byMm: number): Place {
  const [x, y, z] = normalOf(plane);
  return {
    position: [position[0] + x * byMm, position[1] + y * byMm, position[2] + z * byMm],
    atMm: atMm + byMm,
    frames: [],
  };
}

function middleOf(numbers: readonly number[]): number | undefined {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
}

/** Frames of masks that declare no spacing are neighbours up to this multiple of the usual distance, and up to this length. */
const MOST_BRIDGED_GAPS = 3;
const MOST_BRIDGED_MM = 20;

function isNarrowGap(gapMm: number, spacingMm: number): boolean {
  return gapMm <= MOST_BRIDGED_GAPS * spacingMm && gapMm <= MOST_BRIDGED_MM;
}
