import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { DrawnKind } from '../../shared/markTraits.ts';
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

/** Two tools have other names than the kinds of marks that they draw. */
export type MeasureTool = Exclude<DrawnKind, 'box' | 'point'> | 'rectangle' | 'probe';

export function kindOfTool(tool: MeasureTool): DrawnKind {
  return tool === 'rectangle' ? 'box' : tool === 'probe' ? 'point' : tool;
}

type MarkTool = readonly [tool: MeasureTool | BrushTool, title: string, name: string, key: string, place: number];

/**
 * The tools that draw marks, in the order of the toolbar: title of the command, name on the button, key. The larger the
 * place, the sooner a tool moves into the overflow menu.
 */
export const MARK_TOOLS: readonly MarkTool[] = [
  ['length', 'Length', 'Length', 'L', 5],
  ['angle', 'Angle', 'Angle', 'A', 10],
  ['ellipse', 'Ellipse statistics', 'Ellipse', 'E', 11],
  ['rectangle', 'Rectangle statistics', 'Rectangle', 'Shift+E', 12],
  ['probe', 'Pixel value', 'Value', 'Q', 13],
  ['brush', 'Brush', 'Brush', 'Shift+B', 13.5],
  ['eraser', 'Eraser', 'Eraser', 'Alt+B', 13.6],
  ['polygon', 'Polygon', 'Polygon', 'Shift+O', 23],
  ['arrow', 'Arrow with text', 'Arrow', 'Shift+A', 24],
  ['bidirectional', 'Long and short axis', 'Axes', 'Shift+I', 25],
  ['freehand', 'Freehand line', 'Line', 'Shift+Z', 26],
  ['cobb', 'Cobb angle', 'Cobb', 'Shift+T', 27],
];

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
  return !isBrushTool(tool) && MARK_TOOLS.some(([one]) => one === tool);
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
