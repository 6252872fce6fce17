import type { SegmentationResponse } from '../../shared/contract/segmentations.ts';
import { openAtStart, openStack, stackOfCell } from '../state/cells.ts';
import { findFile, stackOf } from '../state/library.ts';
import { setSegmentationShown } from '../state/segmentations.ts';
import { isSlideStack } from '../state/slides.ts';
import { findPosition, type ViewStack } from '../state/stacks.ts';
import { summaries } from './summaries.ts';

/** After so long without an answer the segmentation itself is shown until it comes. */
const PATIENCE_MS = 300;

/** Shows a segmentation over the images that it was made from; by itself where that cannot be. */
export async function openOverSource(segmentation: number, cell: number): Promise<void> {
  const file = findFile(segmentation);
  if (file === undefined) return;
  const before = stackOfCell(cell)?.fileIndex;
  const openOwn = () => {
    if (!shows(cell, segmentation)) openAtStart(cell, stackOf(file));
  };
  const timer = setTimeout(openOwn, PATIENCE_MS);
  const summary = summaries.find(segmentation) ?? (await summaries.load(segmentation));
  clearTimeout(timer);
  // The user may have gone elsewhere in the meantime.
  if (!shows(cell, before) && !shows(cell, segmentation)) return;
  const place = summary && findPlace(summary);
  if (place === undefined) {
    openOwn();
    return;
  }
  openStack(cell, place.stack.id, place.position);
  setSegmentationShown(cell, segmentation, true);
}

/** By file, because a stack has another name once the series are known. */
function shows(cell: number, fileIndex: number | undefined): boolean {
  const stack = stackOfCell(cell);
  if (stack === undefined || stack.fileIndex === fileIndex) return stack?.fileIndex === fileIndex;
  return stack.frames.some((frame) => frame.fileIndex === fileIndex);
}

/** The middle one of the images that have masks, in its stack. */
export function findPlace({
  overlay,
  sources,
}: SegmentationResponse): { stack: ViewStack; position: number } | undefined {
  const source = sources[Math.floor(sources.length / 2)];
  const image = overlay.eligible ? findFile(source?.file_index) : undefined;
  const stack = image && stackOf(image);
  if (source === undefined || stack === undefined || isSlideStack(stack)) return undefined;
  const frame = source.frame_indices[Math.floor(source.frame_indices.length / 2)] ?? 0;
  return { stack, position: findPosition(stack, source.file_index, frame) ?? 0 };
}
