import type { FrameAddress } from '../../../kit/api/frames.ts';
import { formatMip, type MipSpec, parseMip } from './mipSpec.ts';
import { formatPlane, parsePlane, type PlaneSpec } from './planeSpec.ts';

export const PLANE_PREFIX = 'plane/';
export const MIP_PREFIX = 'mip/';

/** The id of the planes of a volume that are parallel to one. Valid for one run of the server, because of the index. */
export function formatPlaneId({ fileIndex, frame }: FrameAddress, spec: PlaneSpec): string {
  return `${PLANE_PREFIX}${fileIndex}/${frame}/${formatPlane(spec)}`;
}

/** Undefined for the id of any other picture. */
export function parsePlaneId(
  id: string | undefined,
): { readonly address: FrameAddress; readonly spec: PlaneSpec } | undefined {
  const { address, text = '' } = split(id, PLANE_PREFIX) ?? {};
  const spec = parsePlane(text);
  return spec && address && { address, spec };
}

/** The id of the views of a volume from one side. Valid for one run of the server, because of the index. */
export function formatMipId({ fileIndex, frame }: FrameAddress, spec: MipSpec): string {
  return `${MIP_PREFIX}${fileIndex}/${frame}/${formatMip(spec)}`;
}

/** Undefined for the id of any other picture. */
export function parseMipId(
  id: string | undefined,
): { readonly address: FrameAddress; readonly spec: MipSpec } | undefined {
  const { address, text = '' } = split(id, MIP_PREFIX) ?? {};
  const spec = parseMip(text);
  return spec && address && { address, spec };
}

/** The volume of which an id names a picture; undefined for the id of any other picture. */
export function volumeAddressOf(id: string | undefined): FrameAddress | undefined {
  return (parsePlaneId(id) ?? parseMipId(id))?.address;
}

function split(id: string | undefined, prefix: string) {
  if (id?.startsWith(prefix) !== true) return undefined;
  const [fileIndex, frame, text] = id.slice(prefix.length).split('/');
  return { address: { fileIndex: Number(fileIndex), frame: Number(frame) }, text };
}

/**
 * A plane or MIP as the address of the page writes it, from its id. It is not formatted again, because directions would
 * be rounded twice.
 */
export function planeInAddress(id: string, { frame }: FrameAddress): string {
  return `${frame === 0 ? '' : `f${frame}~`}${id.slice(id.lastIndexOf('/') + 1)}`;
}
