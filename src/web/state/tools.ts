import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import {
  type DrawnKind,
  isMask,
  MARK_KINDS,
  type MarkKind,
  type MarkTraits,
  traitsOf,
} from '../../shared/markTraits.ts';
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
const toToolName = (kind: DrawnKind) => (kind === 'box' ? 'rectangle' : kind === 'point' ? 'probe' : kind);
export type MeasureTool = ReturnType<typeof toToolName>;

export function kindOfTool(tool: MeasureTool): DrawnKind {
  return tool === 'rectangle' ? 'box' : tool === 'probe' ? 'point' : tool;
}

const isDrawn = (kind: MarkKind): kind is DrawnKind => !isMask(kind);
export const MEASURE_TOOLS: readonly MeasureTool[] = MARK_KINDS.filter(isDrawn).map(toToolName);

type MarkTool = MarkTraits['tool'] & { readonly tool: MeasureTool | BrushTool };

/** The tools that draw marks, in the order of the toolbar. */
export const MARK_TOOLS: readonly MarkTool[] = [
  ...MARK_KINDS.map((kind): MarkTool => ({ tool: isDrawn(kind) ? toToolName(kind) : kind, ...traitsOf(kind).tool })),
  { tool: 'eraser' as const, title: 'Eraser', name: 'Eraser', key: 'Alt+B', place: 13.6 },
].toSorted((a, b) => a.place - b.place);

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
