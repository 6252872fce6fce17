import type { FrameAddress } from '../../api/frames.ts';
import { formatPlane, parsePlane, type PlaneSpec } from './planeSpec.ts';

export const PLANE_PREFIX = 'plane/';

/** The id of the planes of a volume that are parallel to one. Valid for one run of the server, because of the index. */
export function formatPlaneId({ fileIndex, frame }: FrameAddress, spec: PlaneSpec): string {
  return `${PLANE_PREFIX}${fileIndex}/${frame}/${formatPlane(spec)}`;
}

/** Undefined for the id of any other picture. */
export function parsePlaneId(
  id: string | undefined,
): { readonly address: FrameAddress; readonly spec: PlaneSpec } | undefined {
  if (id?.startsWith(PLANE_PREFIX) !== true) return undefined;
  const [fileIndex, frame, text = ''] = id.slice(PLANE_PREFIX.length).split('/');
  const spec = parsePlane(text);
  return spec && { address: { fileIndex: Number(fileIndex), frame: Number(frame) }, spec };
}
