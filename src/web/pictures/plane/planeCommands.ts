import { cellsOf } from '../../state/cells.ts';
import type { Command } from '../../state/commands.ts';
import type { Page } from '../../state/page.ts';
import { pictureOf } from '../pictureKinds.ts';
import { arePlanesShown, toggleThreePlanes } from './threePlanes.ts';

function hasStack(page: Page): boolean {
  return arePlanesShown(page) || (pictureOf(page, cellsOf(page).getState().activeCell)?.stack?.frames.length ?? 0) > 0;
}

export const PLANE_COMMANDS: readonly Command[] = [
  {
    id: 'layout.planes',
    title: 'Three planes of this volume, or back',
    group: 'Layout',
    keys: ['Y'],
    run: (page) => void toggleThreePlanes(page),
    isEnabled: hasStack,
    isOn: arePlanesShown,
  },
];
