import { followRois } from '../marks/rois/followRois.ts';
import { RedactionNotices } from '../marks/panel/RedactionNotices.tsx';
import { RoiNotices } from '../marks/panel/RoiNotices.tsx';
import { Scrubber } from '../cine/Scrubber.tsx';
import { Explorer } from '../files/Explorer.tsx';
import { followMeasurements } from '../marks/shapes/followMeasurements.ts';
import { rememberMeasurements } from '../marks/shapes/rememberMeasurements.ts';
import { guardTab } from '../marks/sync/guardTab.ts';
import { syncMarks } from '../marks/sync/syncMarks.ts';
import { MarkNotices } from '../marks/panel/MarkNotices.tsx';
import { Magnifier } from '../readouts/Magnifier.tsx';
import { loadChunk } from '../state/loadChunk.ts';
import type { Page } from '../state/page.ts';
import { crosshairTool } from '../tools/crosshairTool.ts';
import { laterToolsOf } from '../tools/laterTools.ts';
import { spinTool, turnTool } from '../tools/turnTool.ts';
import { showTooltips } from '../ui/tooltips.ts';
import { followReadings } from '../values/followReadings.ts';
import { imagingOf } from '../pictures/viewport/imaging.ts';
import { documentComponentOf } from '../pictures/laterPictures.ts';
import { followCrosshair } from '../pictures/crosshair.ts';
import { linkCells } from '../pictures/linkCells.ts';
import { followTimes } from '../pictures/volumeTimes.ts';
import { startGpuPath } from '../pictures/viewport/startGpuPath.ts';
import { CacheFigure } from './CacheFigure.tsx';
import { CellLayers } from './CellLayers.tsx';
import { ContextMenu } from './ContextMenu.tsx';
import { followRequests } from './followRequests.ts';
import { handleKeys } from './handleKeys.ts';
import { Inspector } from './Inspector.tsx';
import { Messages } from './Messages.tsx';
import { Toolbar } from './Toolbar.tsx';

/** Everything that every page needs but the first image does not: one file of code, loaded after that image. */
export const laterChunk = {
  CacheFigure,
  CellLayers,
  ContextMenu,
  Explorer,
  Inspector,
  Magnifier,
  Messages,
  MarkNotices,
  RedactionNotices,
  RoiNotices,
  Scrubber,
  Toolbar,
  /** Starts the background work. Returns a function that stops it. */
  start(page: Page): () => void {
    Object.assign(laterToolsOf(page), { crosshair: crosshairTool, turn: turnTool, spin: spinTool });
    documentComponentOf(page).provide(
      async () => (await loadChunk(page, () => import('../documents/DocumentCell.tsx'))).DocumentCell,
    );
    const stops = [
      linkCells(page),
      followCrosshair(page),
      followTimes(page),
      followRois(page),
      followReadings(page),
      rememberMeasurements(page),
      syncMarks(page),
      guardTab(page),
      followMeasurements(page),
      handleKeys(page),
      followRequests(page),
      startGpuPath(imagingOf(page).gpu),
      showTooltips(),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  },
};

export type LaterChunk = typeof laterChunk;
