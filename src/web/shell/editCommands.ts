import { roisOf } from '../draw/marks/rois/roiFiles.ts';
import { deleteSelected } from '../draw/marks/rois/roiActions.ts';
import {
  deleteMeasurements,
  findSelectedMeasurement,
  measurementsOf,
  selectMeasurement,
  setDraft,
} from '../draw/marks/shapes/measurements.ts';
import { findPolygonDraft, removeLastCorner } from '../draw/marks/shapes/polygonDraft.ts';
import type { Command } from '../kit/state/commands.ts';
import { redoStep, undoStep } from '../show/pictures/shownFrame.ts';
import type { Page } from '../kit/state/page.ts';
import { stepsOf } from '../kit/state/stepHistory.ts';

const hasRoi = (page: Page) => roisOf(page).store.getState().selection !== undefined;
const hasMeasurement = (page: Page) => findSelectedMeasurement(page) !== undefined;
const isMeasuring = (page: Page) => measurementsOf(page).getState().draft !== undefined;
const isDrawingPolygon = (page: Page) => findPolygonDraft(page) !== undefined;

/** Commands for ROIs and measurements alike: at most one of them is selected. */
export const EDIT_COMMANDS: readonly Command[] = [
  {
    id: 'edit.undo',
    title: 'Undo',
    group: 'Editing',
    keys: ['Ctrl+Z'],
    run: undoStep,
    isEnabled: (page) => stepsOf(page).store.getState().done.length > 0,
  },
  {
    id: 'edit.redo',
    title: 'Redo',
    group: 'Editing',
    keys: ['Ctrl+Shift+Z', 'Ctrl+Y'],
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
      if (hasMeasurement(page)) deleteMeasurements(page, measurementsOf(page).getState().chosenIds);
      else deleteSelected(page);
    },
    isEnabled: (page) => hasRoi(page) || hasMeasurement(page) || isDrawingPolygon(page),
  },
  {
    id: 'edit.unselect',
    title: 'Cancel measurement or clear selection',
    group: 'Editing',
    keys: ['Esc'],
    run(page) {
      if (isMeasuring(page)) {
        setDraft(page, undefined);
        return;
      }
      selectMeasurement(page, undefined);
      roisOf(page).select(undefined);
    },
    isEnabled: (page) => isMeasuring(page) || hasRoi(page) || hasMeasurement(page),
  },
];
