import type { MarkMask } from '../../../../shared/contract/marks.ts';
import type { GridSpacing } from '../../../../shared/maskTools/voxelGrid.ts';
import type { ShownFrame } from '../../../show/pictures/shownFrame.ts';
import { findShownSamples } from '../../../show/pictures/viewport/shownSamples.ts';
import { reportOf } from '../../../show/pictures/viewports.ts';
import { say } from '../../../kit/state/messages.ts';
import type { Page } from '../../../kit/state/page.ts';
import { isVolume, loadVolume, type StackVolume } from '../../../kit/state/volumes.ts';
import { type BrushMark, listBrushMarks, stackOfMark } from '../masks/brushes.ts';
import { findGround, findPaintedFrame, type PaintGround } from '../masks/paintGround.ts';
import { findStackOfKey } from '../masks/placeOfMask.ts';
import { scaleOf } from '../shapes/frameScale.ts';
import { findClass } from '../shapes/labels.ts';
import { frameKey } from '../sync/markForm.ts';
import { marksOf } from '../sync/marks.ts';
import type { JobSamples } from './maskJob.ts';

/** The picture that a tool works on. */
export type MaskTarget = { readonly cell: number; readonly shown: ShownFrame; readonly ground: PaintGround };

/** Says why if there is none. */
export function findTarget(page: Page, cell: number): MaskTarget | undefined {
  if (reportOf(page, cell).tiles !== undefined) {
    say(page, 'This works on images and planes, not on slides', 'failed');
    return undefined;
  }
  const shown = findPaintedFrame(page, cell);
  const ground = shown && findGround(page, cell, shown);
  if (shown === undefined || ground === undefined) {
    say(page, 'A mask can be changed on an image or a plane, not here', 'failed');
    return undefined;
  }
  return { cell, shown, ground };
}

/** The samples of the picture on the screen, exactly as many as it has pixels. */
export function findSamples(page: Page, { cell, ground }: MaskTarget): JobSamples | undefined {
  const frame = findShownSamples(page, cell);
  const { columns, rows } = ground.size;
  const isWhole = frame?.places === undefined || frame.places.used === frame.places.needed;
  if (frame === undefined || frame.columns !== columns || frame.rows !== rows || !isWhole) return undefined;
  return frame.coarseness === undefined || frame.coarseness === 1 ? frame : undefined;
}

/** The masks of the stack that the picture belongs to. */
export function listMasksHere(page: Page, { ground }: MaskTarget): readonly BrushMark[] {
  const stackId = findStackOfKey(page, frameKey(ground.frame))?.id;
  return listBrushMarks(page).filter((mark) => mark.slide === undefined && stackOfMark(page, mark)?.id === stackId);
}

/** The mask that a command changes: the selected one, the one that was painted last, or the only one. Says why if none. */
export function chooseMask(page: Page, here: readonly BrushMark[]): BrushMark | undefined {
  const { selected, painted } = marksOf(page).getState();
  const only = here.length === 1 ? here[0] : undefined;
  const found = here.find(({ uid }) => uid === selected) ?? here.find(({ uid }) => uid === painted) ?? only;
  if (found === undefined) {
    const text =
      here.length === 0 ? 'There is no mask on these images' : 'Select one of the masks in the panel of marks';
    say(page, `${text}. Paint one, or grow a region.`, 'failed');
    return undefined;
  }
  if (found.words.locked) say(page, 'This mask is locked', 'failed');
  return found.words.locked ? undefined : found;
}

export function nameMask(page: Page, { words }: BrushMark, number: number): string {
  const named = [findClass(page, words.class)?.title, words.label].filter(Boolean).join(': ');
  return named === '' ? `Mask ${number}` : named;
}

/** Distances on the picture; in pixels if their size is unknown. */
export function pictureSpacingOf({ shown, ground }: MaskTarget): GridSpacing & { readonly unit: string } {
  const { grid, file, plane, screen } = shown;
  const known =
    ground.isCut && grid !== undefined
      ? [grid.plane.rowSpacingMm, grid.plane.columnSpacingMm]
      : scaleOf(file, plane).spacingMm;
  const [row, column] = known ?? [];
  if (row === undefined || column === undefined) {
    return { column: 1, row: screen.image.aspect, positions: [0], unit: 'px' };
  }
  return { column, row, positions: [0], unit: 'mm' };
}

/** The slices of the volume that the picture is in, at its time. */
type TargetVolume = {
  readonly volume: StackVolume;
  readonly time: number;
  /** By place, as `frameKey`. */
  readonly keys: readonly string[];
};

/** Throws a sentence for the user if there is none. */
export async function loadTargetVolume(page: Page, { ground }: MaskTarget): Promise<TargetVolume> {
  const [first] = findStackOfKey(page, frameKey(ground.frame))?.frames ?? [];
  const { fileIndex, frame } = first ?? ground.frame;
  const answer = ground.cutOf?.volume ?? (await loadVolume(page, { fileIndex, frame }));
  if (!isVolume(answer)) {
    const why = 'refusal' in answer ? answer.refusal : answer.error.message;
    throw new Error(`This is done in one image at a time here: the images are no volume (${why})`);
  }
  const { frames, table } = answer;
  const places = table.positionsMm.length;
  const all = Array.from(frames.fileIndices, (file, at) =>
    frameKey({ fileIndex: file, frame: frames.frameIndices[at] ?? 0 }),
  );
  const own = all.indexOf(frameKey(ground.frame));
  if (own < 0) throw new Error('This image is not part of the volume of its series. Choose “This image”.');
  const time = ground.cutOf?.time ?? Math.floor(own / places);
  const keys = all.slice(time * places, (time + 1) * places);
  if (new Set(keys).size < places) throw new Error('Masks of mosaics can be changed in one image at a time only');
  return { volume: answer, time, keys };
}

export function masksAt({ slices }: BrushMark, keys: readonly string[]): readonly (MarkMask | undefined)[] {
  return keys.map((key) => slices.get(key));
}
