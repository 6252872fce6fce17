import { dot, hasSameOrientation, normalOf } from '../../../../shared/geometry.ts';
import type { FrameAddress } from '../../../kit/api/frames.ts';
import { activateCell, cellOf, cellsOf, openInCell, updateCell } from '../../../kit/state/cells.ts';
import { say } from '../../../kit/state/messages.ts';
import type { Page } from '../../../kit/state/page.ts';
import { isVolume, loadVolume, type StackVolume } from '../../../kit/state/volumes.ts';
import { findPositionAt, imagePlaneOf } from '../findPositionAt.ts';
import { type MiddlePicture, pictureOf } from '../pictureKinds.ts';
import type { PatientGrid, PictureSource } from '../pictureSource.ts';
import { scrollTo } from '../scroll.ts';
import { isSameStack, visibleCells } from '../shownFrame.ts';
import { middleOf, straightOrientation } from '../../../../shared/cutVolume.ts';
import { parseMip } from './mipSpec.ts';
import { formatMipId, formatPlaneId, parsePlaneId } from './planeId.ts';
import { preparePlanes } from './planePictures.ts';
import { openPlane } from './planeSource.ts';
import { PLANE_NAMES } from '../../../../shared/planeNames.ts';
import { parsePlane, type PlaneSpec, straightPlane } from './planeSpec.ts';

/** Shows a plane of a volume in a cell that has planes parallel to it, else in the active one. */
export async function showPlane(page: Page, address: FrameAddress, onPlane: PatientGrid): Promise<void> {
  const { activeCell } = cellsOf(page).getState();
  const cells = [activeCell, ...visibleCells(page)];
  for (const cell of cells) {
    const source = pictureOf(page, cell);
    const position = source && positionOfPlane(page, source, address, onPlane);
    if (position === undefined) continue;
    activateCell(page, cell);
    scrollTo(page, cell, position);
    return;
  }
  await preparePlanes(page);
  const volume = await loadVolume(page, { fileIndex: address.fileIndex, frame: address.frame });
  if (!isVolume(volume)) {
    const reason = 'refusal' in volume ? volume.refusal : volume.error.message;
    say(page, `The plane of this mark cannot be shown: ${reason}`, 'failed');
    return;
  }
  const spec = specOf(volume, onPlane);
  const id = formatPlaneId(volume.address, spec);
  const source = openPlane(page, id);
  const position = (source && findPositionAt(source, onPlane.plane.position, 0)) ?? 0;
  const isBesides = (cell: number) => {
    const shown = parsePlaneId(cellOf(page, cell).pictureId);
    return shown?.spec.name === spec.name && isSameStack(page, shown.address.fileIndex, address.fileIndex);
  };
  const found = cells.find(isBesides);
  if (found === undefined) openInCell(page, activeCell, id, position);
  else {
    activateCell(page, found);
    updateCell(page, found, { pictureId: id, position, isAtStart: false });
  }
}

/** The position of the plane among those of a source; undefined if it is none of them. */
function positionOfPlane(
  page: Page,
  source: PictureSource,
  { fileIndex }: FrameAddress,
  { plane, slabMm, time }: PatientGrid,
): number | undefined {
  const file = source.traits.cuts ? source.headerOf?.(0)?.file : undefined;
  const isSameCut = source.line?.slabMm === slabMm && (source.timed?.time ?? 0) === time;
  if (file === undefined || !isSameCut || !isSameStack(page, file.index, fileIndex)) return undefined;
  const position = findPositionAt(source, plane.position, 0);
  const found = position === undefined ? undefined : imagePlaneOf(source, position);
  return found !== undefined && hasSameOrientation(found, plane, 1e-6) ? position : undefined;
}

function specOf(volume: StackVolume, { plane, slabMm, time }: PatientGrid): PlaneSpec {
  const straight = PLANE_NAMES.find((name) => hasSameOrientation(straightOrientation(volume, name), plane, 1e-6));
  if (straight !== undefined) return { ...straightPlane(straight), slabMm, time };
  const normal = normalOf(plane);
  const nearness = PLANE_NAMES.map((name) => Math.abs(dot(normalOf(straightOrientation(volume, name)), normal)));
  const name = PLANE_NAMES[nearness.indexOf(Math.max(...nearness))] ?? 'axial';
  const { rowDirection, columnDirection, position } = plane;
  const turned = { orientation: { rowDirection, columnDirection }, through: position };
  return { ...straightPlane(name), turned, slabMm, time };
}

/** The picture of a volume that the address names, through the middle of the volume; undefined if there is no volume. */
export async function findMiddle(page: Page, address: FrameAddress, text: string): Promise<MiddlePicture | undefined> {
  await preparePlanes(page);
  const volume = await loadVolume(page, address);
  if (!isVolume(volume)) return undefined;
  const point = middleOf(volume.table);
  const [spec, view] = [parsePlane(text), parseMip(text)];
  if (spec === undefined) return view && { id: formatMipId(volume.address, view), position: 0, point };
  const id = formatPlaneId(volume.address, spec);
  const source = openPlane(page, id);
  return { id, position: (source && findPositionAt(source, point, 0)) ?? 0, point };
}
