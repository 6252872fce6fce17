import { followRois } from '../draw/marks/rois/followRois.ts';
import { RedactionNotices } from '../draw/marks/panel/RedactionNotices.tsx';
import { RoiNotices } from '../draw/marks/panel/RoiNotices.tsx';
import { Scrubber } from '../show/cine/Scrubber.tsx';
import { Explorer } from '../find/files/Explorer.tsx';
import { showRequested } from '../find/files/showRequested.ts';
import { followMeasurements } from '../draw/marks/shapes/followMeasurements.ts';
import { rememberMeasurements } from '../draw/marks/shapes/rememberMeasurements.ts';
import { guardTab } from '../draw/marks/sync/guardTab.ts';
import { syncMarks } from '../draw/marks/sync/syncMarks.ts';
import { MarkNotices } from '../draw/marks/panel/MarkNotices.tsx';
import { Magnifier } from '../show/readouts/Magnifier.tsx';
import { commandFinderOf } from '../kit/state/commands.ts';
import { loadChunk } from '../kit/state/loadChunk.ts';
import type { Page } from '../kit/state/page.ts';
import { crosshairTool } from '../show/tools/crosshairTool.ts';
import { laterToolsOf } from '../show/tools/laterTools.ts';
import { spinTool, turnTool } from '../show/tools/turnTool.ts';
import { windowBoxTool } from '../show/tools/windowBoxTool.ts';
import { showTooltips } from '../kit/ui/tooltips.ts';
import { followReadings } from '../show/values/followReadings.ts';
import { imagingOf } from '../show/pictures/viewport/imaging.ts';
import { documentComponentOf } from '../show/pictures/laterPictures.ts';
import { screenFormatOf } from '../show/pictures/followAddress.ts';
import { formatScreen } from '../show/pictures/formatScreen.ts';
import { followCrosshair, isBesidePlanes, leadCrosshair } from '../show/pictures/crosshair.ts';
import { linkCells } from '../show/pictures/linkCells.ts';
import { followTimes } from '../show/pictures/volumeTimes.ts';
import { startGpuPath } from '../show/pictures/viewport/startGpuPath.ts';
import { CacheFigure } from './CacheFigure.tsx';
import { CellLayers } from './CellLayers.tsx';
import { getCommand } from './commandTable.ts';
import { ContextMenu } from './ContextMenu.tsx';
import { followRequests } from './followRequests.ts';
import { followPrinting } from './followPrinting.ts';
import { followUsualTab } from './followUsualTab.ts';
import { handleKeys } from './handleKeys.ts';
import { Inspector } from './Inspector.tsx';
import { LightboxPlace } from './lightbox/LightboxPlace.tsx';
import { Messages } from './Messages.tsx';
import { followTool } from './tasks.ts';
import { ReviewPlace } from './ReviewPlace.tsx';
import { Toolbar } from './Toolbar.tsx';

/** Everything that every page needs but the first image does not: one file of code, loaded after that image. */
export const laterChunk = {
  CacheFigure,
  CellLayers,
  ContextMenu,
  Explorer,
  Inspector,
  LightboxPlace,
  Magnifier,
  Messages,
  MarkNotices,
  RedactionNotices,
  ReviewPlace,
  RoiNotices,
  Scrubber,
  Toolbar,
  /** Starts the background work. Returns a function that stops it. */
  start(page: Page): () => void {
    Object.assign(commandFinderOf(page), { find: getCommand });
    Object.assign(laterToolsOf(page), {
      crosshair: crosshairTool,
      turn: turnTool,
      spin: spinTool,
      windowBox: windowBoxTool,
      leadCrosshair,
      isBesidePlanes,
    });
    documentComponentOf(page).provide(
      async () => (await loadChunk(page, () => import('../read/documents/DocumentCell.tsx'))).DocumentCell,
    );
    screenFormatOf(page).setState({ format: formatScreen });
    const stops = [
      linkCells(page),
      followCrosshair(page),
      followTimes(page),
      followRois(page),
      followReadings(page),
      followTool(page),
      followUsualTab(page),
      followPrinting(),
      rememberMeasurements(page),
      syncMarks(page),
      guardTab(page),
      followMeasurements(page),
      handleKeys(page),
      followRequests(page),
      showRequested(page),
      startGpuPath(imagingOf(page).gpu),
      showTooltips(),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  },
};

export type LaterChunk = typeof laterChunk;
