import type { PlacementStatus } from '../../shared/contract/layers.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';

/** How a layer gets from its own coordinates to those of an image, or why it does not. */
export type LayerPlacement = {
  readonly status: PlacementStatus;
  readonly reason: string;
  /** The registrations that it goes through. */
  readonly via: readonly DicomFile[];
  /** From millimetres of the layer to millimetres of the image, 16 numbers row by row; undefined if they are the same. */
  readonly matrix: readonly number[] | undefined;
  readonly residualMm: number | undefined;
};

/**
 * Places the coordinates of one frame of reference in another. This is the only function that decides it: what it does
 * not place is listed with its reason and not drawn. Registrations, which connect different frames of reference, belong
 * here.
 */
export function placeInFrameOfReference(own: string | undefined, target: string | undefined): LayerPlacement {
  if (own === undefined) return unavailable('the object does not declare the frame of reference of its coordinates');
  if (target === undefined) return unavailable('the image does not declare a frame of reference');
  if (own !== target) {
    return unavailable('the image has another frame of reference, and no open registration connects the two');
  }
  return createPlacement('direct', 'both have the same frame of reference');
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
