import { cellOf, cellsOf, setView } from '../../../kit/state/cells.ts';
import type { Command } from '../../../kit/state/commands.ts';
import type { Page } from '../../../kit/state/page.ts';
import { reportOf } from '../viewports.ts';
import { panBy } from '../viewTransform.ts';
import { canvasOf } from '../canvasPoint.ts';
import { findSlide } from './slidePictures.ts';
import { slideStateOf, updateSlide } from './slideState.ts';

/** Part of the cell that one key press moves the view by. */
const PART = 0.25;

function activeCell(page: Page): number {
  return cellsOf(page).getState().activeCell;
}

function isSlideActive(page: Page): boolean {
  return findSlide(page, activeCell(page)) !== undefined;
}

function hasPlanes(page: Page): boolean {
  return isSlideActive(page) && slideStateOf(page, activeCell(page)).planes.length > 1;
}

/** Moves the view to the named side, so the picture moves to the other. */
function pan(side: string, key: string, x: number, y: number): Command {
  const run = (page: Page) => {
    const cell = activeCell(page);
    const { screen } = reportOf(page, cell);
    if (screen === undefined) return;
    const canvas = canvasOf(screen);
    const by = { x: -x * PART * canvas.width, y: -y * PART * canvas.height };
    setView(page, cell, panBy(cellOf(page, cell).view, screen.image, canvas, by));
  };
  return {
    id: `slide.${side}`,
    title: `Slide: pan ${side}`,
    group: 'View',
    keys: [key],
    run,
    isEnabled: isSlideActive,
  };
}

function focus(id: string, title: string, key: string, step: 1 | -1): Command {
  const run = (page: Page) => {
    const { planes, choice, select } = slideStateOf(page, activeCell(page));
    if (choice === undefined) return;
    const at = planes.findIndex(({ um, index }) =>
      um === undefined ? index === choice.planeIndex : um === choice.planeUm,
    );
    const next = planes[Math.max(0, at) + step];
    if (next !== undefined) select({ ...choice, planeUm: next.um, planeIndex: next.index });
  };
  return { id: `slide.${id}`, title, group: 'View', keys: [key], run, isEnabled: hasPlanes };
}

/** Listed before the commands for stacks; commands with the same keys are disabled on a slide. */
export const SLIDE_COMMANDS: readonly Command[] = [
  pan('left', 'Left', -1, 0),
  pan('right', 'Right', 1, 0),
  pan('up', 'Up', 0, -1),
  pan('down', 'Down', 0, 1),
  focus('lower', 'Slide: lower focal plane', '[', -1),
  focus('higher', 'Slide: higher focal plane', ']', 1),
  {
    id: 'slide.companions',
    title: 'Slide: show label and overview',
    group: 'View',
    keys: [],
    run: (page) => {
      const cell = activeCell(page);
      updateSlide(page, cell, { areCompanionsShown: !slideStateOf(page, cell).areCompanionsShown });
    },
    isEnabled: (page) => isSlideActive(page) && slideStateOf(page, activeCell(page)).companions.length > 0,
    isOn: (page) => slideStateOf(page, activeCell(page)).areCompanionsShown,
  },
];
