import { listDrawingTools } from '../draw/marks/shapes/measureKinds.ts';
import type { Command } from '../kit/state/commands.ts';
import { definePart, type Page } from '../kit/state/page.ts';
import { panelsOf, setPanels, type TaskName, TASKS } from '../kit/state/panels.ts';
import { setTool, type ToolName, toolsOf } from '../kit/state/tools.ts';
import { makeRoom, takeRoomBack } from './compareRoom.ts';

/** Every task has these, so that changing the window while drawing does not change the task. */
export const HAND_TOOLS: readonly ToolName[] = ['window', 'pan', 'zoom', 'scroll'];

type Task = {
  readonly title: string;
  /** For the palette. */
  readonly about: string;
  readonly key: string;
  /** Chosen with the task, until the user has chosen another one there. */
  readonly start: ToolName;
  readonly tools: readonly ToolName[];
};

/**
 * Keys are Alt with a digit, by the place of the key, so that they are the same on every keyboard. Digits alone are
 * windows, and function keys are for the browser or need a second key on most laptops.
 */
export const TASK_TABLE: Readonly<Record<TaskName, Task>> = {
  look: {
    title: 'Look',
    about: 'window, zoom, planes, layers',
    key: 'Alt+1',
    start: 'auto',
    tools: [...HAND_TOOLS, 'windowBox'],
  },
  measure: {
    title: 'Measure',
    about: 'lengths, angles, statistics',
    key: 'Alt+2',
    start: 'length',
    tools: listDrawingTools()
      .map(({ kind }) => kind)
      .filter((kind) => kind !== 'arrow'),
  },
  annotate: {
    title: 'Annotate',
    about: 'boxes, outlines, brush, regions, classes',
    key: 'Alt+3',
    start: 'box',
    tools: ['box', 'polygon', 'brush', 'eraser', 'region', 'regionVolume', 'assistant', 'arrow', 'roi'],
  },
  compare: {
    title: 'Compare',
    about: 'layouts, linked cells, crosshair, truth and test',
    key: 'Alt+4',
    start: 'auto',
    tools: ['crosshair'],
  },
};

export const TASK_COMMANDS: readonly Command[] = TASKS.map((task): Command => {
  const { title, about, key } = TASK_TABLE[task];
  return {
    id: `task.${task}`,
    title: `${title}: ${about}`,
    group: 'Tasks',
    keys: [key],
    run: (page) => chooseTask(page, task),
    isOn: (page) => panelsOf(page).getState().task === task,
  };
});

const lastToolsOf = definePart(() => new Map<TaskName, ToolName>());

function chooseTask(page: Page, task: TaskName): void {
  if (task === 'compare') makeRoom(page);
  else takeRoomBack(page);
  setPanels(page, { task });
  setTool(page, lastToolsOf(page).get(task) ?? TASK_TABLE[task].start);
}

/** A tool that is chosen by its key or in a menu leads to the task that has it. Returns a function that stops this. */
export function followTool(page: Page): () => void {
  return toolsOf(page).subscribe(({ tool }, before) => {
    if (tool === before.tool) return;
    const { task } = panelsOf(page).getState();
    const isOf = (one: TaskName) => TASK_TABLE[one].tools.includes(tool);
    const isOfAll = tool === 'auto' || HAND_TOOLS.includes(tool);
    const next = isOfAll ? task : ([task, ...TASKS].find(isOf) ?? task);
    if (next !== task) setPanels(page, { task: next });
    // Who returns to a task wants to draw, also if the last thing there was to change the window.
    if (isOf(next)) lastToolsOf(page).set(next, tool);
  });
}
