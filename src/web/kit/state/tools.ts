import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { MarkKind } from '../../../shared/contract/marks.ts';
import { definePart, type Page, usePage } from './page.ts';

/** What a drag with the left button does. `auto`: window for gray images, pan for color, crosshair for planes. */
export type ToolName =
  | 'auto'
  | 'window'
  | 'pan'
  | 'zoom'
  | 'scroll'
  | 'crosshair'
  | 'roi'
  | 'windowBox'
  | BrushTool
  | MeasureTool;

export const BRUSH_TOOLS = ['brush', 'eraser'] as const;
export type BrushTool = (typeof BRUSH_TOOLS)[number];

/** Each is named as the kind of mark that it makes. */
export const MEASURE_TOOLS = [
  'length',
  'angle',
  'ellipse',
  'box',
  'point',
  'polygon',
  'freehand',
  'arrow',
  'cobb',
  'bidirectional',
] as const satisfies readonly MarkKind[];
export type MeasureTool = (typeof MEASURE_TOOLS)[number];

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
  return MEASURE_TOOLS.some((one) => one === tool);
}

export function isBrushTool(tool: ToolName): tool is BrushTool {
  return BRUSH_TOOLS.some((one) => one === tool);
}

/** Whether a press draws something over the image. */
export function isDrawingTool(tool: ToolName): boolean {
  return tool === 'roi' || isMeasureTool(tool) || isBrushTool(tool);
}

const TEXT_ORDER = { all: 'minimal', minimal: 'none', none: 'all' } as const;

export function cycleOverlayText(page: Page): void {
  toolsOf(page).setState(({ overlayText }) => ({ overlayText: TEXT_ORDER[overlayText] }));
}
