import { ViewerError } from './contract/errors.ts';

/** One operation of an advanced blending state. Inputs are numbers of input images or of results. PS3.3 C.11.34. */
export type BlendStep = {
  readonly inputs: readonly number[];
  readonly mode: string | null;
  /** Of the first input, if the mode is FOREGROUND. */
  readonly opacity: number | null;
  /** The number by which other steps name the result; null for the picture. */
  readonly result: number | null;
};

/** The share of each input in the color of a pixel, in the order of their numbers; undefined if none has a value there. */
export type BlendWeights = (isPresent: (input: number) => boolean) => readonly number[] | undefined;

/**
 * How steps mix the inputs with these numbers. An input without a value at a pixel, which is padding, has no share
 * there. PS3.4 N.2.6. Throws the reason if the steps lead to no picture.
 */
export function createBlendWeights(steps: readonly BlendStep[], numbers: readonly number[]): BlendWeights {
  const [last, ...others] = steps.filter(({ result }) => result === null);
  if (last === undefined || others.length > 0) throw refuse('it must have one last step');
  const places = new Map(numbers.map((number, at) => [number, at]));
  if (places.size !== numbers.length) throw refuse('two of its inputs have the same number');
  const byResult = new Map<number, BlendStep>();
  for (const step of steps) {
    if (step.result === null) continue;
    if (places.has(step.result) || byResult.has(step.result)) throw refuse('two of its inputs have the same number');
    byResult.set(step.result, step);
  }
  const order = orderSteps(last, byResult, places);
  return (isPresent) => {
    const shares = new Map<number | null, readonly number[] | undefined>();
    for (const [number, place] of places) {
      shares.set(number, isPresent(place) ? numbers.map((_, at) => (at === place ? 1 : 0)) : undefined);
    }
    for (const step of order) shares.set(step.result, mix(step, shares));
    return shares.get(null);
  };
}

/** The steps that the picture needs, each after those whose results it uses. */
function orderSteps(
  last: BlendStep,
  byResult: ReadonlyMap<number, BlendStep>,
  places: ReadonlyMap<number, number>,
): readonly BlendStep[] {
  const order = new Set<BlendStep>();
  const under = new Set<BlendStep>();
  const visit = (step: BlendStep) => {
    if (order.has(step)) return;
    if (under.has(step)) throw refuse('its steps use the results of each other');
    under.add(step);
    checkStep(step);
    for (const number of step.inputs) {
      const made = byResult.get(number);
      if (made !== undefined) visit(made);
      else if (!places.has(number)) throw refuse(`a step uses an input ${number} that it does not have`);
    }
    order.add(step);
  };
  visit(last);
  return [...order];
}

function checkStep({ mode, inputs, opacity }: BlendStep): void {
  if (mode === 'EQUAL') {
    if (inputs.length === 0) throw refuse('a step has no inputs');
    return;
  }
  if (mode !== 'FOREGROUND') throw refuse(`its blending mode ${mode === null ? 'is missing' : `“${mode}” is unknown`}`);
  if (inputs.length !== 2) throw refuse('a step that lays one input over another must have two');
  if (opacity === null || !(opacity >= 0 && opacity <= 1)) throw refuse('it has no opacity from 0 to 1');
}

function mix(
  { inputs, mode, opacity }: BlendStep,
  shares: ReadonlyMap<number | null, readonly number[] | undefined>,
): readonly number[] | undefined {
  const present = inputs.map((number) => shares.get(number));
  const [first, ...rest] = present.flatMap((one) => (one === undefined ? [] : [one]));
  if (first === undefined || rest.length === 0) return first;
  const [second] = rest;
  if (mode === 'FOREGROUND') {
    const share = opacity ?? 0;
    return first.map((weight, at) => weight * share + (second?.[at] ?? 0) * (1 - share));
  }
  const all = [first, ...rest];
  return first.map((_, at) => all.reduce((sum, one) => sum + one[at]!, 0) / all.length);
}

function refuse(reason: string): ViewerError {
  return new ViewerError('semantic_mapping_unavailable', reason);
}
