import type { ShownFrame } from '../../../show/pictures/shownFrame.ts';
import type { Page } from '../../../kit/state/page.ts';
import { roisOf } from './roiFiles.ts';
import { coversFrame, type Roi } from './roi.ts';

/** The ROIs of the file that are on this frame. */
export function roisOn(page: Page, { file, frame }: Pick<ShownFrame, 'file' | 'frame'>): readonly Roi[] {
  const rois = roisOf(page).store.getState().files.get(file.index)?.rois ?? [];
  return rois.filter((roi) => coversFrame(roi, frame));
}

export function selectedIdOn(page: Page, { file }: Pick<ShownFrame, 'file'>): number | undefined {
  const { selection } = roisOf(page).store.getState();
  return selection?.fileIndex === file.index ? selection.id : undefined;
}
