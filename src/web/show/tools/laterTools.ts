import { definePart } from '../../kit/state/page.ts';
import type { DragTool } from './dragTool.ts';

/** Tools whose code is loaded after the first image; undefined until then. */
type LaterTools = { [name in 'crosshair' | 'turn' | 'spin' | 'windowBox']?: DragTool };

export const laterToolsOf = definePart((): LaterTools => ({}));
