import { pixelToPatient } from '../../../../shared/geometry.ts';
import { cellsOf, updateCell } from '../../../kit/state/cells.ts';
import { libraryOf } from '../../../kit/state/library.ts';
import type { Page } from '../../../kit/state/page.ts';
import { isVolume, type StackVolume, volumesOf } from '../../../kit/state/volumes.ts';
import { findPositionAt } from '../findPositionAt.ts';
import { gridAt, cutVolume } from '../../../../shared/cutVolume.ts';
import { parsePlaneId } from './planeId.ts';
import { openPlane } from './planeSource.ts';

/** Keeps planes in place while the stacks of their volumes grow, as long as the page lives. */
export function followVolumes(page: Page): void {
  let known: ReadonlyMap<string, StackVolume> = new Map();
  const listVolumes = () =>
    new Map(
      volumesOf(page)
        .all()
        .flatMap(([{ fileIndex, frame }, answer]) =>
          isVolume(answer) ? [[`${fileIndex}/${frame}`, answer] as const] : [],
        ),
    );
  // Answers of stacks that have other frames now are asked for again.
  const renew = () => {
    for (const { address } of known.values()) void volumesOf(page).load(address);
  };
  const look = () => {
    const before = known;
    known = listVolumes();
    for (const [key, volume] of known) {
      const earlier = before.get(key);
      if (volume !== earlier) movePlanes(page, { before: earlier, volume });
    }
    renew();
  };
  libraryOf(page).subscribe(renew);
  volumesOf(page).changes.subscribe(look);
  known = listVolumes();
  renew();
}

type Growth = { readonly before: StackVolume | undefined; readonly volume: StackVolume };

/** New slices may come before the others, so a position counts other planes. A link may name one that is not there. */
function movePlanes(page: Page, { before, volume }: Growth): void {
  for (const [cell, { pictureId, position }] of cellsOf(page).getState().cells.entries()) {
    const named = parsePlaneId(pictureId);
    if (pictureId === undefined || named?.address.fileIndex !== volume.address.fileIndex) continue;
    if (named.address.frame !== volume.address.frame) continue;
    const source = openPlane(page, pictureId);
    if (source === undefined) continue;
    const grid = before && gridAt(cutVolume(before, named.spec), position);
    const next =
      grid === undefined
        ? Math.min(position, source.positions - 1)
        : findPositionAt(source, pixelToPatient(grid, { row: 0, column: 0 }), position);
    if (next !== undefined && next !== position) updateCell(page, cell, { position: next });
  }
}
