import { SPACING_SOURCES } from '../../../../shared/contract/fileTerms.ts';
import { dot, normalOf, type PlaneOrientation, type Vector3 } from '../../../../shared/geometry.ts';
import type { PositionTable } from '../../../../shared/positionTable.ts';
import type { Catalog } from '../../../images/catalog/catalog.ts';
import { nameSpace } from '../../../../shared/spaceName.ts';
import type { DicomFile } from '../../../images/catalog/dicomFile.ts';
import { nameLacking } from '../../../standard/geometry/nameLacking.ts';
import { isMosaicType } from '../../../standard/geometry/mosaicType.ts';
import type { SeriesList } from '../../../images/series/seriesList.ts';
import { createFrameTable, orderFrames } from '../../../images/series/frameTable.ts';
import { listIrregularGaps, markHoles, measurePlaces } from '../../../images/series/places.ts';
import { evidenceOf, type PackedStack } from '../../../images/series/stackRecord.ts';
import { LAYER_OBJECTS } from '../../../../shared/contract/layers.ts';
import { findLayerName } from '../layerFiles.ts';

/** A stack of images that an array may lie over. */
export type StackGrid = {
  /** The same for the same frames in the same places. */
  readonly key: string;
  /** Its first file stands for the study and series of all. */
  readonly first: DicomFile;
  readonly rows: number;
  readonly columns: number;
  readonly frames: readonly GridFrame[];
  /** Number of different places. Frames of several times share theirs. */
  readonly placeCount: number;
  /** The places along the normal; undefined if the positions of the frames are not known. */
  readonly table: PositionTable | undefined;
  /** Its coordinates, by the name of `nameSpace`. */
  readonly frameOfReferenceUid: string | undefined;
  /** Why the positions are not known, if there is no table. */
  readonly problem: string | undefined;
};

export type GridFrame = { readonly file: DicomFile; readonly frame: number; readonly place: number };

/** Stacks beyond are not looked at: each takes a message to the thread that builds them. */
const MOST_STACKS = 512;
const MOST_LOOKUPS = 2_048;

/** All stacks of images that are no layers themselves. */
export async function listStackGrids(
  { files }: Pick<Catalog, 'files'>,
  { findStack }: Pick<SeriesList, 'findStack'>,
): Promise<readonly StackGrid[]> {
  const grids: StackGrid[] = [];
  /** The frames of each file that are in a known stack. */
  const covered = new Map<number, Set<number>>();
  let lookups = 0;
  for (const file of files) {
    const name = findLayerName(file);
    const isImage = name === undefined || LAYER_OBJECTS[name].isImage;
    if (!file.hasPixels || !isImage || file.placement?.slide !== undefined) continue;
    for (let frame = 0; frame < file.frameCount; frame += 1) {
      if (covered.get(file.index)?.has(frame) === true) continue;
      lookups += 1;
      if (lookups > MOST_LOOKUPS || grids.length === MOST_STACKS) return grids;
      const stack = await findStack(file.index, frame);
      if (stack === undefined || !('fileIndices' in stack)) break;
      for (const [at, index] of stack.fileIndices.entries()) {
        const known = covered.get(index);
        if (known === undefined) covered.set(index, new Set([stack.frameIndices[at]!]));
        else known.add(stack.frameIndices[at]!);
      }
      const grid = buildGrid(files, stack);
      if (grid !== undefined) grids.push(grid);
      if (covered.get(file.index)?.has(frame) !== true) break;
    }
  }
  return grids;
}

