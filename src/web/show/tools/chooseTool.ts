import type { Page } from '../../kit/state/page.ts';
import { pictureOf } from '../pictures/pictureKinds.ts';
import { reportOf } from '../pictures/viewports.ts';
import type { ToolName } from '../../kit/state/tools.ts';
import type { DragTool } from './dragTool.ts';
import { laterToolsOf } from './laterTools.ts';
import { panTool } from './panTool.ts';
import { scrollTool } from './scrollTool.ts';
import { windowTool } from './windowTool.ts';
import { zoomTool } from './zoomTool.ts';

const BY_NAME: Partial<Record<ToolName, DragTool>> = {
  window: windowTool,
  pan: panTool,
  zoom: zoomTool,
  scroll: scrollTool,
};

export type Press = { readonly button: number; readonly isSpaceDown: boolean; readonly isAltDown?: boolean };

/** The tool for a pressed button; undefined if something else handles the press, such as the ROI layer. */
export function chooseTool(
  page: Page,
  cell: number,
  tool: ToolName,
  { button, isSpaceDown, isAltDown = false }: Press,
): DragTool | undefined {
  if (button === 1 || (button === 0 && isSpaceDown)) return panTool;
  if (button === 2) return zoomTool;
  if (button !== 0) return undefined;
  const { pans, scrolls, cuts, turns } = pictureOf(page, cell)?.traits ?? {};
  // With Alt, an assistant is told what is outside.
  if (tool === 'assistant') return undefined;
  if (turns === true && (isAltDown || tool === 'auto')) return laterToolsOf(page).spin;
  if (cuts === true && isAltDown) return laterToolsOf(page).turn;
  const isOfPlanes = cuts === true || (tool === 'auto' && laterToolsOf(page).isBesidePlanes?.(page, cell) === true);
  if (tool === 'crosshair' || (isOfPlanes && tool === 'auto')) return laterToolsOf(page).crosshair;
  if ((pans === true && tool === 'auto') || (scrolls === false && tool === 'scroll')) return panTool;
  // Color images have no window.
  if (tool === 'auto' || tool === 'window') return reportOf(page, cell).window === undefined ? panTool : windowTool;
  return tool === 'windowBox' ? laterToolsOf(page).windowBox : BY_NAME[tool];
}
