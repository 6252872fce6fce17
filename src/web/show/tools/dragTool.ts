import type { Page } from '../../kit/state/page.ts';
import type { Point } from '../../kit/state/viewState.ts';

/** What a drag over a viewport does. Points are CSS pixels from the viewport's top left corner. */
export interface DragTool {
  /** Undefined if the tool does not apply, such as a window to a color image. */
  begin(page: Page, cell: number, at: Point): Drag | undefined;
}

export interface Drag {
  move(to: Point): void;
  /** Called on release after a move. */
  end?(): void;
  /** Reverts everything that the drag has changed. */
  cancel(): void;
}