function buildGrid(files: readonly DicomFile[], stack: PackedStack): StackGrid | undefined {
  const first = files[stack.fileIndices[0] ?? -1];
  if (first === undefined) return undefined;
  const { rows, columns } = first;
  const listed = Array.from(stack.fileIndices, (index, at) => ({
    file: files[index]!,
    frame: stack.frameIndices[at]!,
    at,
  }));
  if (listed.some(({ file }) => file.rows !== rows || file.columns !== columns)) return undefined;
  const frameOfReferenceUid = nameSpace(stack.frameOfReferenceUid, first.seriesInstanceUid);
  const shared = { key: stack.key, first, rows, columns, frameOfReferenceUid };
  const isMosaic = isMosaicType(first.placement?.imageType.split('\\') ?? []);
  const placed = placeFrames(stack, { rows, columns, isMosaic });
  if ('problem' in placed) {
    const frames = listed.map(({ file, frame, at }) => ({ file, frame, place: at }));
    return { ...shared, frames, placeCount: frames.length, table: undefined, problem: placed.problem };
  }
  const frames = listed.map(({ file, frame, at }) => ({ file, frame, place: placed.placeOf[at]! }));
  return { ...shared, frames, placeCount: placed.placeCount, table: placed.table, problem: undefined };
}

function placeFrames(
  stack: PackedStack,
  { rows, columns, isMosaic }: { readonly rows: number; readonly columns: number; readonly isMosaic: boolean },
) {
  const { length, points, orientationOf, spacingOf, spacingsMm, spacingSources, orientations, space } = stack;
  const [rowSpacingMm, columnSpacingMm] = [spacingsMm[0]!, spacingsMm[1]!];
  const isPlane =
    SPACING_SOURCES[spacingSources[0] ?? -1] === 'pixel_spacing' && rowSpacingMm > 0 && columnSpacingMm > 0;
  const lacks = {
    position: points.some(Number.isNaN),
    orientation: orientationOf.some((number) => number < 0),
    spacing: !isPlane,
    isMosaic,
  };
  if (lacks.position || lacks.orientation || lacks.spacing) return { problem: `the images have ${nameLacking(lacks)}` };
  if (space !== 'patient') return { problem: 'the positions of the images are not in the coordinates of the patient' };
  const isOne = orientationOf.every((number) => number === 0) && spacingOf.every((number) => number === 0);
  if (!isOne) return { problem: 'the images differ in orientation or pixel size' };
  const vector = (from: number): Vector3 => [orientations[from]!, orientations[from + 1]!, orientations[from + 2]!];
  const orientation: PlaneOrientation = { rowDirection: vector(0), columnDirection: vector(3) };
  const normal = normalOf(orientation);
  const pointAt = (at: number): Vector3 => [points[3 * at]!, points[3 * at + 1]!, points[3 * at + 2]!];
  const frames = createFrameTable(length, evidenceOf(stack));
  frames.points.set(points);
  for (let at = 0; at < length; at += 1) frames.positionsMm[at] = dot(normal, pointAt(at));
  const order = orderFrames(frames);
  const measured = measurePlaces(frames, order);
  const { starts, positionsMm, spacingMm = Math.max(rowSpacingMm, columnSpacingMm) } = measured;
  const places = starts.map((start) => order[start]!);
  const placeOf = new Int32Array(length);
  for (const [place, start] of starts.entries()) {
    for (const at of order.subarray(start, starts[place + 1] ?? length)) placeOf[at] = place;
  }
  const table: PositionTable = {
    ...orientation,
    rows,
    columns,
    rowSpacingMm,
    columnSpacingMm,
    spacingMm,
    ...(places.length > 1
      ? {
          positionsMm,
          points: Float64Array.from(places.flatMap((at) => [...pointAt(at)])),
          isHole: markHoles(measured, listIrregularGaps(frames, measured, order)),
        }
      : besideNothing(pointAt(places[0] ?? 0), normal, spacingMm)),
  };
  return { table, placeOf, placeCount: places.length };
}

/** A table has two places at least. The second one is far away, behind a hole. */
export function besideNothing(point: Vector3, normal: Vector3, spacingMm: number) {
  const far = 4 * spacingMm;
  const beyond = point.map((part, axis) => part + far * normal[axis]!);
  const atMm = dot(normal, point);
  return {
    positionsMm: Float64Array.of(atMm, atMm + far),
    points: Float64Array.from([...point, ...beyond]),
    isHole: Uint8Array.of(1),
  };
}
