import { removeMarks } from '../draw/marks/removeMarks.ts';
import { drawingOf, setDraft } from '../draw/marks/shapes/measurements.ts';
import { cancelProposal, isProposed } from '../draw/marks/tools/proposals.ts';
import { marksOf, selectMark } from '../draw/marks/sync/marks.ts';
import { findPolygonDraft, removeLastCorner } from '../draw/marks/shapes/polygonDraft.ts';
import { closeCohort, isCohortBehind, isCohortInFront, openCohort } from '../kit/state/cohortPlace.ts';
import type { Command } from '../kit/state/commands.ts';
import { redoStep, undoStep } from '../show/pictures/shownFrame.ts';
import type { Page } from '../kit/state/page.ts';
import { stepsOf } from '../kit/state/stepHistory.ts';

const hasMark = (page: Page) => marksOf(page).getState().selected !== undefined;
const isMeasuring = (page: Page) => drawingOf(page).getState().draft !== undefined;
const isDrawingPolygon = (page: Page) => findPolygonDraft(page) !== undefined;

/** Commands for marks of all kinds alike. */
export const EDIT_COMMANDS: readonly Command[] = [
  {
    id: 'edit.undo',
    title: 'Undo',
    group: 'Editing',
    keys: ['Ctrl+Z'],
    worksEverywhere: true,
    run: undoStep,
    isEnabled: (page) => stepsOf(page).store.getState().done.length > 0,
  },
  {
    id: 'edit.redo',
    title: 'Redo',
    group: 'Editing',
    keys: ['Ctrl+Shift+Z', 'Ctrl+Y'],
    worksEverywhere: true,
    run: redoStep,
    isEnabled: (page) => stepsOf(page).store.getState().undone.length > 0,
  },
  {
    id: 'edit.delete',
    title: 'Delete selected ROI or marks, or the last corner while drawing a polygon',
    group: 'Editing',
    keys: ['Delete', 'Backspace'],
    run(page) {
      if (isDrawingPolygon(page)) {
        removeLastCorner(page);
        return;
      }
      removeMarks(page, marksOf(page).getState().chosen);
    },
    isEnabled: (page) => hasMark(page) || isDrawingPolygon(page),
  },
  {
    id: 'edit.unselect',
    title: 'Cancel preview or measurement, clear selection, close the table of all files or return to it',
    group: 'Editing',
    keys: ['Esc'],
    worksEverywhere: true,
    run(page) {
      if (isCohortInFront(page)) closeCohort(page);
      else if (isProposed(page)) cancelProposal(page);
      else if (isMeasuring(page)) setDraft(page, undefined);
      else if (hasMark(page)) selectMark(page, undefined);
      else openCohort(page);
    },
    isEnabled: (page) =>
      isProposed(page) || isMeasuring(page) || hasMark(page) || isCohortInFront(page) || isCohortBehind(page),
  },
];
