import type { Command } from '../../../kit/state/commands.ts';
import { setPanels } from '../../../kit/state/panels.ts';
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
  {
    id: 'roi.list',
    title: 'Show ROIs',
    group: 'ROIs',
    keys: [],
    run: (page) => setPanels(page, { isInspectorOpen: true, tab: 'rois' }),
  },
  { id: 'roi.export', title: 'Export ROIs as CSV', group: 'ROIs', keys: [], run: (page) => void exportRois(page) },
];
