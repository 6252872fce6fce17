import type { FileRecord } from '../../shared/contract/files.ts';
import type { FrameAddress } from '../api/frames.ts';
import { type LayerReach, liesInSpace } from '../state/layers.ts';
import { findFile } from '../state/library.ts';
import type { Page } from '../state/page.ts';
import type { PatientPlane, PictureSource } from './pictureSource.ts';
import { reportOf, type ViewportScreen } from './viewports.ts';

/** What a layer lies over: a stored frame, or a plane of the patient. */
export type PictureUnder = FrameAddress | PatientPlane;

export function isPlane(target: PictureUnder): target is PatientPlane {
  return 'query' in target;
}

/** The same for the same target. */
export function keyOfTarget(target: PictureUnder): string {
  return isPlane(target) ? `${target.frameOfReferenceUid}?${target.query}` : `${target.fileIndex}/${target.frame}`;
}

/** What the picture on the screen of a cell is for its layers. Undefined for a slide, and if nothing is shown. */
export function findLayerTarget(
  page: Page,
  cell: number,
): { readonly target: PictureUnder; readonly screen: ViewportScreen } | undefined {
  const { shown, screen, tiles } = reportOf(page, cell);
  if (shown === undefined || screen === undefined || tiles !== undefined) return undefined;
  const target = targetAt(shown.source, shown.position);
  return target && { target, screen };
}

export function targetAt(source: PictureSource, position: number): PictureUnder | undefined {
  const place = source.fileOf(position);
  return place === undefined ? source.patientPlaneOf?.(position) : { fileIndex: place.file.index, frame: place.frame };
}

/** The file whose study and frame of reference a picture has. */
export function imageOf(page: Page, picture: PictureSource): FileRecord | undefined {
  const { stack } = picture;
  return stack === undefined ? picture.headerOf?.(0)?.file : findFile(page, stack.fileIndex);
}

/** Whether planes cut what a layer is made of: only its frames of reference place it. */
export function isInPlanes(layer: FileRecord, spaces: LayerReach['spaces'], picture: PictureSource): boolean {
  const plane = picture.patientPlaneOf?.(0);
  return plane !== undefined && liesInSpace(layer, spaces, plane.frameOfReferenceUid);
}
