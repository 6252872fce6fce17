import type { PlacementStatus } from '../../shared/contract/layers.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import type { RegistrationGraph } from './registrationGraph.ts';
import type { BridgeStep } from './registrationTasks.ts';
import { describeMotion, matrixOfSteps, nameMotion } from './rigidMotion.ts';

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
  if (own === undefined) return unavailable('the object does not declare the frame of reference of its coordinates');
  if (target === undefined) return unavailable('the image does not declare a frame of reference');
  if (own === target) return createPlacement('direct', 'both have the same frame of reference');
  const [bridge, ...others] = registrations?.findBridges(own, target) ?? [];
  if (bridge === undefined) {
    return unavailable('the image has another frame of reference, and no open registration connects the two');
  }
  if (others.length > 0) {
    const names = [bridge, ...others].map(({ via }) => nameFiles(via)).join(', or ');
    return createPlacement(
      'ambiguous',
      `open registrations connect the frames of reference in different ways: ${names}`,
    );
  }
  const { steps, via } = bridge;
  const matrix = matrixOfSteps(steps);
  const isDeformed = matrix === undefined;
  const over = `${via.length === 1 ? 'over the registration' : `over ${via.length} registrations,`} ${nameFiles(via)}`;
  return {
    status: isDeformed ? 'deformed' : 'registered',
    reason: isDeformed ? `${over}, which deforms it` : `${over}: ${nameMotion(describeMotion(matrix))}`,
    via,
    matrix,
    steps,
    residualMm: undefined,
  };
}

function nameFiles(files: readonly DicomFile[]): string {
  return files
    .map(({ seriesDescription, index }) => `“${seriesDescription === '' ? `file ${index}` : seriesDescription}”`)
    .join(' and ');
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
