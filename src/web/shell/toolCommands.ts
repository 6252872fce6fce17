import { listDrawingTools } from '../draw/marks/shapes/measureKinds.ts';
import type { Command } from '../kit/state/commands.ts';
import { loadChunk } from '../kit/state/loadChunk.ts';
import type { Page } from '../kit/state/page.ts';
import { pictureOf } from '../show/pictures/pictureKinds.ts';
import { reportOf } from '../show/pictures/viewports.ts';
import { cycleOverlayText, setTool, type ToolName, toolsOf } from '../kit/state/tools.ts';
import { isPointerByKeys, togglePointerByKeys } from '../show/tools/keyboardPointer.ts';
import { activeCell, hasImage } from './activeCell.ts';

const TOOLS: readonly (readonly [tool: ToolName, title: string, key: string])[] = [
  ['window', 'Window and level', 'W'],
  ['pan', 'Pan', 'P'],
  ['zoom', 'Zoom', 'Z'],
  ['scroll', 'Scroll', 'S'],
  ['crosshair', 'Crosshair', 'Shift+X'],
  ['windowBox', 'Window from box', 'U'],
  ['roi', 'ROI (CSV)', 'R'],
  ...listDrawingTools().map(({ kind, title, key }) => [kind, title, key] as const),
  ['brush', 'Brush', 'Shift+B'],
  ['eraser', 'Eraser', 'Alt+B'],
  ['region', 'Grow a region in this image from a click; drag to change its range', 'Alt+G'],
  ['regionVolume', 'Grow a 3-D region in the volume from a click; drag to change its range', 'Alt+V'],
];

export const TOOL_COMMANDS: readonly Command[] = [
  ...TOOLS.map(([tool, title, key]): Command => ({
    id: `tool.${tool}`,
    title,
    group: 'Tools',
    keys: [key],
    run: (page) => setTool(page, tool),
    isOn: (page) => isToolOn(page, tool),
  })),
  {
    id: 'tool.assistant',
    title:
      'Assistant: a click, box or scribble is what it makes a mask of, with Alt what is outside; again for the next one',
    group: 'Tools',
    keys: ['Alt+Q'],
    run: (page) => void chooseAssistantTool(page),
    isOn: (page) => toolsOf(page).getState().tool === 'assistant',
  },
  {
    id: 'tool.byKeys',
    title: 'Pointer on the image that arrow keys move; Enter presses and releases',
    group: 'Tools',
    keys: ['Alt+P'],
    run: togglePointerByKeys,
    isEnabled: hasImage,
    isOn: isPointerByKeys,
  },
  {
    id: 'view.texts',
    title: 'Image text: all, minimal or none',
    group: 'View',
    keys: ['O'],
    run: cycleOverlayText,
  },
];

async function chooseAssistantTool(page: Page): Promise<void> {
  const chunk = await loadChunk(page, () => import('../draw/marks/assistants/assistants.ts'));
  await chunk.chooseAssistantTool(page);
}

/**
 * Initially, planes have the crosshair, other gray images the window tool; pictures that pan and color images are
 * panned. The toolbar shows which.
 */
function isToolOn(page: Page, tool: ToolName): boolean {
  const current = toolsOf(page).getState().tool;
  if (current !== 'auto') return current === tool;
  const { status, window } = reportOf(page, activeCell(page));
  const { cuts = false, pans = false, turns = false } = pictureOf(page, activeCell(page))?.traits ?? {};
  if (turns) return false;
  if (cuts) return tool === 'crosshair';
  const isPanned = pans || (status === 'ready' && window === undefined);
  return tool === (isPanned ? 'pan' : 'window');
}
