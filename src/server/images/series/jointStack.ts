import type { DicomFile } from '../catalog/dicomFile.ts';
import type { PlaneSources } from './stackPlanes.ts';
import type { Series, Stack } from './stack.ts';

/** Several stacks of one series that may be one volume, and which of them each frame is from. */
export type JointStack = { readonly stack: Stack; readonly partOf: Uint32Array<ArrayBuffer> };

/**
 * The stacks of enhanced files that have the same form as this one, over which slices, times, echoes or b-values of one
 * volume may be spread; undefined if there is no other. Only the positions of their frames, and what tells these apart, say
 * whether they are one volume.
 */
export function joinStacks(
  { stacks }: Series,
  stack: Stack,
  sources: PlaneSources,
  mostFrames: number,
): JointStack | undefined {
  const form = formOf(stack, sources);
  if (form === undefined) return undefined;
  const parts: Stack[] = [];
  // Copies of a file are no times.
  const uids = new Set([uidOf(stack, sources)]);
  let length = 0;
  for (const other of stacks) {
    if (other !== stack) {
      const uid = uidOf(other, sources);
      if (uids.has(uid) || formOf(other, sources) !== form) continue;
      uids.add(uid);
    }
    parts.push(other);
    length += other.frames.length;
    if (length > mostFrames) return undefined;
  }
  return parts.length < 2 ? undefined : join(stack, parts, length);
}

function uidOf({ frames }: Stack, { files }: PlaneSources): string | undefined {
  return files[frames.fileIndices[0] ?? -1]?.sopInstanceUid;
}

/** Equal for stacks that may be parts of one volume; undefined for those that are volumes of their own, or none. */
function formOf({ kind, frames }: Stack, { files, geometryOf }: PlaneSources): string | undefined {
  const file = files[frames.fileIndices[0] ?? -1];
  if (file === undefined || !mayBePart(file) || (kind !== 'ordinary' && kind !== 'concatenation')) return undefined;
  const geometry = geometryOf(file);
  if (geometry !== undefined && 'problem' in geometry) return undefined;
  return JSON.stringify([
    file.sopClassUid,
    file.rows,
    file.columns,
    file.photometricInterpretation,
    file.frameOfReferenceUid,
    file.placement?.imageType,
  ]);
}

function mayBePart({ objectKind, placement, samplesPerPixel }: DicomFile): boolean {
  return objectKind === 'enhanced_image' && placement?.hasFrameGeometry === true && samplesPerPixel === 1;
}

function join(stack: Stack, parts: readonly Stack[], length: number): JointStack {
  const fileIndices = new Uint32Array(length);
  const frameIndices = new Uint32Array(length);
  const positionsMm = new Float64Array(length).fill(NaN);
  const partOf = new Uint32Array(length);
  let start = 0;
  for (const [part, { frames }] of parts.entries()) {
    fileIndices.set(frames.fileIndices, start);
    frameIndices.set(frames.frameIndices, start);
    partOf.fill(part, start, start + frames.length);
    start += frames.length;
  }
  return { stack: { ...stack, frames: { length, fileIndices, frameIndices, positionsMm } }, partOf };
}
