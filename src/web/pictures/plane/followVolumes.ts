import { pixelToPatient } from '../../../shared/geometry.ts';
import { cellsOf, updateCell } from '../../state/cells.ts';
import { libraryOf, stackOf } from '../../state/library.ts';
import type { Page } from '../../state/page.ts';
import type { ViewStack } from '../../state/stacks.ts';
import { isVolume, reloadVolume, type StackVolume, volumesOf } from '../../state/volumes.ts';
import { findPositionAt } from '../findPositionAt.ts';
import type { PictureSource } from '../pictureSource.ts';
import { gridAt, cutVolume } from './cutVolume.ts';
import { parsePlaneId } from './planeId.ts';

type OpenPlane = (id: string) => PictureSource | undefined;

/** Keeps planes in place while the stacks of their volumes grow. Returns a function that stops it. */
export function followVolumes(page: Page, open: OpenPlane): () => void {
  /** The stack for which each volume was described. */
  const described = new WeakMap<StackVolume, ViewStack>();

  const look = () => {
    const { files } = libraryOf(page).getState();
    for (const answer of volumesOf(page).getState().answers.values()) {
      const file = isVolume(answer) ? files[answer.address.fileIndex] : undefined;
      if (file === undefined || !isVolume(answer)) continue;
      const stack = stackOf(page, file);
      const before = described.get(answer);
      if (before === undefined) described.set(answer, stack);
      else if (before.frames.length !== stack.frames.length) void reloadVolume(page, answer.address);
    }
  };
  const stops = [
    libraryOf(page).subscribe(look),
    volumesOf(page).subscribe((state, before) => {
      for (const [key, answer] of state.answers) {
        const earlier = before.answers.get(key);
        if (isVolume(answer) && isVolume(earlier) && answer !== earlier)
          movePlanes(page, { before: earlier, volume: answer, open });
      }
      look();
    }),
  ];
  look();
  return () => {
    for (const stop of stops) stop();
  };
}

/** New slices may come before the others, so a position counts other planes. */
type Growth = { readonly before: StackVolume; readonly volume: StackVolume; readonly open: OpenPlane };

function movePlanes(page: Page, { before, volume, open }: Growth): void {
  for (const [cell, { pictureId, position }] of cellsOf(page).getState().cells.entries()) {
    const named = parsePlaneId(pictureId);
    if (pictureId === undefined || named?.address.fileIndex !== volume.address.fileIndex) continue;
    if (named.address.frame !== volume.address.frame) continue;
    const point = pixelToPatient(gridAt(cutVolume(before, named.spec), position), { row: 0, column: 0 });
    const source = open(pictureId);
    const next = source && findPositionAt(source, point, position);
    if (next !== undefined && next !== position) updateCell(page, cell, { position: next });
  }
}
