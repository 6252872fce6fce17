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
  return isCohortInFront(page) ? EVERYWHERE : COMMANDS;
}

export function getCommand(id: string): Command {
  const command = COMMANDS.find((one) => one.id === id);
  if (command === undefined) throw new Error(`unknown command ${id}`);
  return command;
}
