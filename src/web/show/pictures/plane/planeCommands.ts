import { cellsOf, cellsOfLayout } from '../../../kit/state/cells.ts';
import type { Command } from '../../../kit/state/commands.ts';
import type { Page } from '../../../kit/state/page.ts';
import { pictureOf } from '../pictureKinds.ts';
import { findMip, findPlane, nextProjection, stepSlab } from './changePlane.ts';
import { stepTime } from './planeTime.ts';
import { openPlane } from './planeSource.ts';
import { straighten } from './turnPlanes.ts';
import { whyNoPlanes } from './whyNoPlanes.ts';
import { arePlanesShown, isMipShown, toggleMip, toggleThreePlanes } from './threePlanes.ts';

function hasStack(page: Page): boolean {
  return arePlanesShown(page) || (pictureOf(page, cellsOf(page).getState().activeCell)?.stack?.frames.length ?? 0) > 0;
}

const activeCell = (page: Page) => cellsOf(page).getState().activeCell;
const isPlaneActive = (page: Page) => findPlane(page, activeCell(page)) !== undefined;
const hasTimes = (page: Page) =>
  ((findPlane(page, activeCell(page)) ?? findMip(page, activeCell(page)))?.volume.times.length ?? 1) > 1;
const isTurned = (page: Page) =>
  cellsOfLayout(cellsOf(page).getState().layout).some((cell) => findPlane(page, cell)?.spec.turned !== undefined);

const DEGREE = Math.PI / 180;

function ofPlane(
  id: string,
  title: string,
  key: string,
  run: (page: Page, cell: number) => void,
  isEnabled = isPlaneActive,
): Command {
  return {
    id: `plane.${id}`,
    title,
    group: 'Planes',
    keys: [key],
    run: (page) => run(page, activeCell(page)),
    isEnabled,
  };
}

function turn(page: Page, cell: number, degrees: number): void {
  pictureOf(page, cell)?.beginTurn?.(cell)?.(degrees * DEGREE);
}

export const PLANE_COMMANDS: readonly Command[] = [
  {
    id: 'layout.planes',
    title: 'Three planes of this volume, or back',
    group: 'Layout',
    keys: ['Y'],
    run: (page) => void toggleThreePlanes(page),
    isEnabled: hasStack,
    whyNot: whyNoPlanes,
    isOn: arePlanesShown,
  },
  {
    id: 'layout.mip',
    title: 'Rotating MIP of this volume, or back',
    group: 'Layout',
    keys: ['Shift+G'],
    run: (page) => void toggleMip(page),
    isEnabled: (page) => hasStack(page) || isMipShown(page),
    isOn: isMipShown,
  },
  ofPlane('projection', 'Plane: slab as MIP, MinIP or mean, or no slab', 'Shift+D', nextProjection),
  ofPlane('thicker', 'Plane: thicker slab', '.', (page, cell) => stepSlab(page, cell, 1)),
  ofPlane('thinner', 'Plane: thinner slab', ',', (page, cell) => stepSlab(page, cell, -1)),
  ofPlane('turnLeft', 'Plane: turn the other planes left by 1°', 'Alt+Left', (page, cell) => turn(page, cell, -1)),
  ofPlane('turnRight', 'Plane: turn the other planes right by 1°', 'Alt+Right', (page, cell) => turn(page, cell, 1)),
  ofPlane(
    'straighten',
    'Plane: make all planes straight again',
    'Shift+U',
    (page, cell) => straighten(page, cell, (id) => openPlane(page, id)),
    isTurned,
  ),
  ofPlane('nextTime', 'Plane: next time', 'J', (page, cell) => stepTime(page, cell, 1), hasTimes),
  ofPlane('earlierTime', 'Plane: time before', 'Shift+J', (page, cell) => stepTime(page, cell, -1), hasTimes),
];
