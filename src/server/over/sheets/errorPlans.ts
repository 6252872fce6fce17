import { ViewerError } from '../../../shared/contract/errors.ts';
import { numberOfLayer } from '../../../shared/layerRef.ts';
import { stateOf } from '../../bytes/origins/origins.ts';
import type { DicomFile } from '../../images/catalog/dicomFile.ts';
import type { FrameOptions } from '../../images/pixels/frames.ts';
import { createKeptWork, type KeptWorkOptions } from '../../images/pixels/keptWork.ts';
import type { KeyFrame } from '../../images/series/keyFrames.ts';
import { isPassingFailure } from '../../machine/workers/passingFailure.ts';
import type { SheetErrors, SheetLayer } from './sheetLayers.ts';
import type { LayersToShow } from '../layers/overlays.ts';
import type { PartNumbers } from './sheetTasks.ts';

/** Two layers by their numbers. */
export type ErrorSides = { readonly truth: number; readonly test: number };

/** Which parts are compared, and the frame with most wrong samples; undefined if there is no error. */
export type FoundErrors = { readonly pairs: readonly PartNumbers[]; readonly worst: KeyFrame | undefined };

/** Where two layers over the stack of an image differ. Throws if they cannot be compared there. */
export type FindErrors = (wish: ErrorSides & KeyFrame, options: FrameOptions) => Promise<FoundErrors>;

export type ErrorPlan = { readonly errors: SheetErrors; readonly worst: KeyFrame | undefined };

type WhereErrors = {
  readonly target: { readonly file: DicomFile; readonly frame: number };
  /** The masks and contours that lie over it. */
  readonly found: readonly SheetLayer[];
  /** Gets the reason why there are none. */
  readonly leftOut: string[];
};

export type ErrorPlans = {
  /** The errors over a stack; undefined if the two do not lie over it, or cannot be compared on its images. */
  plan(sides: ErrorSides | 'named', where: WhereErrors, options: FrameOptions): Promise<ErrorPlan | undefined>;
};

const PAIR_BYTES = 64;

export function createErrorPlans(
  {
    named,
    comparisons,
  }: { readonly named: Pick<LayersToShow, 'list'>; readonly comparisons: { readonly findErrors: FindErrors } },
  cache: KeptWorkOptions<FoundErrors>['cache'],
): ErrorPlans {
  // A gallery asks for the same series in several sizes.
  const kept = createKeptWork<FoundErrors>({ cache, bytesOf: ({ pairs }) => pairs.length * PAIR_BYTES });

  return {
    async plan(sides, { target, found, leftOut }, options) {
      const wanted = sides === 'named' ? await named.list(options) : { truth: [sides.truth], test: [sides.test] };
      const find = (numbers: readonly number[]) =>
        numbers.flatMap((number) => found.find(({ layer }) => numberOfLayer(layer) === number) ?? [])[0];
      const [truth, test] = [find(wanted.truth), find(wanted.test)];
      if (truth === undefined || test === undefined) {
        // What the user has named for all series may have nothing over this one.
        if (sides !== 'named') leftOut.push('errors: layer_not_found');
        return undefined;
      }
      const key = [truth.key, test.key, await stateOf(target.file.source), target.file.index, target.frame].join('\n');
      const numbers = { truth: numberOfLayer(truth.layer), test: numberOfLayer(test.layer) };
      const here = { fileIndex: target.file.index, frame: target.frame };
      try {
        const { value } = await kept.get(key, options, (signal) =>
          comparisons.findErrors({ ...numbers, ...here }, { ...options, signal }),
        );
        return { errors: { truth, test, pairs: value.pairs }, worst: value.worst };
      } catch (error) {
        if (!(error instanceof ViewerError) || isPassingFailure(error)) throw error;
        leftOut.push(`errors: ${error.code}`);
        return undefined;
      }
    },
  };
}
