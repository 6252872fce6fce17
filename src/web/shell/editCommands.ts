import { pageRois } from '../annotations/pageRois.ts';
import { deleteSelected } from '../annotations/roiActions.ts';
import {
  deleteMeasurement,
  findSelectedMeasurement,
  measureStore,
  selectMeasurement,
  setDraft,
} from '../measure/measurements.ts';
import type { Command } from '../state/commands.ts';
import { redoStep, undoStep } from '../pictures/shownFrame.ts';
import { pageSteps } from '../state/stepHistory.ts';

const hasRoi = () => pageRois.store.getState().selection !== undefined;
const hasMeasurement = () => findSelectedMeasurement() !== undefined;
const isMeasuring = () => measureStore.getState().draft !== undefined;

/** Commands for ROIs and measurements alike: at most one of them is selected. */
export const EDIT_COMMANDS: readonly Command[] = [
  {
    id: 'edit.undo',
    title: 'Undo',
    group: 'Editing',
    keys: ['Ctrl+Z'],
    run: undoStep,
    isEnabled: () => pageSteps.store.getState().done.length > 0,
  },
  {
    id: 'edit.redo',
    title: 'Redo',
    group: 'Editing',
    keys: ['Ctrl+Shift+Z', 'Ctrl+Y'],
    run: redoStep,
    isEnabled: () => pageSteps.store.getState().undone.length > 0,
  },
  {
    id: 'edit.delete',
    title: 'Delete selected ROI or measurement',
    group: 'Editing',
    keys: ['Delete', 'Backspace'],
    run(page) {
      const measurement = findSelectedMeasurement();
      if (measurement === undefined) deleteSelected(page);
      else deleteMeasurement(measurement);
    },
    isEnabled: () => hasRoi() || hasMeasurement(),
  },
  {
    id: 'edit.unselect',
    title: 'Cancel measurement or clear selection',
    group: 'Editing',
    keys: ['Esc'],
    run() {
      if (isMeasuring()) {
        setDraft(undefined);
        return;
      }
      selectMeasurement(undefined);
      pageRois.select(undefined);
    },
    isEnabled: () => isMeasuring() || hasRoi() || hasMeasurement(),
  },
];
