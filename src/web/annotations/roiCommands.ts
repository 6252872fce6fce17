import type { Command } from '../state/commands.ts';
import { setPanels } from '../state/panels.ts';
import { exportRois } from './exportRois.ts';
import { pageRois } from './pageRois.ts';
import { addRoiInMiddle, deleteSelected, redo, undo } from './roiActions.ts';

const hasSelection = () => pageRois.store.getState().selection !== undefined;

export const ROI_COMMANDS: readonly Command[] = [
  {
    id: 'roi.add',
    title: 'Add a ROI in the middle of the image',
    group: 'ROIs',
    keys: ['Shift+R'],
    run: addRoiInMiddle,
  },
  {
    id: 'roi.delete',
    title: 'Delete the selected ROI',
    group: 'ROIs',
    keys: ['Delete', 'Backspace'],
    run: deleteSelected,
    isEnabled: hasSelection,
  },
  {
    id: 'roi.undo',
    title: 'Undo',
    group: 'ROIs',
    keys: ['Ctrl+Z'],
    run: undo,
    isEnabled: () => pageRois.store.getState().history.done.length > 0,
  },
  {
    id: 'roi.redo',
    title: 'Redo',
    group: 'ROIs',
    keys: ['Ctrl+Shift+Z', 'Ctrl+Y'],
    run: redo,
    isEnabled: () => pageRois.store.getState().history.undone.length > 0,
  },
  {
    id: 'roi.unselect',
    title: 'Clear the selection',
    group: 'ROIs',
    keys: ['Esc'],
    run: () => pageRois.select(undefined),
    isEnabled: hasSelection,
  },
  {
    id: 'roi.list',
    title: 'Show the ROIs',
    group: 'ROIs',
    keys: [],
    run: () => setPanels({ isInspectorOpen: true, tab: 'rois' }),
  },
  { id: 'roi.export', title: 'Export ROIs as CSV', group: 'ROIs', keys: [], run: () => void exportRois() },
];
