import { ViewerError } from '../../../shared/contract/errors.ts';
import { doInTurns, type WorkInTurns } from '../../machine/workers/doInTurns.ts';
import { toRefusal } from '../../machine/workers/passingFailure.ts';
import type { LayerFiles } from './layerFiles.ts';
import { type LayerOptions, type LayerSpace, type LayerWarning, MOST_LAYER_SPACES } from './layerProvider.ts';
import { isPlaced, placeInFrameOfReference } from './placement.ts';
import type { RegistrationGraph } from './registrationGraph.ts';
import type { Registrations } from './registrations.ts';

/** A frame of reference that the coordinates of one, the same or another, get into. */
export type SpaceOfLayer = LayerSpace & { readonly own: string };

export type FoundInSpaces<Found> = {
  readonly found: readonly Found[];
  /** That there are more frames of reference than are looked at; at most one. */
  readonly leftOut: readonly LayerWarning[];
  /** That a registration cannot be used; at most one. */
  readonly unusable: readonly LayerWarning[];
};

/**
 * Looks for a layer in each of its own frames of reference, and in the others with open images that registrations put it
 * in, the nearest first. A registration that cannot be used places nothing, but the layer lies over its own images.
 */
export async function followSpaces<Found>(
  own: readonly string[],
  { files, registrations }: { readonly files: Pick<LayerFiles, 'spaces'>; readonly registrations: Registrations },
  { isElsewhere = false, ...options }: LayerOptions & { readonly isElsewhere?: boolean },
  look: (space: SpaceOfLayer) => Promise<Found | undefined>,
): Promise<FoundInSpaces<Found>> {
  const graph = await registrations.load(options);
  const found: Found[] = [];
  const leftOut: LayerWarning[] = [];
  const unusable: LayerWarning[] = [];
  for (const uid of own) {
    const reached = await doInTurns(chooseSpaces(uid, graph, await files.spaces()), options.signal);
    leftOut.push(...reached.warnings);
    const first = { frameOfReferenceUid: uid, placement: placeInFrameOfReference(uid, uid) };
    for (const space of [...(isElsewhere ? [] : [first]), ...reached.spaces]) {
      const looked = look({ own: uid, ...space });
      const one = await (space === first ? looked : looked.catch(toRefusal));
      if (one instanceof ViewerError) unusable.push({ code: 'registration_unusable', message: one.message });
      else if (one !== undefined) found.push(one);
    }
  }
  return { found, leftOut: leftOut.slice(0, 1), unusable: unusable.slice(0, 1) };
}

function* chooseSpaces(
  own: string,
  graph: RegistrationGraph,
  withImages: Pick<ReadonlySet<string>, 'has'>,
): WorkInTurns<{ readonly spaces: readonly LayerSpace[]; readonly warnings: readonly LayerWarning[] }> {
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
