import type { StackWindow } from '../../../../shared/chooseStackWindow.ts';
import type { WindowChoice } from '../../../../shared/chooseVoi.ts';
import type { CellWindow } from '../../../kit/state/cells.ts';
import type { ColorMapName } from '../../../kit/state/colorMaps.ts';
import type { KnownPresentation } from '../../../kit/state/presentations.ts';
import type { ViewState } from '../../../kit/state/viewState.ts';
import type { PictureSource } from '../pictureSource.ts';
import type { Interpolation } from './drawFrame.ts';

/** What a cell shows. */
export type Scene = {
  readonly source: PictureSource;
  /** Changes when the server restarts, because file indices then refer to other files. */
  readonly serverRun: number;
  readonly position: number;
  /** What the choice was derived from, for reporting. */
  readonly window: CellWindow;
  readonly choice: WindowChoice;
  /** Set where the choice is the window of the stack. */
  readonly stackWindow?: StackWindow | undefined;
  /** The window of the stack is being determined. */
  readonly awaitsWindow?: boolean;
  readonly invert: boolean;
  readonly colorMap: ColorMapName;
  readonly view: ViewState;
  readonly interpolation: Interpolation;
  /** The stack plays as a cine loop: the first frame follows the last. */
  readonly isPlaying: boolean;
  /** The presentation state that decides how the pixels of the frames that it names look. */
  readonly state?: KnownPresentation | undefined;
};
