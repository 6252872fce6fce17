import { ROI_COMMANDS } from '../draw/marks/rois/roiCommands.ts';
import { BRUSH_COMMANDS } from '../draw/marks/masks/brushCommands.ts';
import { COMPARE_COMMANDS } from '../over/compare/compareCommands.ts';
import { LAYER_COMMANDS } from '../over/layers/layerCommands.ts';
import { MASK_COMMANDS } from '../draw/marks/tools/maskCommands.ts';
import { SAVE_COMMANDS } from '../draw/marks/panel/saveCommands.ts';
import { MARK_COMMANDS } from '../draw/marks/shapes/markCommands.ts';
import { PLANE_COMMANDS } from '../show/pictures/plane/planeCommands.ts';
import { PRESENTATION_COMMANDS } from '../over/presentation/presentationCommands.ts';
import { SLIDE_COMMANDS } from '../show/pictures/slide/slideCommands.ts';
import { COHORT_COMMANDS } from '../find/cohort/cohortCommands.ts';
import { STUDY_COMMANDS } from '../find/studies/studyCommands.ts';
import { isCohortInFront } from '../kit/state/cohortPlace.ts';
import type { Command } from '../kit/state/commands.ts';
import type { Page } from '../kit/state/page.ts';
import { reviewCommandsOf } from '../kit/state/reviewKeys.ts';
import { COLOR_COMMANDS } from './colorCommands.ts';
import { EDIT_COMMANDS } from './editCommands.ts';
import { LAYOUT_COMMANDS } from './layoutCommands.ts';
import { LIGHTBOX_COMMANDS } from './lightbox/lightboxCommands.ts';
import { PANEL_COMMANDS } from './panelCommands.ts';
import { PICTURE_COMMANDS } from './pictureCommands.ts';
import { CINE_COMMANDS, SCROLL_COMMANDS } from './scrollCommands.ts';
import { TASK_COMMANDS } from './tasks.ts';
import { TOOL_COMMANDS } from './toolCommands.ts';
import { VIEW_COMMANDS } from './viewCommands.ts';
import { WINDOW_COMMANDS } from './windowCommands.ts';

/** All commands. Keys, tooltips, the palette, the key sheet and docs/keys.md are derived from this table. */
export const COMMANDS: readonly Command[] = [
  ...TASK_COMMANDS,
  ...COHORT_COMMANDS,
  ...TOOL_COMMANDS,
  ...WINDOW_COMMANDS,
  ...VIEW_COMMANDS,
  ...COLOR_COMMANDS,
  ...LAYER_COMMANDS,
  ...PRESENTATION_COMMANDS,
  ...SLIDE_COMMANDS,
  ...SCROLL_COMMANDS,
  ...CINE_COMMANDS,
  ...LAYOUT_COMMANDS,
  ...LIGHTBOX_COMMANDS,
  ...STUDY_COMMANDS,
  ...PLANE_COMMANDS,
  ...COMPARE_COMMANDS,
  ...EDIT_COMMANDS,
  ...BRUSH_COMMANDS,
  ...MASK_COMMANDS,
  ...MARK_COMMANDS,
  ...SAVE_COMMANDS,
  ...ROI_COMMANDS,
  ...PICTURE_COMMANDS,
  ...PANEL_COMMANDS,
];

const EVERYWHERE = COMMANDS.filter(({ worksEverywhere }) => worksEverywhere);

/** The commands for what the page shows. */
export function listCommands(page: Page): readonly Command[] {
  const all = listAllCommands(page);
  if (!isCohortInFront(page)) return all;
  return all === COMMANDS ? EVERYWHERE : all.filter(({ worksEverywhere }) => worksEverywhere);
}

/** All commands with the keys that they have now. */
export function listAllCommands(page: Page): readonly Command[] {
  const { commands } = reviewCommandsOf(page).getState();
  return commands === undefined ? COMMANDS : withReview(commands);
}

/** The keys of a command now: those that a review takes are not its own. */
export function keysOf(page: Page, { id, keys }: Command): readonly string[] {
  const all = listAllCommands(page);
  return all === COMMANDS ? keys : (all.find((one) => one.id === id)?.keys ?? keys);
}

const known = new WeakMap<readonly Command[], readonly Command[]>();

/** In a review its keys win, and windows have their digits with Shift. */
function withReview(commands: readonly Command[]): readonly Command[] {
  const found = known.get(commands);
  if (found !== undefined) return found;
  const taken = new Set(commands.flatMap(({ keys }) => keys));
  const toFree = (key: string) => (/^\d$/.test(key) ? `Shift+${key}` : taken.has(key) ? [] : key);
  const others = COMMANDS.map((command) => ({ ...command, keys: command.keys.flatMap(toFree) }));
  const all = [...commands, ...others];
  known.set(commands, all);
  return all;
}

export function getCommand(id: string): Command {
  const command = COMMANDS.find((one) => one.id === id);
  if (command === undefined) throw new Error(`unknown command ${id}`);
  return command;
}
