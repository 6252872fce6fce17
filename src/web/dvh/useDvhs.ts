import { useEffect, useRef, useState } from 'react';
import type { DvhResponse, WirePartDvh } from '../../shared/contract/dvh.ts';
import type { LayerResponse } from '../../shared/contract/layerAnswers.ts';
import { fetchDvh } from '../api/dvh.ts';
import { fetchLayer } from '../api/layers.ts';
import type { LayerPart } from '../layers/layerClient.ts';
import { descriptionsOf } from '../layers/layerDescriptions.ts';
import { styleOf } from '../layers/partStyles.ts';
import type { DvhChoice } from '../state/dvh.ts';
import { type Page, usePage } from '../state/page.ts';

export type MeasuredPart = LayerPart & { readonly dvh: WirePartDvh };

export type DvhState = {
  /** Of the structure set or segmentation. */
  readonly parts: readonly LayerPart[];
  /** In the order of the parts. */
  readonly measured: readonly MeasuredPart[];
  readonly dose: DvhResponse['dose'] | undefined;
  /** What 100 % may be, the best first. */
  readonly references: LayerResponse['reference_values'];
  /** Parts whose answer is there, with or without a histogram. */
  readonly done: number;
  readonly isRunning: boolean;
  readonly isCancelled: boolean;
  readonly error: string | undefined;
};

const NOTHING: DvhState = {
  parts: [],
  measured: [],
  dose: undefined,
  references: [],
  done: 0,
  isRunning: true,
  isCancelled: false,
  error: undefined,
};

/** Requests at the same time. A part is one request, so that the first curve is there soon and the rest can be cancelled. */
const LANES = 2;

/** Measures the dose in all parts, one after the other. */
export function useDvhs(choice: DvhChoice | undefined): DvhState & {
  readonly cancel: () => void;
  readonly restart: () => void;
} {
  const page = usePage();
  const { volumes, dose } = choice ?? {};
  const [tries, setTries] = useState(0);
  const key = `${volumes} ${dose} ${tries}`;
  const [told, setTold] = useState({ key, state: NOTHING });
  const running = useRef<AbortController>(undefined);

  useEffect(() => {
    if (volumes === undefined || dose === undefined) return undefined;
    const controller = new AbortController();
    running.current = controller;
    const signal = page.untilRestart(controller.signal);
    const show = (change: (before: DvhState) => Partial<DvhState>) => {
      if (signal.aborted) return;
      setTold((before) => {
        const state = before.key === key ? before.state : NOTHING;
        return { key, state: { ...state, ...change(state) } };
      });
    };
    measureAll(page, { volumes, dose }, { signal, show })
      .then(() => show(() => ({ isRunning: false })))
      .catch((error: unknown) => {
        const message = error instanceof Error ? error.message : String(error);
        show(() => ({ isRunning: false, error: message }));
        controller.abort();
      });
    return () => controller.abort();
  }, [page, volumes, dose, key]);

  // What is known of other files is not shown.
  const state = told.key === key ? told.state : NOTHING;
  return {
    ...state,
    cancel() {
      running.current?.abort();
      setTold({ key, state: { ...state, isRunning: false, isCancelled: true } });
    },
    restart: () => setTries((count) => count + 1),
  };
}

type Progress = {
  readonly signal: AbortSignal;
  readonly show: (change: (before: DvhState) => Partial<DvhState>) => void;
};

async function measureAll(page: Page, choice: DvhChoice, { signal, show }: Progress): Promise<void> {
  // What 100 % is may be unknown; the histograms do not need it.
  const references = fetchLayer(choice.dose, signal).then(
    ({ reference_values }) => reference_values,
    () => [],
  );
  const descriptions = descriptionsOf(page);
  const description = descriptions.find(choice.volumes) ?? (await descriptions.load(choice.volumes));
  if (description === undefined) throw descriptions.findError(choice.volumes) ?? new Error('the file cannot be read');
  const { parts } = description;
  show(() => ({ parts }));
  // The parts that the user looks at come first.
  const isSeen = ({ number }: LayerPart) => styleOf(page, choice.volumes, number).isVisible;
  const queue = [...parts.filter(isSeen), ...parts.filter((part) => !isSeen(part))];
  const order = new Map(parts.map(({ number }, at) => [number, at] as const));
  const lane = async () => {
    for (let part = queue.shift(); part !== undefined && !signal.aborted; part = queue.shift()) {
      const one = part;
      const { dvhs, dose } = await fetchDvh({ ...choice, part: one.number }, signal);
      const added = dvhs.map((dvh): MeasuredPart => ({ ...one, dvh }));
      show(({ measured, done }) => ({
        dose,
        done: done + 1,
        measured: [...measured, ...added].toSorted((a, b) => order.get(a.number)! - order.get(b.number)!),
      }));
    }
  };
  await Promise.all([
    ...Array.from({ length: LANES }, lane),
    references.then((found) => show(() => ({ references: found }))),
  ]);
}
