import { findFile } from '../../../kit/state/library.ts';
import type { Page } from '../../../kit/state/page.ts';
import { findShownCut, findShownFrame, type ShownFrame } from '../../../show/pictures/shownFrame.ts';
import { reportOf } from '../../../show/pictures/viewports.ts';
import { findFrameScale, scaleOf } from './frameScale.ts';
import type { FrameScale } from '../../../../shared/pixelScale.ts';

/** The target of measurements in a cell: its frame, or a slide as a whole. */
export type MeasuredFrame = ShownFrame & { readonly isWhole?: true };

/**
 * A slide is identified by the first file of its largest level, whatever tiles are on screen. Points are in pixels of
 * that level.
 */
export function findMeasuredFrame(page: Page, cell: number): MeasuredFrame | undefined {
  const { tiles, screen } = reportOf(page, cell);
  if (tiles === undefined) return findShownFrame(page, cell) ?? findShownCut(page, cell);
  const file = findFile(page, tiles.levels[0]?.fileIndices[0]);
  return file === undefined || screen === undefined ? undefined : { file, frame: 0, screen, isWhole: true };
}

/** The scale, if it is known without a request to the server. */
export function findScale({ file, plane, screen, isWhole, cut }: MeasuredFrame): FrameScale | undefined {
  if (cut !== undefined) return scaleOf(file, plane);
  if (isWhole !== true) return findFrameScale(file, plane);
  const { mmPerPixel, image } = screen;
  return {
    spacingMm: mmPerPixel === undefined ? undefined : [mmPerPixel * image.aspect, mmPerPixel],
    source: mmPerPixel === undefined ? undefined : (file.pixel_spacing_source ?? 'imaged_volume'),
    aspect: image.aspect,
    regions: [],
  };
}
