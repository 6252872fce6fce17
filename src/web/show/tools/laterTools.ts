import { definePart, type Page } from '../../kit/state/page.ts';
import type { Point } from '../../kit/state/viewState.ts';
import type { DragTool } from './dragTool.ts';

/** Tools whose code is loaded after the first image; undefined until then. */
type LaterTools = { [name in 'crosshair' | 'turn' | 'spin' | 'windowBox']?: DragTool } & {
  /** Moves the crosshair, if there is one in the cell. */
  leadCrosshair?: (page: Page, cell: number, at: Point) => void;
  /** Whether a cell shows the stored images of a volume beside its planes. */
  isBesidePlanes?: (page: Page, cell: number) => boolean;
};

export const laterToolsOf = definePart((): LaterTools => ({}));
