import {
  buildImagePlane,
  cross,
  dot,
  type ImagePlane,
  normalOf,
  pixelToPatient,
  type Vector3,
} from '../../../../shared/geometry.ts';
import type { DataSet } from '../../../standard/dicom/dataSet.ts';
import * as Tag from '../../../standard/dicom/tag.ts';
import { readRegions, type RegionCollector } from '../graphics/readRegions.ts';
import type { RegionPart, RegionRecord } from '../graphics/regionRecord.ts';
import type { ReadSpatialInput } from '../spatial/spatialLayers.ts';
import { readSlabs, type ExcitedSlab, SLAB_TAGS } from '../../../standard/geometry/readSlabs.ts';

/** Implements `readSpectroscopyTask`: where the spectra of an object come from, as walls in space. */
export function readSpectroscopy(input: ReadSpatialInput): RegionRecord {
  return readRegions(input, TAGS, collectVolumes);
}

const TAGS: readonly number[] = [
  ...SLAB_TAGS,
  Tag.FrameOfReferenceUID,
  Tag.Rows,
  Tag.Columns,
  Tag.SharedFunctionalGroupsSequence,
  Tag.PerFrameFunctionalGroupsSequence,
  Tag.PixelMeasuresSequence,
  Tag.PixelSpacing,
  Tag.SliceThickness,
  Tag.PlanePositionSequence,
  Tag.ImagePositionPatient,
  Tag.PlaneOrientationSequence,
  Tag.ImageOrientationPatient,
];

/** A wall: its corners in order, x, y and z of each. */
type Wall = readonly number[];

function collectVolumes(root: DataSet, { places, leaveOut, add }: RegionCollector): RegionPart[] {
  const space = root.string(Tag.FrameOfReferenceUID);
  const found: { readonly label: string; readonly walls: readonly Wall[] }[] = [];
  const slabs = readSlabs(root);
  const box = crossSlabs(slabs);
  const grid = readGrid(root);
  // What comes later is drawn over what comes before: the walls of the volume are often lines of the grid.
  if (grid !== undefined) found.push(grid);
  if (box !== undefined) found.push({ label: 'Selected volume', walls: box });
  if (found.length === 0) {
    leaveOut(
      undefined,
      slabs.length === 0
        ? 'the object does not say where its spectra come from'
        : `its ${slabs.length} slabs enclose no volume`,
    );
  } else if (space === undefined) leaveOut(undefined, 'the object names no frame of reference');
  if (space === undefined) return [];
  return found.map(({ label, walls }, at) => {
    for (const coordinates of walls) {
      add(at + 1, { shape: 'polygon', coordinates, dimensions: 3, place: places.ofSpace(space) });
    }
    return {
      number: at + 1,
      label,
      description: undefined,
      type: undefined,
      color: undefined,
      geometry: ['POLYGON'],
      text: undefined,
      count: walls.length,
    };
  });
}

/** Slabs that are less apart than this, as a share of right angles, enclose no volume that could be drawn. */
const LEAST_SHARE = 1e-3;

/** The walls of the volume that three slabs have in common; undefined if there is none. */
function crossSlabs([a, b, c]: readonly ExcitedSlab[]): Wall[] | undefined {
  if (a === undefined || b === undefined || c === undefined) return undefined;
  const across = [
    cross(b.orientation, c.orientation),
    cross(c.orientation, a.orientation),
    cross(a.orientation, b.orientation),
  ];
  const share = dot(a.orientation, across[0]!);
  const sizes = [a, b, c].map(({ orientation }) => Math.hypot(...orientation));
  if (!(Math.abs(share) > LEAST_SHARE * sizes[0]! * sizes[1]! * sizes[2]!)) return undefined;
  // The point whose distances along the three normals are given, by Cramer's rule.
  const cornerAt = (sides: readonly number[]): number[] => {
    const levels = [a, b, c].map(
      ({ orientation, center, thicknessMm }, at) =>
        dot(orientation, center) + (sides[at]! * thicknessMm * sizes[at]!) / 2,
    );
    return [0, 1, 2].map((axis) => across.reduce((sum, vector, at) => sum + levels[at]! * vector[axis]!, 0) / share);
  };
  return listWalls(cornerAt);
}

