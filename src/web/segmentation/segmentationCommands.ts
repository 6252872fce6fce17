import type { Command } from '../state/commands.ts';
import { segmentationsStore, toggleSegmentations } from '../state/segmentations.ts';

export const SEGMENTATION_COMMANDS: readonly Command[] = [
  {
    id: 'view.segmentations',
    title: 'Segmentations on or off',
    group: 'View',
    keys: ['M'],
    run: toggleSegmentations,
    isEnabled: () => segmentationsStore.getState().shown.length > 0,
    isOn: () => segmentationsStore.getState().areVisible,
  },
];
