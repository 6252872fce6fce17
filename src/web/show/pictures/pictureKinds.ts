import { useStore } from 'zustand';
import type { Vector3 } from '../../../shared/geometry.ts';
import { cellOf, useCells } from '../../kit/state/cells.ts';
import type { FrameAddress } from '../../kit/api/frames.ts';
import { useLibrary } from '../../kit/state/library.ts';
import { loadChunk } from '../../kit/state/loadChunk.ts';
import { type Page, usePage } from '../../kit/state/page.ts';
import { volumesOf } from '../../kit/state/volumes.ts';
import type { PatientGrid, PictureAddress, PictureKind, PicturePlace, PictureSource } from './pictureSource.ts';
import { openPicture, refusalsOf } from './refusals.ts';
import { documentPictures } from './document/documentPictures.ts';
import { planePictures } from './plane/planePictures.ts';
import { slidePictures } from './slide/slidePictures.ts';
import { videoPictures } from './video/videoPictures.ts';
import { stackPictures } from './stack/stackPictures.ts';

/** All kinds of pictures. The first kind that opens an id shows it, so a special kind is before a general one. */
const PICTURE_KINDS: readonly PictureKind[] = [
  planePictures,
  slidePictures,
  videoPictures,
  documentPictures,
  stackPictures,
];

/** The source with this id, such as the id of a stack; undefined if nothing known has it. */
export function findPicture(page: Page, id: string | undefined): PictureSource | undefined {
  if (id === undefined) return undefined;
  for (const kind of PICTURE_KINDS) {
    const source = openPicture(page, kind, id);
    if (source !== undefined) return source;
  }
  return undefined;
}

/** What a cell shows. */
export function pictureOf(page: Page, cell: number): PictureSource | undefined {
  return findPicture(page, cellOf(page, cell).pictureId);
}

/** Like `pictureOf`, for a component. */
export function usePicture(cell: number): PictureSource | undefined {
  return useFoundPicture(useCells(({ cells }) => cells[cell]?.pictureId));
}

/** Like `findPicture`, for a component. */
export function useFoundPicture(id: string | undefined): PictureSource | undefined {
  const page = usePage();
  useStore(refusalsOf(page));
  useStore(volumesOf(page).changes);
  return useLibrary(() => findPicture(page, id));
}

/** Finds what a link names, if it is already known. */
export function locatePicture(page: Page, address: PictureAddress): PicturePlace | undefined {
  for (const kind of PICTURE_KINDS) {
    const place = kind.locate?.(page, address);
    if (place !== undefined) return place;
  }
  return undefined;
}

/** Shows a plane of the patient through the volume of a frame. */
export async function openPlaneOf(page: Page, address: FrameAddress, grid: PatientGrid): Promise<void> {
  const { showPlane } = await loadChunk(page, () => import('./plane/showPlane.ts'));
  return showPlane(page, address, grid);
}

/** A picture of a volume through its middle. */
export type MiddlePicture = PicturePlace & { readonly point: Vector3 };

/** Planes of the volume of a frame, or a MIP, as the address names them; undefined if it is no volume. */
export async function findMiddleOf(
  page: Page,
  address: FrameAddress,
  plane: string,
): Promise<MiddlePicture | undefined> {
  const { findMiddle } = await loadChunk(page, () => import('./plane/showPlane.ts'));
  return findMiddle(page, address, plane);
}
