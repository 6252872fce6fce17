import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { DrawnKind } from '../../../shared/markTraits.ts';
import { definePart, type Page, usePage } from './page.ts';

/** Tools that draw no shape: the first load of the page knows these, and not the kinds of marks. */
const PLAIN_TOOLS = [
  'auto',
  'window',
  'pan',
  'zoom',
  'scroll',
  'crosshair',
  'roi',
  'windowBox',
  'brush',
  'eraser',
  'region',
  'regionVolume',
  'assistant',
] as const;
type PlainTool = (typeof PLAIN_TOOLS)[number];

/** Each is named as the kind of mark that it draws. */
export type MeasureTool = DrawnKind;

/** What a drag with the left button does. `auto`: window for gray images, pan for color, crosshair for planes. */
export type ToolName = PlainTool | MeasureTool;

export type ToolsState = {
  readonly tool: ToolName;
  readonly overlayText: 'all' | 'minimal' | 'none';
};

export const toolsOf = definePart(() => createStore<ToolsState>(() => ({ tool: 'auto', overlayText: 'all' })));

export function useTools<T>(select: (state: ToolsState) => T): T {
  return useStore(toolsOf(usePage()), select);
}

export function setTool(page: Page, tool: ToolName): void {
  toolsOf(page).setState({ tool });
}

export function isMeasureTool(tool: ToolName): tool is MeasureTool {
  return !PLAIN_TOOLS.some((one) => one === tool);
}

/** Tools that make or change masks. */
export function isBrushTool(tool: ToolName): tool is 'brush' | 'eraser' | 'assistant' | RegionTool {
  return tool === 'assistant' || isRegionTool(tool) || isPaintTool(tool);
}

export type RegionTool = 'region' | 'regionVolume';

/** Tools that grow a region from a press. */
export function isRegionTool(tool: ToolName): tool is RegionTool {
  return tool === 'region' || tool === 'regionVolume';
}

/** Tools with a radius. */
export function isPaintTool(tool: ToolName): tool is 'brush' | 'eraser' {
  return tool === 'brush' || tool === 'eraser';
}

/** Whether a press draws something over the image. */
export function isDrawingTool(tool: ToolName): boolean {
  return tool === 'roi' || isMeasureTool(tool) || isBrushTool(tool);
}

const TEXT_ORDER = { all: 'minimal', minimal: 'none', none: 'all' } as const;

export function cycleOverlayText(page: Page): void {
  toolsOf(page).setState(({ overlayText }) => ({ overlayText: TEXT_ORDER[overlayText] }));
}
