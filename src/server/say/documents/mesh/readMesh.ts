import type { TaskContext } from '../../../machine/workers/serveTasks.ts';
import { requireEncapsulated } from '../content/findContent.ts';
import type { DocumentFile } from '../documentTasks.ts';
import { withDocument } from '../readDocument.ts';
import type { MeshAsked, PackedMesh } from './meshTask.ts';
import { openMesh } from './openMesh.ts';

/** Implements `readMeshTask`. */
export function readMesh({ most, ...file }: MeshAsked & DocumentFile, context: TaskContext): PackedMesh {
  const { points, indices } = withDocument(file, (source) => {
    requireEncapsulated(source);
    return openMesh(source, most);
  });
  const bytes = new Uint8Array(points.byteLength + indices.byteLength);
  bytes.set(new Uint8Array(points.buffer));
  bytes.set(new Uint8Array(indices.buffer), points.byteLength);
  return { points: points.length / 3, triangles: indices.length / 3, bytes: context.transfer(bytes) };
}
