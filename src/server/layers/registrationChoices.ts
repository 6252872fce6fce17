import type { DicomFile } from '../catalog/dicomFile.ts';
import type { LayerOptions } from './layerProvider.ts';
import { nameWay } from './placement.ts';
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
};

/** The frames of reference that are connected with this one in several ways, of which the user has to choose one. */
export async function listChoices(
  registrations: Registrations,
  frameOfReferenceUid: string,
  options: LayerOptions,
): Promise<readonly AmbiguousSpace[]> {
  const graph = await registrations.load(options);
  return graph.listReachable(frameOfReferenceUid).flatMap((uid): AmbiguousSpace[] => {
    // The way of a layer goes from its frame of reference to that of the image.
    const ways = graph.listBridges(uid, frameOfReferenceUid);
    const [chosen, ...others] = graph.findBridges(uid, frameOfReferenceUid);
    if (ways.length < 2) return [];
    return [
      {
        frameOfReferenceUid: uid,
        ways: ways.map(({ steps, via }) => {
          const matrix = matrixOfSteps(steps);
          return {
            via,
            words: nameWay({ steps, via }),
            motion: matrix && describeMotion(matrix),
            isChosen: others.length === 0 && chosen?.via.every((file, at) => file === via[at]) === true,
          };
        }),
      },
    ];
  });
}
