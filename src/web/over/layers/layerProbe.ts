import { probesOf } from '../../show/pictures/viewports.ts';
import { layerProbesOf } from '../../kit/state/layers.ts';
import { findLayer } from '../../kit/state/library.ts';
import type { Page } from '../../kit/state/page.ts';
import type { LayerClient, ProbedLayer } from './layerClient.ts';
import { findClient } from './layerClients.ts';
import { setLitParts } from './litParts.ts';
import { styleOf } from './partStyles.ts';

/** More parts at one pixel are counted, not named. */
const MOST_NAMED = 4;

/** A layer on the screen, and how to find its parts there. */
export type LayerOnScreen = ProbedLayer & {
  /** Numbers of the parts at a pixel, the most interesting first. */
  readonly partsAt: (column: number, row: number) => readonly number[];
};

/** Tells the readouts of a cell how to find the values and names of the layers over its picture. */
export function setLayerProbe(page: Page, cell: number, drawn: readonly LayerOnScreen[]): void {
  const store = layerProbesOf(page);
  const byClient = new Map<LayerClient, ProbedLayer[]>();
  const withParts = drawn.filter(({ description }) => description.parts.length > 0);
  for (const layer of drawn) {
    const file = findLayer(page, layer.description.fileIndex);
    const client = file && findClient(file);
    if (client?.probe !== undefined) byClient.set(client, [...(byClient.get(client) ?? []), layer]);
  }
  const isEmpty = byClient.size === 0 && withParts.length === 0;
  if (isEmpty && !store.getState().has(cell)) return;
  const probes = new Map(store.getState());
  if (isEmpty) probes.delete(cell);
  else {
    probes.set(cell, (column, row) => [
      ...[...byClient].flatMap(([client, probed]) => client.probe?.(page, probed, column, row) ?? []),
      ...nameParts(page, withParts, column, row),
    ]);
  }
  store.setState(probes, true);
}

/** Lights the rows of the parts under the pointer. Returns a function that stops. */
export function lightParts(page: Page, cell: number, listDrawn: () => readonly LayerOnScreen[]): () => void {
  let isOver = false;
  const leave = () => {
    if (isOver) setLitParts(page, []);
    isOver = false;
  };
  const stop = probesOf(page).subscribe(({ probes }, before) => {
    const probe = probes.get(cell);
    if (probe === before.probes.get(cell)) return;
    if (probe === undefined) leave();
    else {
      isOver = true;
      setLitParts(page, listParts(page, listDrawn(), probe.column, probe.row));
    }
  });
  return () => {
    stop();
    leave();
  };
}

function listParts(page: Page, drawn: readonly LayerOnScreen[], column: number, row: number) {
  return drawn.flatMap(({ description: { fileIndex: layer }, partsAt }) =>
    partsAt(column, row)
      .filter((part) => styleOf(page, layer, part).isVisible)
      .map((part) => ({ layer, part })),
  );
}

function nameParts(page: Page, drawn: readonly LayerOnScreen[], column: number, row: number): string[] {
  const names = listParts(page, drawn, column, row).flatMap(({ layer, part }) => {
    const ofLayer = drawn.find(({ description }) => description.fileIndex === layer);
    return ofLayer?.description.parts.find(({ number }) => number === part)?.name ?? [];
  });
  const others = names.length - MOST_NAMED;
  return others > 0 ? [...names.slice(0, MOST_NAMED), `${others} more`] : names;
}
