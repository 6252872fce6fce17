import type { AssistantPrompt, AssistantQuestion } from '../../../shared/contract/assistants.ts';
import { MOST_PROMPT_SAMPLES } from '../../../shared/contract/assistants.ts';
import { ViewerError } from '../../../shared/contract/errors.ts';
import type { ArrayPlan } from '../../images/exports/nifti/niftiVolumes.ts';
import { NPY_TYPES } from '../../images/exports/numpy/writeNpyHeader.ts';
import { listSlices, type PackedSlices } from '../marks/markContent.ts';
import type { AssistantDescription } from './describeAssistant.ts';

type Voxel = readonly [slice: number, row: number, column: number];

/** What an assistant is asked, as JSON of the protocol. It has no name and no UID. */
export type WrittenQuestion = {
  readonly json: string;
  /** The slice that all prompts are in, for an assistant that looks at one image. */
  readonly only: number | undefined;
};

/** Throws `bad_request` for what cannot be asked. */
export function writeQuestion(
  { prompts }: Pick<AssistantQuestion, 'prompts'>,
  initial: PackedSlices | undefined,
  { plan, volumeKey, description }: { plan: ArrayPlan; volumeKey: string; description: AssistantDescription },
): WrittenQuestion {
  const find = createFinder(plan);
  const [, slices, rows, columns] = plan.shape;
  if (prompts.reduce((sum, { samples }) => sum + samples.length, 0) > MOST_PROMPT_SAMPLES) {
    throw new ViewerError('bad_request', `prompts have at most ${MOST_PROMPT_SAMPLES} samples together`);
  }
  const written = prompts.map((prompt) => {
    if (!description.prompts.includes(prompt.kind)) throw refuse(description, `takes no ${prompt.kind}`);
    if (!prompt.is_positive && !description.takesNegative) throw refuse(description, 'takes nothing that is outside');
    return writePrompt(prompt, prompt.samples.map(find));
  });
  const used = new Set(written.flatMap(({ slices: of }) => of));
  if (description.dimensions === 2 && used.size !== 1) {
    throw refuse(description, 'looks at one image, and the prompts are in several');
  }
  if (initial !== undefined && !description.prompts.includes('mask')) throw refuse(description, 'takes no mask');
  const body = {
    volume: {
      key: volumeKey,
      shape: [slices, rows, columns],
      type: NPY_TYPES[plan.storage],
      unit: description.unit === 'stored' ? 'stored' : plan.unit,
      rescale: plan.rescale === undefined ? null : { slope: plan.rescale.slope, intercept: plan.rescale.intercept },
      affine: plan.affine ?? null,
      spacing: plan.spacingMm,
    },
    prompts: written.map(({ json }) => json),
    mask: initial === undefined ? null : writeInitial(initial, plan),
  };
  return { json: JSON.stringify(body), only: description.dimensions === 2 ? [...used][0] : undefined };
}

function refuse({ name }: AssistantDescription, why: string): ViewerError {
  return new ViewerError('bad_request', `${name} ${why}`);
}

/** Finds the voxel of a stored sample. */
function createFinder({ frames, shape: [, slices, rows, columns] }: ArrayPlan) {
  const places = placesOf(frames, slices);
  return ([file = 0, frame = 0, row = 0, column = 0]: readonly number[]): Voxel => {
    const place = places.get(`${file} ${frame}`);
    if (place === undefined || row >= rows || column >= columns) {
      throw new ViewerError('bad_request', 'a prompt is outside of the volume');
    }
    return [place, row, column];
  };
}

function placesOf(frames: Uint32Array, slices: number): ReadonlyMap<string, number> {
  return new Map(
    Array.from({ length: slices }, (_, place) => [`${frames[2 * place]} ${frames[2 * place + 1]}`, place]),
  );
}

function writePrompt({ kind, is_positive: positive }: AssistantPrompt, voxels: readonly Voxel[]) {
  const [first = [0, 0, 0]] = voxels;
  if (kind === 'point') return { slices: [first[0]], json: { kind, positive, at: first } };
  const slices = voxels.map(([slice]) => slice);
  if (kind === 'scribble') return { slices, json: { kind, positive, points: voxels } };
  const axes = [0, 1, 2] as const;
  const ends = axes.map((axis) =>
    voxels.reduce(([low, high], voxel) => [Math.min(low, voxel[axis]), Math.max(high, voxel[axis])] as const, [
      Infinity,
      0,
    ] as readonly [number, number]),
  );
  return { slices, json: { kind, positive, from: ends.map(([low]) => low), to: ends.map(([, high]) => high) } };
}

/** The slices of a mask that are in the volume. */
function writeInitial(slices: PackedSlices, { frames, shape: [, count] }: ArrayPlan) {
  const places = placesOf(frames, count);
  return [...listSlices(slices)].flatMap(({ fileIndex, frame, rectangle, runs }) => {
    const slice = places.get(`${fileIndex} ${frame}`);
    const [left, top, width, height] = rectangle;
    return slice === undefined || runs.length === 0 ? [] : [{ slice, top, left, height, width, runs: [...runs] }];
  });
}
