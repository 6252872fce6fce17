import { cellOf, cellsStore, setView } from '../../state/cells.ts';
import type { Command } from '../../state/commands.ts';
import type { Page } from '../../state/page.ts';
import { isSlide } from '../slides.ts';
import { reportOf } from '../../state/viewports.ts';
import { panBy } from '../viewTransform.ts';
import { canvasOf } from '../canvasPoint.ts';
import { slideStateOf, updateSlide } from './slideState.ts';

/** Part of the cell that one key press moves the view by. */
const PART = 0.25;

function activeCell(): number {
  return cellsStore.getState().activeCell;
}

function isSlideActive(): boolean {
  return isSlide(activeCell());
}

function hasPlanes(page: Page): boolean {
  return isSlideActive() && slideStateOf(page, activeCell()).planes.length > 1;
}

/** Moves the view to the named side, so the picture moves to the other. */
function pan(side: string, key: string, x: number, y: number): Command {
  const run = () => {
    const cell = activeCell();
    const { screen } = reportOf(cell);
    if (screen === undefined) return;
    const canvas = canvasOf(screen);
    const by = { x: -x * PART * canvas.width, y: -y * PART * canvas.height };
    setView(cell, panBy(cellOf(cell).view, screen.image, canvas, by));
  };
  return {
    id: `slide.${side}`,
    title: `On a slide: ${side}`,
    group: 'View',
    keys: [key],
    run,
    isEnabled: isSlideActive,
  };
}

function focus(id: string, title: string, key: string, step: 1 | -1): Command {
  const run = (page: Page) => {
    const { planes, choice, select } = slideStateOf(page, activeCell());
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
  focus('lower', 'On a slide: lower focal plane', '[', -1),
  focus('higher', 'On a slide: higher focal plane', ']', 1),
  {
    id: 'slide.companions',
    title: 'On a slide: label and overview',
    group: 'View',
    keys: [],
    run: (page) => {
      const cell = activeCell();
      updateSlide(page, cell, { areCompanionsShown: !slideStateOf(page, cell).areCompanionsShown });
    },
    isEnabled: (page) => isSlideActive() && slideStateOf(page, activeCell()).companions.length > 0,
    isOn: (page) => slideStateOf(page, activeCell()).areCompanionsShown,
  },
];
