import { useShallow } from 'zustand/shallow';
import type { SegmentationResponse } from '../../../shared/contract/segmentations.ts';
import { openAtStart, openStack, stackOfCell } from '../../state/cells.ts';
import { findFile, stackOf, useLibrary } from '../../state/library.ts';
import { type Page, usePage } from '../../state/page.ts';
import { setLayerShown } from '../../state/layers.ts';
import { isSlideStack, useIsSlideStack } from '../../pictures/slides.ts';
import { findPosition, type ViewStack } from '../../state/stacks.ts';
import { summariesOf } from './summaries.ts';

/** After this time without an answer, the segmentation itself is shown until the answer arrives. */
const PATIENCE_MS = 300;

/** Shows a segmentation over the images that it was made from, or by itself if that is impossible. */
export async function openOverSource(page: Page, segmentation: number, cell: number): Promise<void> {
  const summaries = summariesOf(page);
  const file = findFile(page, segmentation);
  if (file === undefined) return;
  const before = stackOfCell(page, cell)?.fileIndex;
  const openOwn = () => {
    if (!shows(page, cell, segmentation)) openAtStart(page, cell, stackOf(page, file));
  };
  const timer = setTimeout(openOwn, PATIENCE_MS);
  const summary = summaries.find(segmentation) ?? (await summaries.load(segmentation));
  clearTimeout(timer);
  // The user may have opened something else in the meantime.
  if (!shows(page, cell, before) && !shows(page, cell, segmentation)) return;
  const place = summary && findPlace(page, summary);
  if (place === undefined) {
    openOwn();
    return;
  }
  openStack(page, cell, place.stack.id, place.position);
  setLayerShown(page, cell, segmentation, true);
}

/** Compared by file, because the id of a stack changes once the series are known. */
function shows(page: Page, cell: number, fileIndex: number | undefined): boolean {
  const stack = stackOfCell(page, cell);
  if (stack === undefined || stack.fileIndex === fileIndex) return stack?.fileIndex === fileIndex;
  return stack.frames.some((frame) => frame.fileIndex === fileIndex);
}

type Place = { readonly stack: ViewStack; readonly position: number };

/** The middle one of the images that have masks, in its stack. Segmentations are not drawn over slides. */
function findPlace(page: Page, summary: SegmentationResponse): Place | undefined {
  const place = findSource(page, summary);
  return isSlideStack(page, place?.stack) ? undefined : place;
}

/** Like `findPlace`, for a component. */
export function usePlace(summary: SegmentationResponse | undefined): Place | undefined {
  const page = usePage();
  const place = useLibrary(useShallow(() => summary && findSource(page, summary)));
  return useIsSlideStack(place?.stack) ? undefined : place;
}

function findSource(page: Page, { overlay, sources }: SegmentationResponse): Place | undefined {
  const source = sources[Math.floor(sources.length / 2)];
  const image = overlay.eligible ? findFile(page, source?.file_index) : undefined;
  const stack = image && stackOf(page, image);
  if (source === undefined || stack === undefined) return undefined;
  const frame = source.frame_indices[Math.floor(source.frame_indices.length / 2)] ?? 0;
  return { stack, position: findPosition(stack, source.file_index, frame) ?? 0 };
}
