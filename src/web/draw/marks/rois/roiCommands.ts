import type { Command } from '../../../kit/state/commands.ts';
import { exportRois } from './exportRois.ts';
import { listChosenBoxes, listChosenRois, turnIntoBoxes, turnIntoRois } from '../exchangeRois.ts';
import { addRoiInMiddle } from './roiActions.ts';

export const ROI_COMMANDS: readonly Command[] = [
  {
    id: 'roi.add',
    title: 'Add ROI in the center of the image',
    group: 'ROIs',
    keys: ['Shift+R'],
    run: addRoiInMiddle,
  },
  {
    id: 'roi.toBox',
    title: 'Turn the chosen ROIs into boxes',
    group: 'ROIs',
    keys: [],
    run: turnIntoBoxes,
    isEnabled: (page) => listChosenRois(page).length > 0,
  },
  {
    id: 'roi.fromBox',
    title: 'Turn the chosen boxes into ROIs (CSV)',
    group: 'ROIs',
    keys: [],
    run: turnIntoRois,
    isEnabled: (page) => listChosenBoxes(page).length > 0,
  },
  { id: 'roi.export', title: 'Export ROIs as CSV', group: 'ROIs', keys: [], run: (page) => void exportRois(page) },
];
