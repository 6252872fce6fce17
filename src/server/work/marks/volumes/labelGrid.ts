import { mappingUnavailable, ViewerError } from '../../../../shared/contract/errors.ts';
import { evenSpacingOf } from '../../../../shared/evenSpacing.ts';
import type { PlaneGrid } from '../../../../shared/planeGrid.ts';
import { planeOfPlace, type PositionTable } from '../../../../shared/positionTable.ts';
import type { DicomFile } from '../../../images/catalog/dicomFile.ts';
import { findNiftiGrid, findSingleGrid, type NiftiGrid } from '../../../images/exports/nifti/niftiGrid.ts';
import { MOST_NIFTI_SIZE } from '../../../images/exports/nifti/writeNiftiHeader.ts';
import type { OwnSlices } from '../../../over/layers/layerProvider.ts';

/** Where labels lie: on the images of a stack, or on planes that are in no file. */
export type LabelGrid = {
  /** An image that the file is named after. */
  readonly of: DicomFile;
  readonly columns: number;
  readonly rows: number;
  readonly slices: number;
  /** Undefined if the slices are not equally far apart. */
  readonly regular: NiftiGrid | undefined;
} & (
  | {
      readonly kind: 'images';
      /** Why there is no grid. */
      readonly noGrid: string | undefined;
      /** File and frame of each slice. */
      readonly frames: Uint32Array<ArrayBuffer>;
      readonly table: PositionTable;
      readonly firstPlace: number;
    }
  | {
      readonly kind: 'own';
      readonly frameOfReferenceUid: string;
      /** The planes of the slices that have samples. */
      readonly planes: ReadonlyMap<number, PlaneGrid>;
    }
);

/**
 * The grid on which the slices of a layer lie. Those that were left out because they are empty are slices of it. Throws if
 * the distances between slices are not multiples of one.
 */
export function findOwnGrid({ table, places, frameOfReferenceUid }: OwnSlices, of: DicomFile): LabelGrid {
  const { rows, columns } = table;
  const [first, last] = [places[0], places.at(-1)];
  if (first === undefined || last === undefined) throw mappingUnavailable('the layer has no slice');
  const toPlane = (place: number) => ({ ...planeOfPlace(table, place), rows, columns });
  const shared = { of, kind: 'own', rows, columns, frameOfReferenceUid } as const;
  if (first === last) {
    const planes = new Map([[0, toPlane(first)]]);
    return { ...shared, slices: 1, regular: findSingleGrid(table, first, table.spacingMm), planes };
  }
  const positions = places.map((place) => table.positionsMm[place]!);
  const steps = positions.slice(1).map((mm, at) => Math.max(1, Math.round((mm - positions[at]!) / table.spacingMm)));
  const slices = 1 + steps.reduce((sum, count) => sum + count, 0);
  if (evenSpacingOf(positions, steps) === undefined) {
    throw mappingUnavailable('the slices of the layer are not equally far apart, so they are on no grid');
  }
  if (slices > MOST_NIFTI_SIZE) {
    throw new ViewerError('layer_too_large', `${slices} slices of the layer are more than ${MOST_NIFTI_SIZE}`);
  }
  let slice = 0;
  const planes = new Map<number, PlaneGrid>();
  for (const [at, place] of places.entries()) {
    slice += at === 0 ? 0 : steps[at - 1]!;
    planes.set(slice, toPlane(place));
  }
  return { ...shared, slices, regular: findNiftiGrid(fillTable(table, { first, last, slices })), planes };
}

/** A table with all slices between the first and the last. */
function fillTable(
  table: PositionTable,
  { first, last, slices }: { readonly first: number; readonly last: number; readonly slices: number },
): PositionTable {
  const between = (values: Float64Array, size: number) =>
    Float64Array.from({ length: slices * size }, (_, at) => {
      const [slice, axis] = [Math.floor(at / size), at % size];
      const [from, to] = [values[first * size + axis]!, values[last * size + axis]!];
      return from + ((to - from) * slice) / (slices - 1);
    });
  return { ...table, positionsMm: between(table.positionsMm, 1), points: between(table.points, 3) };
}