/** The six walls of a box, whose corners are given by -1 or 1 for each of its directions. */
function listWalls(cornerAt: (sides: readonly number[]) => readonly number[]): Wall[] {
  const around = [
    [-1, -1],
    [-1, 1],
    [1, 1],
    [1, -1],
  ] as const;
  return [0, 1, 2].flatMap((axis) =>
    [-1, 1].map((side) =>
      around.flatMap(([one, other]) => {
        const sides: number[] = [one, other];
        sides.splice(axis, 0, side);
        return cornerAt(sides);
      }),
    ),
  );
}

/** More lines than this in one direction are not drawn, only the box around them. */
const MOST_LINES = 64;

/** The voxels of the first frame, as the walls between them. */
function readGrid(root: DataSet) {
  const rows = root.number(Tag.Rows) ?? 1;
  const columns = root.number(Tag.Columns) ?? 1;
  const [shared] = root.items(Tag.SharedFunctionalGroupsSequence);
  const [first] = root.items(Tag.PerFrameFunctionalGroupsSequence);
  const group = (tag: number) => first?.items(tag)[0] ?? shared?.items(tag)[0];
  const measures = group(Tag.PixelMeasuresSequence);
  const thicknessMm = measures?.number(Tag.SliceThickness) ?? 0;
  const plane = buildImagePlane(
    group(Tag.PlanePositionSequence)?.numbers(Tag.ImagePositionPatient, 3),
    group(Tag.PlaneOrientationSequence)?.numbers(Tag.ImageOrientationPatient, 6),
    measures?.numbers(Tag.PixelSpacing, 2),
  );
  if (plane === undefined || !(thicknessMm > 0) || !(rows >= 1 && columns >= 1)) return undefined;
  const label = rows * columns === 1 ? 'Voxel' : `Grid of ${rows} × ${columns} voxels`;
  return { label, walls: listGridWalls(plane, { rows, columns, thicknessMm }) };
}

type GridSize = { readonly rows: number; readonly columns: number; readonly thicknessMm: number };

function listGridWalls(plane: ImagePlane, { rows, columns, thicknessMm }: GridSize): Wall[] {
  const normal = normalOf(plane);
  const cornerAt = (column: number, row: number, side: number): Vector3 => {
    const [x, y, z] = pixelToPatient(plane, { column, row });
    const mm = (side * thicknessMm) / 2;
    return [x + normal[0] * mm, y + normal[1] * mm, z + normal[2] * mm];
  };
  const [right, bottom] = [columns - 0.5, rows - 0.5];
  // A wall that stands on the line between two corners, from one side of the slice to the other.
  const standing = (from: readonly [number, number], to: readonly [number, number]) => [
    ...cornerAt(...from, -1),
    ...cornerAt(...to, -1),
    ...cornerAt(...to, 1),
    ...cornerAt(...from, 1),
  ];
  const lying = (side: number) => [
    ...cornerAt(-0.5, -0.5, side),
    ...cornerAt(right, -0.5, side),
    ...cornerAt(right, bottom, side),
    ...cornerAt(-0.5, bottom, side),
  ];
  return [
    ...listLines(columns).map((at) => standing([at, -0.5], [at, bottom])),
    ...listLines(rows).map((at) => standing([-0.5, at], [right, at])),
    lying(-1),
    lying(1),
  ];
}

/** The borders of so many voxels beside each other. */
function listLines(count: number): number[] {
  if (count > MOST_LINES) return [-0.5, count - 0.5];
  return Array.from({ length: count + 1 }, (_, at) => at - 0.5);
}
