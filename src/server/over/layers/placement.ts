import type { PlacementStatus } from '../../../shared/contract/layers.ts';
import { isSpaceOfSeries } from '../../../shared/spaceName.ts';
import { dot, type ImagePlane, lengthOf, type Vector3 } from '../../../shared/geometry.ts';
import { sizeOf, stateOf } from '../../bytes/origins/origins.ts';
import type { DicomFile } from '../../images/catalog/dicomFile.ts';
import { type Bridge, invertStep, type RegistrationGraph } from './registrationGraph.ts';
import type { BridgeStep } from './registrationTasks.ts';
import { describeMotion, invert, matrixOfSteps, nameMotion } from './rigidMotion.ts';

/** How a layer gets from its own coordinates to those of an image, or why it does not. */
export type LayerPlacement = {
  readonly status: PlacementStatus;
  readonly reason: string;
  /** The registrations that it goes through. */
  readonly via: readonly DicomFile[];
  /** From millimetres of the layer to millimetres of the image, 16 numbers row by row; undefined if they are the same. */
  readonly matrix: readonly number[] | undefined;
  /** The same with deformable registrations, which have no matrix; undefined if the coordinates are the same. */
  readonly steps?: readonly BridgeStep[];
  readonly residualMm: number | undefined;
};

/**
 * Places the coordinates of one frame of reference in another, over registrations if they differ. This is the only
 * function that decides it: what it does not place is listed with its reason and not drawn.
 */
export function placeInFrameOfReference(
  own: string | undefined,
  target: string | undefined,
  registrations?: RegistrationGraph,
): LayerPlacement {
  if (own === undefined) return unavailable('the object has no Frame of Reference UID (0020,0052)');
  if (own === target) return createPlacement('direct', 'both have the same frame of reference');
  if (isSpaceOfSeries(own)) return unavailable('the images of the layer have no Frame of Reference UID (0020,0052)');
  if (target === undefined || isSpaceOfSeries(target)) {
    return unavailable('the image has no Frame of Reference UID (0020,0052)');
  }
  const { bridges = [], hasMore = false } = registrations?.findBridges(own, target) ?? {};
  const [bridge, ...others] = bridges;
  if (bridge === undefined) {
    const problem = registrations?.findProblem(own, target);
    const why = problem === undefined ? 'no open registration connects the two' : `nothing is registered: ${problem}`;
    return unavailable(`the image has another frame of reference, and ${why}`);
  }
  if (others.length > 0 || hasMore) {
    const names = bridges.map(({ via }) => nameFiles(via)).join(', or ') + (hasMore ? ' and others' : '');
    return createPlacement(
      'ambiguous',
      `open registrations connect the frames of reference in different ways: ${names}`,
    );
  }
  const { steps, via } = bridge;
  const matrix = matrixOfSteps(steps);
  const status = matrix === undefined ? 'deformed' : 'registered';
  return { status, reason: nameWay(bridge), via, matrix, steps, residualMm: undefined };
}

/** How registrations move a layer, in words. */
export function nameWay({ steps, via }: Bridge): string {
  const matrix = matrixOfSteps(steps);
  const over = `${via.length === 1 ? 'over the registration' : `over ${via.length} registrations,`} ${nameFiles(via)}`;
  return matrix === undefined ? `${over}, which deforms it` : `${over}: ${nameMotion(describeMotion(matrix))}`;
}

function nameFiles(files: readonly DicomFile[]): string {
  return files
    .map(({ seriesDescription, index }) => `“${seriesDescription === '' ? `file ${index}` : seriesDescription}”`)
    .join(' and ');
}

/** Directions of a plane that deviate more from a right angle are not those of pixels. */
const RIGHT_ANGLE = 1e-3;

/**
 * A plane of an image in the coordinates of a layer that lies over it, pixel by pixel the same. Undefined if a
 * registration bends or shears it, so that it is no plane of pixels there.
 */
export function planeInLayer<Plane extends ImagePlane>(
  plane: Plane,
  { steps, matrix }: Pick<LayerPlacement, 'steps' | 'matrix'>,
): Plane | undefined {
  if (steps === undefined) return plane;
  if (matrix === undefined) return undefined;
  const back = invert(matrix);
  const turn = ([x, y, z]: Vector3, w: 0 | 1): Vector3 => {
    const at = (row: number) => back[row]! * x + back[row + 1]! * y + back[row + 2]! * z + back[row + 3]! * w;
    return [at(0), at(4), at(8)];
  };
  const [row, column] = [turn(plane.rowDirection, 0), turn(plane.columnDirection, 0)];
  const [along, down] = [lengthOf(row), lengthOf(column)];
  const rowDirection: Vector3 = [row[0] / along, row[1] / along, row[2] / along];
  const columnDirection: Vector3 = [column[0] / down, column[1] / down, column[2] / down];
  if (Math.abs(dot(rowDirection, columnDirection)) > RIGHT_ANGLE) return undefined;
  return {
    ...plane,
    position: turn(plane.position, 1),
    rowDirection,
    columnDirection,
    columnSpacingMm: plane.columnSpacingMm * along,
    rowSpacingMm: plane.rowSpacingMm * down,
  };
}

/**
 * The way of points of an image into a layer that registrations put over it: where a value or a label is looked up. Of a
 * deformable registration this is usually the direction in which its vectors are stored.
 */
export function wayBack({ steps = [], via }: LayerPlacement): {
  readonly steps: readonly BridgeStep[];
  /** Memory that it takes. */
  readonly bytes: number;
} {
  const back = steps.toReversed().map(invertStep);
  const isBent = steps.some(({ kind }) => kind === 'deformable');
  return { steps: back, bytes: isBent ? via.reduce((sum, { source }) => sum + 3 * sizeOf(source), 0) : 0 };
}

/** Memory for the registrations of a way: the vectors of deformable ones are read for every task. */
export function wayBytesOf({ via }: LayerPlacement): number {
  return via.reduce((sum, { fileBytes }) => sum + 3 * fileBytes, 0);
}

/** The same for the same way over the same registrations. Throws `file_gone` if one of them has changed. */
export async function keyOfWay({ via, matrix }: LayerPlacement): Promise<string> {
  const states: string[] = [];
  for (const { source } of via) states.push(await stateOf(source));
  return `${states.join()} ${matrix?.join() ?? ''}`;
}

export function unavailable(reason: string): LayerPlacement {
  return createPlacement('unavailable', reason);
}

export function createPlacement(status: PlacementStatus, reason: string): LayerPlacement {
  return { status, reason, via: [], matrix: undefined, residualMm: undefined };
}

export function isPlaced({ status }: LayerPlacement): boolean {
  return status !== 'unavailable' && status !== 'ambiguous';
}
