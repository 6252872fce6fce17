import type { DicomFile } from '../../images/catalog/dicomFile.ts';
import { doInTurns, type WorkInTurns } from '../../machine/workers/doInTurns.ts';
import type { LayerOptions } from './layerProvider.ts';
import { nameWay } from './placement.ts';
import type { Bridge, RegistrationGraph } from './registrationGraph.ts';
import type { Registrations } from './registrations.ts';
import { describeMotion, matrixOfSteps, type Motion } from './rigidMotion.ts';

/** Ways over registrations that lead to different places. */
export type AmbiguousSpace = {
  readonly frameOfReferenceUid: string;
  readonly ways: readonly {
    readonly via: readonly DicomFile[];
    readonly words: string;
    /** Undefined if it deforms the patient. */
    readonly motion: Motion | undefined;
    readonly isChosen: boolean;
  }[];
  /** Whether others lead to yet other places. */
  readonly hasMore: boolean;
};

export type RegistrationChoices = {
  readonly choices: readonly AmbiguousSpace[];
  /** Why registrations are not used, or not listed. */
  readonly problem: string | undefined;
};

/** More choices than anybody makes. */
const MOST_CHOICES = 64;

/** The frames of reference that are connected with this one in several ways, of which the user has to choose one. */
export async function listChoices(
  registrations: Registrations,
  frameOfReferenceUid: string,
  options: LayerOptions,
): Promise<RegistrationChoices> {
  const graph = await registrations.load(options);
  return doInTurns(chooseAmbiguous(graph, frameOfReferenceUid), options.signal);
}

function* chooseAmbiguous(graph: RegistrationGraph, target: string): WorkInTurns<RegistrationChoices> {
  const choices: AmbiguousSpace[] = [];
  let left = 0;
  for (const uid of graph.listReachable(target)) {
    yield;
    // The way of a layer goes from its frame of reference to that of the image.
    const { bridges, hasMore } = graph.listBridges(uid, target);
    if (bridges.length < 2 && !hasMore) continue;
    if (choices.length === MOST_CHOICES) {
      left += 1;
      continue;
    }
    const chosen = graph.findBridges(uid, target);
    const only = chosen.bridges.length === 1 && !chosen.hasMore ? chosen.bridges[0] : undefined;
    choices.push({ frameOfReferenceUid: uid, ways: bridges.map((bridge) => describeWay(bridge, only)), hasMore });
  }
  const others = `${left} other frames of reference are connected in several ways`;
  return { choices, problem: graph.findProblem(target) ?? (left > 0 ? others : undefined) };
}

function describeWay(bridge: Bridge, chosen: Bridge | undefined): AmbiguousSpace['ways'][number] {
  const { steps, via } = bridge;
  const matrix = matrixOfSteps(steps);
  return {
    via,
    words: nameWay(bridge),
    motion: matrix && describeMotion(matrix),
    isChosen: chosen?.via.every((file, at) => file === via[at]) === true,
  };
}
