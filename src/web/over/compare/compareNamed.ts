import { cellsOf } from '../../kit/state/cells.ts';
import {
  chooseSide,
  compareChoiceOf,
  findSide,
  namedComparisonOf,
  type NamedSides,
} from '../../kit/state/comparedSides.ts';
import { mayLieOver, setLayerShown } from '../../kit/state/layers.ts';
import { findLayer } from '../../kit/state/library.ts';
import { say } from '../../kit/state/messages.ts';
import type { Page } from '../../kit/state/page.ts';
import { firstOpenedOf } from '../../show/pictures/followAddress.ts';
import { imageOf } from '../../show/pictures/layerTarget.ts';
import { pictureOf } from '../../show/pictures/pictureKinds.ts';
import { groupOfCell } from '../layers/groupOfCell.ts';
import { descriptionsOf, liesOver } from '../layers/layerDescriptions.ts';
import { openOverTarget } from '../layers/openOverTarget.ts';
import { comparisonsOf, findComparison } from './comparison.ts';
import { visitError } from './visitErrors.ts';

/**
 * Compares what was named over the images of the active cell, and over those that the user opens next. A link says itself what
 * is compared. Of those that are opened in the table, the worst slice is shown. Until the signal.
 */
export function compareNamed(page: Page, named: NamedSides, signal: AbortSignal): void {
  const wishes = namedComparisonOf(page);
  let shown = idOfActive(page);
  /** The images whose layers have been chosen. */
  let settled: string | undefined;
  /** Those whose layers are being chosen. */
  let running: string | undefined;
  /** A row may have been opened before this code was loaded. */
  let wished = 0;
  const isWished = () => wishes.getState().worstWishes !== wished;
  const compareNow = async () => {
    const id = idOfActive(page);
    running = id;
    await compareHere(page, named);
    if (running === id) running = undefined;
    // The user may have opened other images meanwhile.
    if (signal.aborted || id !== idOfActive(page)) return;
    settled = id;
    showWorst();
  };
  const showWorst = () => {
    if (!isWished() || settled === undefined || settled !== idOfActive(page)) return;
    if (findComparison(page) === undefined) return;
    wished = wishes.getState().worstWishes;
    visitError(page, 'worst');
  };
  const follow = () => {
    const next = idOfActive(page);
    if (next === shown) return;
    shown = next;
    if (next !== undefined && (compareChoiceOf(page) !== undefined || isWished())) void compareNow();
  };
  /** A row was opened, maybe of the same images. */
  const open = () => {
    const id = idOfActive(page);
    const isSettled = id === settled && compareChoiceOf(page) !== undefined;
    if (id !== undefined && !isSettled && running !== id) void compareNow();
    else showWorst();
  };
  const start = async () => {
    if (!firstOpenedOf(page).isNamed) await openFirst(page, named, isWished);
    if (signal.aborted) return;
    shown = idOfActive(page);
    const stops = [
      cellsOf(page).subscribe(follow),
      wishes.subscribe(open),
      comparisonsOf(page).changes.subscribe(showWorst),
    ];
    for (const stop of stops) signal.addEventListener('abort', stop, { once: true });
    if (compareChoiceOf(page) === undefined || isWished()) await compareNow();
    else settled = shown;
  };
  void start();
}

/** Planes of other directions are pictures of the same volume. */
function idOfActive(page: Page): string | undefined {
  return idOf(page, cellsOf(page).getState().activeCell);
}

function idOf(page: Page, cell: number): string | undefined {
  const picture = pictureOf(page, cell);
  const image = picture && imageOf(page, picture);
  return image?.series_instance_uid;
}

/** Opens the images under the first truth that lies over any, unless the user opens others first. */
async function openFirst(page: Page, { truth }: NamedSides, hasOpened: () => boolean): Promise<void> {
  for (const layer of truth) {
    if (hasOpened()) return;
    const description = await descriptionsOf(page).load(layer);
    if (description?.isPlaced !== true) continue;
    if (hasOpened()) return;
    await openOverTarget(page, layer, cellsOf(page).getState().activeCell);
    return;
  }
}

async function compareHere(page: Page, named: NamedSides): Promise<void> {
  const cell = cellsOf(page).getState().activeCell;
  const id = idOf(page, cell);
  const choice = compareChoiceOf(page);
  const before = { truth: findSide(page, choice?.truth), test: findSide(page, choice?.test) };
  const missing: string[] = [];
  for (const name of ['truth', 'test'] as const) {
    const layers = named[name];
    const known = before[name];
    // What the user has chosen stays as long as it is about these images.
    const isKept = known !== undefined && (typeof known === 'string' || (await isOver(page, known, cell)));
    const found = isKept ? known : await findOver(page, layers, cell);
    if (idOf(page, cell) !== id) return;
    if (found === undefined) missing.push(`--${name}`);
    if (found !== known) chooseSide(page, name, found);
    if (typeof found === 'number') setLayerShown(page, groupOfCell(page, cell), found, false);
  }
  if (missing.length > 0) say(page, `Nothing of ${missing.join(' and ')} lies over these images`, 'failed');
}

async function findOver(page: Page, layers: readonly number[], cell: number): Promise<number | undefined> {
  for (const layer of layers) if (await isOver(page, layer, cell)) return layer;
  return undefined;
}

async function isOver(page: Page, layer: number, cell: number): Promise<boolean> {
  const picture = pictureOf(page, cell);
  const image = picture && imageOf(page, picture);
  const file = findLayer(page, layer);
  // Without a request for layers of other studies, of which there may be thousands.
  if (file === undefined || image === undefined || !mayLieOver(page, file, image)) return false;
  await descriptionsOf(page).load(layer);
  const now = pictureOf(page, cell);
  return now !== undefined && liesOver(page, layer, now);
}
