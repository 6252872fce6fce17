import type { FileRecord } from '../../../shared/contract/files.ts';
import { frameOnScreen, reportOf } from '../../show/pictures/viewports.ts';
import {
  type CellLook,
  type CellState,
  cellOf,
  EMPTY_CELL,
  showsStackOf,
  stackOfCell,
  updateCell,
} from '../../kit/state/cells.ts';
import { nameFile } from '../../kit/state/fileNames.ts';
import { findFile } from '../../kit/state/library.ts';
import { say } from '../../kit/state/messages.ts';
import { definePart, type Page } from '../../kit/state/page.ts';
import { findArea, findNamedPresentation, type KnownPresentation } from '../../kit/state/presentations.ts';
import { stepsOf } from '../../kit/state/stepHistory.ts';
import { planBlending } from './planBlending.ts';
import { presentationAnswersOf } from './presentationAnswers.ts';
import { viewOfState } from './stateView.ts';

type Applied = CellLook & Pick<CellState, 'presentation'>;

/** Applies a presentation state to the images of a cell, all of it or only its graphics, as one step. */
export async function applyState(page: Page, cell: number, fileIndex: number, mode: 'all' | 'marks'): Promise<void> {
  const before = stackOfCell(page, cell)?.fileIndex;
  const known = await presentationAnswersOf(page).load(fileIndex);
  const file = findFile(page, fileIndex);
  if (known === undefined || file === undefined) {
    const reason = presentationAnswersOf(page).findError(fileIndex)?.message ?? 'it is no longer open';
    say(page, `The presentation state cannot be applied: ${reason}`, 'failed');
    return;
  }
  const plan = mode === 'all' ? await planBlending(page, known) : undefined;
  if (plan !== undefined && 'reason' in plan) {
    say(page, `The presentation state cannot be applied: ${plan.reason}`, 'failed');
    return;
  }
  // The user may have opened something else in the meantime.
  if (!showsStackOf(page, cell, before)) return;
  change(page, cell, describeApplied(page, cell, { known, file, mode }));
}

/** What `applyState` changes, without a step, for a cell that has just been opened. */
export function describeApplied(
  page: Page,
  cell: number,
  {
    known,
    file,
    mode,
  }: { readonly known: KnownPresentation; readonly file: FileRecord; readonly mode: 'all' | 'marks' },
): Applied {
  const otherwise = plainLookOf(cellOf(page, cell));
  const look = mode === 'all' ? lookOfState(page, cell, known) : otherwise;
  return { ...look, presentation: { name: nameFile(page, file), mode, isShown: true, otherwise } };
}

export function removeState(page: Page, cell: number): void {
  const state = cellOf(page, cell);
  if (state.presentation !== undefined) change(page, cell, { ...plainLookOf(state), presentation: undefined });
}

/** Shows the images without the presentation state that is applied, or with it again. This is not a step. */
export function toggleState(page: Page, cell: number): void {
  const state = cellOf(page, cell);
  const { presentation } = state;
  if (presentation === undefined) return;
  const { mode, isShown, otherwise, name } = presentation;
  if (mode === 'marks') {
    updateCell(page, cell, { presentation: { ...presentation, isShown: !isShown } });
    return;
  }
  const known = findNamedPresentation(page, name);
  const next = otherwise ?? (isShown || known === undefined ? FRESH : lookOfState(page, cell, known));
  updateCell(page, cell, { ...next, presentation: { ...presentation, isShown: !isShown, otherwise: lookOf(state) } });
}

const FRESH: CellLook = lookOf(EMPTY_CELL);

function lookOf({ window, invert, colorMap, view }: CellLook): CellLook {
  return { window, invert, colorMap, view };
}

/** How the images look without a presentation state. */
function plainLookOf(state: CellState): CellLook {
  const { presentation } = state;
  if (presentation?.mode !== 'all' || !presentation.isShown) return lookOf(state);
  return presentation.otherwise ?? FRESH;
}

/** The window and the polarity are part of the picture that the server draws. */
function lookOfState(page: Page, cell: number, known: KnownPresentation): CellLook {
  const { screen } = reportOf(page, cell);
  const shown = frameOnScreen(page, cell);
  const { state } = known;
  if (screen === undefined || shown === undefined || state === null) return FRESH;
  const area = findArea(known, shown.file.index, shown.frame.frame);
  const image = { ...screen.image, aspect: area?.pixel_aspect_ratio ?? screen.image.aspect };
  const { pixelRatio } = screen;
  const canvas = { width: screen.width * pixelRatio, height: screen.height * pixelRatio, pixelRatio };
  const place = { area, rotation: state.rotation, isFlipped: state.flip_horizontal };
  return { ...FRESH, view: viewOfState(place, image, canvas) };
}

function change(page: Page, cell: number, after: Applied): void {
  const state = cellOf(page, cell);
  const before: Applied = { ...lookOf(state), presentation: state.presentation };
  const shown = stackOfCell(page, cell)?.fileIndex;
  const set = (applied: Applied) => {
    // In another stack it would mean nothing.
    if (showsStackOf(page, cell, shown)) updateCell(page, cell, applied);
  };
  set(after);
  forgetfulStepsOf(page).record({
    part: 'presentations',
    fileIndex: frameOnScreen(page, cell)?.file.index ?? -1,
    frame: undefined,
    isOn: () => true,
    isElsewhere: true,
    undo: () => set(before),
    redo: () => set(after),
  });
}

/** Steps name files by what their indices meant in this run of the server. */
const forgetfulStepsOf = definePart((page) => {
  const steps = stepsOf(page);
  page.onRestart(() => steps.forget(({ part }) => part === 'presentations'));
  return steps;
});
