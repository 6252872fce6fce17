import { doInTurns, type WorkInTurns } from '../workers/doInTurns.ts';
import type { LayerFiles } from './layerFiles.ts';
import { type LayerOptions, type LayerSpace, type LayerWarning, MOST_LAYER_SPACES } from './layerProvider.ts';
import { isPlaced, placeInFrameOfReference } from './placement.ts';
import type { RegistrationGraph } from './registrationGraph.ts';

export type ReachedSpaces = { readonly spaces: readonly LayerSpace[]; readonly warnings: readonly LayerWarning[] };

/** The other frames of reference with open images that registrations put a layer in, the nearest first. */
export async function findReachedSpaces(
  own: string,
  graph: RegistrationGraph,
  files: Pick<LayerFiles, 'spaces'>,
  { signal }: LayerOptions,
): Promise<ReachedSpaces> {
  return doInTurns(chooseSpaces(own, graph, await files.spaces()), signal);
}

/** What was found for each frame of reference of a layer, by that. */
export function groupByOwn<Found extends { readonly own: string }>(
  found: readonly Found[],
): ReadonlyMap<string, readonly Found[]> {
  const groups = new Map<string, Found[]>();
  for (const one of found) {
    const known = groups.get(one.own);
    if (known === undefined) groups.set(one.own, [one]);
    else known.push(one);
  }
  return groups;
}

function* chooseSpaces(
  own: string,
  graph: RegistrationGraph,
  withImages: Pick<ReadonlySet<string>, 'has'>,
): WorkInTurns<ReachedSpaces> {
  const spaces: LayerSpace[] = [];
  let left = 0;
  for (const uid of graph.listReachable(own)) {
    yield;
    if (!withImages.has(uid)) continue;
    const placement = placeInFrameOfReference(own, uid, graph);
    if (!isPlaced(placement)) continue;
    if (spaces.length < MOST_LAYER_SPACES) spaces.push({ frameOfReferenceUid: uid, placement });
    else left += 1;
  }
  if (left === 0) return { spaces, warnings: [] };
  const message = `nothing is drawn over the images of ${left} frames of reference, because registrations lead to more than ${MOST_LAYER_SPACES}`;
  return { spaces, warnings: [{ code: 'images_left_out', message }] };
}
