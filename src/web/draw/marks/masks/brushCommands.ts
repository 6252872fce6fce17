import type { Command } from '../../../kit/state/commands.ts';
import type { Page } from '../../../kit/state/page.ts';
import { isPaintTool, toolsOf } from '../../../kit/state/tools.ts';
import { brushesOf, setRadius } from './brushes.ts';

const isEnabled = (page: Page) => isPaintTool(toolsOf(page).getState().tool);

/** Steps of a fifth, at least half a pixel. */
function scale(page: Page, factor: number): void {
  const { radius } = brushesOf(page).getState();
  const next = Math.round(radius * factor * 2) / 2;
  setRadius(page, next === radius ? radius + (factor > 1 ? 0.5 : -0.5) : next);
}

export const BRUSH_COMMANDS: readonly Command[] = [
  {
    id: 'brush.smaller',
    title: 'Smaller brush',
    group: 'Editing',
    keys: ['{'],
    run: (page) => scale(page, 1 / 1.2),
    isEnabled,
  },
  {
    id: 'brush.larger',
    title: 'Larger brush',
    group: 'Editing',
    keys: ['}'],
    run: (page) => scale(page, 1.2),
    isEnabled,
  },
];
