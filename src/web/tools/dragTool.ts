import type { Point } from '../state/viewState.ts';

/** What a drag over a viewport does. Points are CSS pixels from the viewport's top left corner. */
export interface DragTool {
  /** Undefined where the tool has nothing to do, such as a window on color. */
  begin(cell: number, at: Point): Drag | undefined;
}

export interface Drag {
  move(to: Point): void;
  /** It was let go after a move. */
  end?(): void;
  /** Takes everything back. */
  cancel(): void;
}
