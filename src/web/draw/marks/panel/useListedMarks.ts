import { useMemo } from 'react';
import { useStore } from 'zustand';
import { useShallow } from 'zustand/shallow';
import { traitsOf } from '../../../../shared/markTraits.ts';
import type { FileRecord } from '../../../../shared/contract/files.ts';
import { useCells, useStackOfCell } from '../../../kit/state/cells.ts';
import { findFile, useLibrary } from '../../../kit/state/library.ts';
import { type Page, usePage } from '../../../kit/state/page.ts';
import type { ShownTiles } from '../../../kit/state/shownTiles.ts';
import type { ViewStack } from '../../../kit/state/stacks.ts';
import { reportOf, viewportsOf } from '../../../show/pictures/viewports.ts';
import { type BrushMark, listBrushMarks } from '../masks/brushes.ts';
import { roisByFile } from '../rois/roi.ts';
import { listSlideRois, type SlideRoi } from '../rois/slideRois.ts';
import { type ListedRoi, listRois, positionsByFile } from '../rois/stackRois.ts';
import { MEASURE_KINDS } from '../shapes/measureKinds.ts';
import type { MarkWords, Measurement } from '../shapes/measurement.ts';
import { listShapes } from '../shapes/measurements.ts';
import { listedForm } from '../shapes/throughStack.ts';
import { parseFrameKey } from '../sync/markForm.ts';
import { useMarks } from '../sync/marks.ts';

/** A mark of any kind as it is listed. */
export type ListedMark = {
  readonly uid: string;
  /** Of its kind. */
  readonly title: string;
  readonly file: FileRecord;
  readonly frame: number;
  /** ROIs have none. */
  readonly words: MarkWords | undefined;
} & (
  | { readonly type: 'shape'; readonly item: Measurement }
  | { readonly type: 'brush'; readonly mask: BrushMark }
  | ({ readonly type: 'roi' } & Pick<ListedRoi, 'roi' | 'number' | 'position' | 'order'> & {
        readonly isStack: boolean;
      })
  /** A box on the slide in the active cell, which may be several ROIs of its files. */
  | { readonly type: 'box'; readonly box: SlideRoi; readonly tiles: ShownTiles }
);

/** What the active cell shows: its ROIs are listed, those of other stacks are not. */
export type ListedPlace = {
  readonly cell: number;
  readonly stack: ViewStack | undefined;
  readonly tiles: ShownTiles | undefined;
  /** The files of the stack, or of all levels of a slide. */
  readonly fileIndices: readonly number[];
};

/** All shapes and masks in order of creation, then the ROIs of the active cell in the order of its images. */
export function useListedMarks(place: ListedPlace): readonly ListedMark[] {
  const page = usePage();
  const marks = useMarks((state) => state.marks);
  const learned = useMarks((state) => state.learned);
  const files = useLibrary((library) => library.files);
  const stacks = useLibrary((library) => library.stackOfFile);
  return useMemo(
    () => listMarks(page, place),
    // Files may still be loading after the page was reloaded, and shapes through stacks need their stacks.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
    [page, place, marks, learned, files, stacks],
  );
}

function listMarks(page: Page, place: ListedPlace): readonly ListedMark[] {
  const shapes = listShapes(page).flatMap((shape): ListedMark[] => {
    const file = findFile(page, shape.fileIndex);
    if (file === undefined) return [];
    const item = listedForm(page, shape);
    const { title } = MEASURE_KINDS[item.kind];
    return [{ type: 'shape', uid: item.uid, title, file, frame: item.frame, words: item.words, item }];
  });
  const masks = listBrushMarks(page).flatMap((mask): ListedMark[] => {
    const [key = '0 0'] = mask.slices.keys();
    const { fileIndex, frame } = parseFrameKey(key);
    const file = findFile(page, mask.slide?.fileIndex ?? fileIndex);
    const { title } = traitsOf('brush');
    return file === undefined ? [] : [{ type: 'brush', uid: mask.uid, title, file, frame, words: mask.words, mask }];
  });
  return [...shapes, ...masks, ...listPlacedRois(page, place)].map(asBefore);
}

function listPlacedRois(page: Page, { stack, tiles, fileIndices }: ListedPlace): readonly ListedMark[] {
  const rois = roisByFile(page);
  if (tiles !== undefined) {
    return listSlideRois(tiles, rois).flatMap((box): ListedMark[] => {
      const file = findFile(page, tiles.levels[0]?.fileIndices[0]);
      const { uid, frames } = box;
      const common = { uid, title: 'ROI', frame: frames[0] ?? 0, words: undefined };
      return file === undefined ? [] : [{ type: 'box', ...common, file, box, tiles }];
    });
  }
  if (stack === undefined) return [];
  const lists = new Map(fileIndices.map((index) => [index, rois.get(index) ?? []]));
  const isStack = stack.frames.length > 1;
  return listRois(page, stack, lists).map(({ file, roi, ...listed }): ListedMark => {
    const common = { uid: roi.uid, title: 'ROI', file, frame: roi.frames[0] ?? 0, words: undefined };
    return { type: 'roi', ...common, roi, ...listed, isStack };
  });
}

/** What was listed of an object before. */
const known = new WeakMap<object, ListedMark>();

/** The same entry while nothing of it has changed, so that only changed rows are drawn again. */
function asBefore(mark: ListedMark): ListedMark {
  const source = sourceOf(mark);
  const before = known.get(source);
  const fields = Object.entries(before ?? {});
  if (before !== undefined && fields.every(([name, value]) => Reflect.get(mark, name) === value)) return before;
  known.set(source, mark);
  return mark;
}

function sourceOf(mark: ListedMark): object {
  if (mark.type === 'shape') return mark.item;
  if (mark.type === 'brush') return mark.mask;
  return mark.type === 'roi' ? mark.roi : mark.box;
}

export function useListedPlace(): ListedPlace {
  const cell = useCells((state) => state.activeCell);
  const stack = useStackOfCell(cell);
  const tiles = useTiles(cell);
  const ofTiles = useStore(
    viewportsOf(usePage()),
    useShallow(({ reports }) => reports.get(cell)?.tiles?.fileIndices ?? NO_FILES),
  );
  const ofStack = useMemo(() => (stack === undefined ? NO_FILES : [...positionsByFile(stack).keys()]), [stack]);
  const fileIndices = ofTiles.length > 0 ? ofTiles : ofStack;
  return useMemo(() => ({ cell, stack, tiles, fileIndices }), [cell, stack, tiles, fileIndices]);
}

/**
 * The tiles of the slide in a cell. The result changes only when more tile indices are known or another picture is
 * shown.
 */
function useTiles(cell: number): ShownTiles | undefined {
  const page = usePage();
  const parts = useStore(
    viewportsOf(page),
    useShallow(({ reports }) => {
      const { levels, choice } = reports.get(cell)?.tiles ?? {};
      return levels === undefined ? NO_PARTS : [JSON.stringify(choice), ...levels.map(({ index }) => index)];
    }),
  );
  return useMemo(() => (parts.length === 0 ? undefined : reportOf(page, cell).tiles), [page, cell, parts]);
}

const NO_PARTS: readonly unknown[] = [];
const NO_FILES: readonly number[] = [];
