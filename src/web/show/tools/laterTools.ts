import { definePart } from '../../kit/state/page.ts';
import type { DragTool } from './dragTool.ts';

/** Tools whose code is loaded after the first image; undefined until then. */
type LaterTools = { crosshair: DragTool | undefined; turn: DragTool | undefined; spin: DragTool | undefined };

export const laterToolsOf = definePart((): LaterTools => ({ crosshair: undefined, turn: undefined, spin: undefined }));
