import { layerProbesOf } from '../state/layers.ts';
import { findFile } from '../state/library.ts';
import type { Page } from '../state/page.ts';
import type { LayerClient, ProbedLayer } from './layerClient.ts';
import { findClient } from './layerClients.ts';

/** Tells the readouts of a cell how to find the values of the layers over its picture. */
export function setLayerProbe(page: Page, cell: number, drawn: readonly ProbedLayer[]): void {
  const store = layerProbesOf(page);
  const byClient = new Map<LayerClient, ProbedLayer[]>();
  for (const layer of drawn) {
    const file = findFile(page, layer.description.fileIndex);
    const client = file && findClient(file);
    if (client?.probe !== undefined) byClient.set(client, [...(byClient.get(client) ?? []), layer]);
  }
  if (byClient.size === 0 && !store.getState().has(cell)) return;
  const probes = new Map(store.getState());
  if (byClient.size === 0) probes.delete(cell);
  else {
    probes.set(cell, (column, row) =>
      [...byClient].flatMap(([client, probed]) => client.probe?.(page, probed, column, row) ?? []),
    );
  }
  store.setState(probes, true);
}
