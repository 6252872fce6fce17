import { cellsOf } from '../../kit/state/cells.ts';
import { fetchOverlays } from '../../kit/api/attachments.ts';
import { namedComparisonOf } from '../../kit/state/comparedSides.ts';
import { hasLayer, isUsualField } from '../../kit/state/layers.ts';
import { findFile, findLayer, libraryOf, stackOf } from '../../kit/state/library.ts';
import { loadChunk } from '../../kit/state/loadChunk.ts';
import type { Page } from '../../kit/state/page.ts';
import { openAllOverTarget } from '../../over/layers/openOverTarget.ts';
import { firstOpenedOf } from '../../show/pictures/followAddress.ts';

/** Shows what was named with `--overlay` over its images, once, unless a link says what to show. Returns a function that stops it. */
export function showRequested(page: Page): () => void {
  const library = libraryOf(page);
  const stopped = new AbortController();
  const look = () => {
    const { summary, isSeriesComplete } = library.getState();
    if (summary === undefined || !summary.scan_complete || !isSeriesComplete) return;
    unsubscribe();
    if (summary.overlays > 0) void showNamed(page, stopped.signal);
  };
  const unsubscribe = library.subscribe(look);
  look();
  return () => {
    unsubscribe();
    stopped.abort();
  };
}

async function showNamed(page: Page, signal: AbortSignal): Promise<void> {
  // Without an answer, the layers are offered like any others.
  const named = await fetchOverlays(signal).catch(() => undefined);
  if (named === undefined || signal.aborted) return;
  if (!firstOpenedOf(page).isNamed && named.layers.length > 0) await layOver(page, named.layers);
  if (named.truth.length + named.test.length === 0) return;
  namedComparisonOf(page).setState({ named });
  const { compareNamed } = await loadChunk(page, () => import('../../over/compare/compareNamed.ts'));
  if (!signal.aborted) compareNamed(page, named, signal);
}

async function layOver(page: Page, named: readonly number[]): Promise<void> {
  const layers = named.map((layer) => nameVolume(page, layer));
  // The images that a program copied beside its output are none.
  const asLayers = layers.filter((layer) => isLayer(page, layer));
  const shown = asLayers.length > 0 ? asLayers : layers;
  await openAllOverTarget(page, [...new Set(shown)], cellsOf(page).getState().activeCell);
}

/** A volume that lies over others is named by the first file of its stack. */
function nameVolume(page: Page, layer: number): number {
  const file = findFile(page, layer);
  return file === undefined || hasLayer(file) ? layer : stackOf(page, file).fileIndex;
}

function isLayer(page: Page, layer: number): boolean {
  const record = findLayer(page, layer);
  return record !== undefined && ('attachment' in record || hasLayer(record) || isUsualField(record));
}
