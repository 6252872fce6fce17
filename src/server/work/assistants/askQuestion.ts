import { MOST_PROMPT_SAMPLES } from '../../../shared/contract/assistants.ts';
import { ViewerError } from '../../../shared/contract/errors.ts';
import type { ArrayPlan } from '../../images/exports/nifti/niftiVolumes.ts';
import { NPY_TYPES } from '../../images/exports/numpy/writeNpyHeader.ts';
import { listSlices, type PackedSlices } from '../marks/markContent.ts';
import type { ParsedPrompt, ParsedQuestion } from './assistantTasks.ts';
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
  { prompts }: Pick<ParsedQuestion, 'prompts'>,
  initial: PackedSlices | undefined,
  { plan, volumeKey, description }: { plan: ArrayPlan; volumeKey: string; description: AssistantDescription },
): WrittenQuestion {
  const places = placesOf(plan);
  const [, slices, rows, columns] = plan.shape;
  if (prompts.reduce((sum, { samples }) => sum + samples.length / 4, 0) > MOST_PROMPT_SAMPLES) {
    throw new ViewerError('bad_request', `prompts have at most ${MOST_PROMPT_SAMPLES} samples together`);
  }
  const written = prompts.map((prompt) => {
    if (!description.prompts.includes(prompt.kind)) throw refuse(description, `takes no ${prompt.kind}`);
    if (!prompt.isPositive && !description.takesNegative) throw refuse(description, 'takes nothing that is outside');
    return writePrompt(prompt, findVoxels(prompt.samples, places, plan));
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
    mask: initial === undefined ? null : writeInitial(initial, places),
  };
  return { json: JSON.stringify(body), only: description.dimensions === 2 ? [...used][0] : undefined };
}

function refuse({ name }: AssistantDescription, why: string): ViewerError {
  return new ViewerError('bad_request', `${name} ${why}`);
}

/** No file has as many frames, and with as many files as there can be, the number is exact. */
const MOST_FRAMES = 2 ** 29;
const frameNumber = (file: number, frame: number) => (frame < MOST_FRAMES ? file * MOST_FRAMES + frame : NaN);

/** The voxels of stored samples: slice, row and column of each. */
function findVoxels(samples: Uint32Array, places: ReadonlyMap<number, number>, { shape }: ArrayPlan): readonly Voxel[] {
  const [, , rows, columns] = shape;
  return Array.from({ length: samples.length / 4 }, (_, n) => {
    const place = places.get(frameNumber(samples[4 * n]!, samples[4 * n + 1]!));
    const [row, column] = [samples[4 * n + 2]!, samples[4 * n + 3]!];
    if (place === undefined || row >= rows || column >= columns) {
      throw new ViewerError('bad_request', 'a prompt is outside of the volume');
    }
    return [place, row, column];
  });
}

function placesOf({ frames, shape: [, slices] }: ArrayPlan): ReadonlyMap<number, number> {
  return new Map(
    Array.from({ length: slices }, (_, place) => [frameNumber(frames[2 * place]!, frames[2 * place + 1]!), place]),
  );
}

function writePrompt({ kind, isPositive: positive }: ParsedPrompt, voxels: readonly Voxel[]) {
  const [first = [0, 0, 0]] = voxels;
  if (kind === 'point') return { slices: [first[0]], json: { kind, positive, at: first } };
  const slices = [...new Set(voxels.map(([slice]) => slice))];
  if (kind === 'scribble') return { slices, json: { kind, positive, points: voxels } };
  const [from, to] = [[...first], [...first]];
  for (const voxel of voxels) {
    for (const axis of [0, 1, 2] as const) {
      from[axis] = Math.min(from[axis]!, voxel[axis]);
      to[axis] = Math.max(to[axis]!, voxel[axis]);
    }
  }
  return { slices, json: { kind, positive, from, to } };
}

/** The slices of a mask that are in the volume. */
function writeInitial(slices: PackedSlices, places: ReadonlyMap<number, number>) {
  return [...listSlices(slices)].flatMap(({ fileIndex, frame, rectangle, runs }) => {
    const slice = places.get(frameNumber(fileIndex, frame));
    const [left, top, width, height] = rectangle;
    return slice === undefined || runs.length === 0 ? [] : [{ slice, top, left, height, width, runs: [...runs] }];
  });
}
