import { useCallback, useState } from 'react';
import type { DvhResponse, WirePartDvh } from '../../../shared/contract/dvh.ts';
import type { LayerResponse } from '../../../shared/contract/layerAnswers.ts';
import { fetchDvh } from '../../kit/api/dvh.ts';
import { fetchLayer } from '../../kit/api/layers.ts';
import type { LayerPart } from '../layers/layerClient.ts';
import { descriptionsOf } from '../layers/layerDescriptions.ts';
import { styleOf } from '../layers/partStyles.ts';
import type { Ask } from '../../kit/state/answers.ts';
import type { DvhChoice } from '../../kit/state/dvh.ts';
import { type Page, usePage } from '../../kit/state/page.ts';
import { useAsked } from '../../kit/state/useAsked.ts';

export type MeasuredPart = LayerPart & { readonly dvh: WirePartDvh };

type Measured = {
  /** Of the structure set or segmentation. */
  readonly parts: readonly LayerPart[];
  /** In the order of the parts. */
  readonly measured: readonly MeasuredPart[];
  readonly dose: DvhResponse['dose'] | undefined;
  /** What 100 % may be, the best first. */
  readonly references: LayerResponse['reference_values'];
  /** Parts whose answer is there, with or without a histogram. */
  readonly done: number;
};

export type DvhState = Measured & {
  readonly isRunning: boolean;
  readonly isCancelled: boolean;
  readonly error: string | undefined;
};

const NOTHING: Measured = { parts: [], measured: [], dose: undefined, references: [], done: 0 };

/** Requests at the same time. A part is one request, so that the first curve is there soon and the rest can be cancelled. */
const LANES = 2;

/** Measures the dose in all parts, one after the other. */
export function useDvhs(choice: DvhChoice | undefined): DvhState & {
  readonly cancel: () => void;
  readonly restart: () => void;
} {
  const page = usePage();
  const [cancelled, setCancelled] = useState<DvhChoice>();
  const isCancelled = choice !== undefined && isSameChoice(cancelled, choice);
  const ask: Ask<DvhChoice, Measured> = useCallback(
    (of, signal, show) => measureAll(page, of, { signal, show }),
    [page],
  );
  const { question, value, error, isLoading, retry } = useAsked(isCancelled ? undefined : choice, { ask });
  // What is known of other files is not shown.
  const told = choice !== undefined && isSameChoice(question, choice) ? { value, error } : undefined;
  return {
    ...(told?.value ?? NOTHING),
    error: told?.error,
    isRunning: isLoading && !isCancelled,
    isCancelled,
    cancel: () => setCancelled(choice),
    restart() {
      setCancelled(undefined);
      retry();
    },
  };
}

export function isSameChoice(one: DvhChoice | undefined, other: DvhChoice): boolean {
  return one?.volumes === other.volumes && one.dose === other.dose && String(one.plus) === String(other.plus);
}

type Progress = { readonly signal: AbortSignal; readonly show: (soFar: Measured) => void };

async function measureAll(page: Page, choice: DvhChoice, { signal, show }: Progress): Promise<Measured> {
  let known = NOTHING;
  const add = (news: Partial<Measured>) => {
    known = { ...known, ...news };
    show(known);
  };
  // What 100 % is may be unknown; the histograms do not need it.
  const references = fetchLayer(choice.dose, signal).then(
    ({ reference_values }) => reference_values,
    () => [],
  );
  const descriptions = descriptionsOf(page);
  const description = await descriptions.load(choice.volumes);
  if (description === undefined) throw descriptions.findError(choice.volumes) ?? new Error('the file cannot be read');
  const { parts } = description;
  add({ parts });
  // The parts that the user looks at come first.
  const isSeen = ({ number }: LayerPart) => styleOf(page, choice.volumes, number).isVisible;
  const queue = [...parts.filter(isSeen), ...parts.filter((part) => !isSeen(part))];
  const order = new Map(parts.map(({ number }, at) => [number, at] as const));
  const lane = async () => {
    for (let part = queue.shift(); part !== undefined && !signal.aborted; part = queue.shift()) {
      const one = part;
      const { dvhs, dose } = await fetchDvh({ ...choice, parts: [one.number] }, signal);
      const measured = [...known.measured, ...dvhs.map((dvh): MeasuredPart => ({ ...one, dvh }))];
      measured.sort((a, b) => order.get(a.number)! - order.get(b.number)!);
      add({ dose, done: known.done + 1, measured });
    }
  };
  await Promise.all([...Array.from({ length: LANES }, lane), references.then((found) => add({ references: found }))]);
  return known;
}
