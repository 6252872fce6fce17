import type { ShownFrame } from '../pictures/shownFrame.ts';
import { pageRois } from './pageRois.ts';
import { coversFrame, type Roi } from './roi.ts';

/** The ROIs of the file that are on this frame. */
export function roisOn({ file, frame }: Pick<ShownFrame, 'file' | 'frame'>): readonly Roi[] {
  const rois = pageRois.store.getState().files.get(file.index)?.rois ?? [];
  return rois.filter((roi) => coversFrame(roi, frame));
}

export function selectedIdOn({ file }: Pick<ShownFrame, 'file'>): number | undefined {
  const { selection } = pageRois.store.getState();
  return selection?.fileIndex === file.index ? selection.id : undefined;
}
