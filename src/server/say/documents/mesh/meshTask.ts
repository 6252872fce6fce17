import { documentTask } from '../documentTasks.ts';

export type MeshAsked = { readonly most: number };
export type PackedMesh = {
  readonly points: number;
  readonly triangles: number;
  /** Coordinates of the points as floats of 32 bits, then the indices of the corners as integers of 32 bits. */
  readonly bytes: Uint8Array<ArrayBuffer>;
};

export const readMeshTask = documentTask<MeshAsked, PackedMesh>('documents.mesh');
