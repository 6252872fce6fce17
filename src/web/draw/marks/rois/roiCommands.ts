import type { Command } from '../../../kit/state/commands.ts';
import { exportRois } from './exportRois.ts';
import { addRoiInMiddle } from './roiActions.ts';

export const ROI_COMMANDS: readonly Command[] = [
  {
    id: 'roi.add',
    title: 'Add ROI in the center of the image',
    group: 'ROIs',
    keys: ['Shift+R'],
    run: addRoiInMiddle,
  },
  { id: 'roi.export', title: 'Export ROIs as CSV', group: 'ROIs', keys: [], run: (page) => void exportRois(page) },
];
