import { nameSpace } from '../../../../shared/spaceName.ts';
import type { FrameAddress } from '../../../kit/api/frames.ts';
import { setCrosshair } from '../../../show/pictures/crosshair.ts';
import { findPositionAt, spaceOf } from '../../../show/pictures/findPositionAt.ts';
import { pictureOf } from '../../../show/pictures/pictureKinds.ts';
import { scrollTo } from '../../../show/pictures/scroll.ts';
import { showFrame, visibleCells } from '../../../show/pictures/shownFrame.ts';
import { activateCell, cellOf, cellsOf } from '../../../kit/state/cells.ts';
import { findFile } from '../../../kit/state/library.ts';
import type { Page } from '../../../kit/state/page.ts';
import { middleOfBox } from './boxInPatient.ts';
import type { BoxInPatient } from './measurement.ts';

/** Goes to the middle of a 3-D box: with the crosshair where planes are shown, else in its stack. */
export function showBox(page: Page, { fileIndex, frame }: FrameAddress, box: BoxInPatient): void {
  const space = nameSpace(box.frameOfReferenceUid, findFile(page, fileIndex)?.series_instance_uid) ?? '';
  const center = middleOfBox(box);
  const isInSpace = (cell: number) => spaceOf(pictureOf(page, cell) ?? { axes: [] }) === space;
  const { activeCell } = cellsOf(page).getState();
  const cells = [activeCell, ...visibleCells(page)].filter(isInSpace);
  if (cells.some((cell) => pictureOf(page, cell)?.traits.cuts === true)) {
    setCrosshair(page, space, center);
    return;
  }
  if (cells.length === 0) showFrame(page, fileIndex, frame);
  const cell = cells[0] ?? cellsOf(page).getState().activeCell;
  const source = pictureOf(page, cell);
  const position = source && findPositionAt(source, center, cellOf(page, cell).position);
  activateCell(page, cell);
  if (position !== undefined) scrollTo(page, cell, position);
}
