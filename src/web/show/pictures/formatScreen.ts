import { type CrosshairAddress, type LayerAddress, type ViewAddress } from '../../kit/state/address.ts';
import { describeChoice } from '../../kit/state/attachmentChoices.ts';
import type { LayerRecord } from '../../kit/state/attachments.ts';
import { cellOf, cellsOf, cellsOfLayout } from '../../kit/state/cells.ts';
import { crosshairOf } from '../../kit/state/crosshair.ts';
import { nameFile } from '../../kit/state/fileNames.ts';
import { formatAddress } from '../../kit/state/formatAddress.ts';
import {
  chosenVolumeOf,
  combinedOf,
  filterOf,
  mayLieOver,
  mayLieOverAny,
  shownLayersOf,
  spacesOfLayer,
} from '../../kit/state/layers.ts';
import { findFile, findLayer } from '../../kit/state/library.ts';
import type { Page } from '../../kit/state/page.ts';
import { panelsOf } from '../../kit/state/panels.ts';
import { namePreferredRegistrations } from '../../kit/state/registrationChoices.ts';
import { spaceOf } from './findPositionAt.ts';
import { imageOf, isInPlanes } from './layerTarget.ts';
import { pictureOf } from './pictureKinds.ts';

/** The state of the screen, in the format of the URL fragment. */
export function formatScreen(page: Page): string {
  return formatAddress(describeScreen(page));
}

function describeScreen(page: Page): ViewAddress {
  const { layout, activeCell, cells, links } = cellsOf(page).getState();
  const { tab, tabBy, cohortAt, cohortText, compareText } = panelsOf(page).getState();
  return {
    layout,
    activeCell,
    cells: cellsOfLayout(layout).map((cell) => {
      const state = cells[cell];
      const address = pictureOf(page, cell)?.addressOf(cellOf(page, cell).position);
      if (state === undefined || address === undefined) return undefined;
      const { window, view, invert, colorMap, mix, presentation, keyObjects, item } = state;
      return { ...address, window, view, invert, colorMap, mix, presentation, keyObjects, item };
    }),
    links,
    tab: tabBy === 'user' ? tab : undefined,
    layers: listLayers(page),
    choices: listShown(page).flatMap((index) => describeChoice(page, index) ?? []),
    registrations: namePreferredRegistrations(page),
    crosshairs: listCrosshairs(page),
    cohort: { cohortAt, cohortText },
    compareText,
  };
}

/** The crosshairs of the pictures on the screen. Others say nothing about this view. */
function listCrosshairs(page: Page): CrosshairAddress[] {
  const { points } = crosshairOf(page).getState();
  const sources = cellsOfLayout(cellsOf(page).getState().layout).flatMap((cell) => pictureOf(page, cell) ?? []);
  const spaces = new Set(sources.map((source) => spaceOf(source)));
  return [...points].filter(([space]) => spaces.has(space)).map(([space, point]) => ({ space, point }));
}

/** Visible layers that can lie over an image on screen. Others say nothing about this view. */
function listLayers(page: Page): LayerAddress[] {
  const cells = cellsOfLayout(cellsOf(page).getState().layout);
  const visible = new Map(cells.map((cell) => [cell, visibleIn(page, cell)] as const));
  return [...new Set([...visible.values()].flat())].flatMap((index) => {
    const file = findLayer(page, index);
    const possible = file === undefined ? [] : cells.filter((cell) => mayLieOverCell(page, file, cell));
    const on = possible.filter((cell) => visible.get(cell)?.includes(index));
    if (file === undefined || on.length === 0) return [];
    const cellsOn = on.length === possible.length ? undefined : on;
    return [
      {
        name: nameFile(page, file),
        cells: cellsOn,
        volume: chosenVolumeOf(page, index),
        filter: filterOf(page, index),
        ...nameCombined(page, index),
      },
    ];
  });
}

function nameCombined(page: Page, layer: number): Pick<LayerAddress, 'plus' | 'minus'> {
  const { plus, minus } = combinedOf(page, layer) ?? { plus: [], minus: [] };
  const named = (indices: readonly number[]) =>
    indices.flatMap((index) => findFile(page, index) ?? []).map((file) => nameFile(page, file));
  return { plus: named(plus), minus: named(minus) };
}

function listShown(page: Page): readonly number[] {
  const cells = cellsOfLayout(cellsOf(page).getState().layout);
  return [...new Set(cells.flatMap((cell) => visibleIn(page, cell)))];
}

function visibleIn(page: Page, cell: number): readonly number[] {
  const { shown, areVisible } = shownLayersOf(page, cell);
  return areVisible ? shown : [];
}

function mayLieOverCell(page: Page, layer: LayerRecord, cell: number): boolean {
  const picture = pictureOf(page, cell);
  const image = picture && imageOf(page, picture);
  if (picture === undefined || image === undefined || !mayLieOver(page, layer, image)) return false;
  const { stack } = picture;
  if (stack === undefined) return isInPlanes(layer, spacesOfLayer(page, layer.index), picture);
  return mayLieOverAny(
    page,
    layer.index,
    stack.frames.map(({ fileIndex }) => fileIndex),
  );
}
