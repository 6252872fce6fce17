import { cellOf, updateCell } from '../../../kit/state/cells.ts';
import type { Page } from '../../../kit/state/page.ts';
import { findVolume, isVolume, type StackVolume } from '../../../kit/state/volumes.ts';
import type { MipSpec } from './mipSpec.ts';
import { formatMipId, formatPlaneId, parseMipId, parsePlaneId } from './planeId.ts';
import type { PlaneSpec, Projection } from './planeSpec.ts';

/** The plane that a cell shows, and its volume; undefined if it shows something else, or the volume is not known yet. */
export function findPlane(
  page: Page,
  cell: number,
): { readonly spec: PlaneSpec; readonly volume: StackVolume } | undefined {
  const named = parsePlaneId(cellOf(page, cell).pictureId);
  const volume = named && findVolume(page, named.address);
  return named !== undefined && isVolume(volume) ? { spec: named.spec, volume } : undefined;
}

/** The view of a volume that a cell shows; undefined if it shows something else, or the volume is not known yet. */
export function findMip(
  page: Page,
  cell: number,
): { readonly spec: MipSpec; readonly volume: StackVolume } | undefined {
  const named = parseMipId(cellOf(page, cell).pictureId);
  const volume = named && findVolume(page, named.address);
  return named !== undefined && isVolume(volume) ? { spec: named.spec, volume } : undefined;
}

/** Shows a volume from another side. */
export function changeMip(page: Page, cell: number, change: Partial<MipSpec>, position?: number): void {
  const shown = findMip(page, cell);
  if (shown === undefined) return;
  const pictureId = formatMipId(shown.volume.address, { ...shown.spec, ...change });
  updateCell(page, cell, { pictureId, ...(position !== undefined && { position }) });
}

/** Shows another slab or time of the plane of a cell. The position stays, because it counts the same planes. */
export function changePlane(page: Page, cell: number, change: Partial<Omit<PlaneSpec, 'name' | 'turned'>>): void {
  const plane = findPlane(page, cell);
  if (plane === undefined) return;
  updateCell(page, cell, { pictureId: formatPlaneId(plane.volume.address, { ...plane.spec, ...change }) });
}

/** Thickness of slabs in millimetres; 0 is the plane itself. */
export const SLABS_MM = [0, 1, 2, 3, 5, 7, 10, 15, 20, 30, 50] as const;
const USUAL_SLAB_MM = 10;

export function stepSlab(page: Page, cell: number, step: 1 | -1): void {
  const slabMm = findPlane(page, cell)?.spec.slabMm ?? 0;
  const next = step > 0 ? SLABS_MM.find((mm) => mm > slabMm) : SLABS_MM.findLast((mm) => mm < slabMm);
  if (next !== undefined) changePlane(page, cell, { slabMm: next });
}

const PROJECTION_ORDER: readonly Projection[] = ['max', 'min', 'mean'];

/** From no slab through all projections, and back. */
export function nextProjection(page: Page, cell: number): void {
  const { slabMm = 0, projection = 'max' } = findPlane(page, cell)?.spec ?? {};
  const next = PROJECTION_ORDER[PROJECTION_ORDER.indexOf(projection) + 1];
  if (slabMm === 0) changePlane(page, cell, { slabMm: USUAL_SLAB_MM, projection: 'max' });
  else if (next === undefined) changePlane(page, cell, { slabMm: 0, projection: 'max' });
  else changePlane(page, cell, { projection: next });
}
