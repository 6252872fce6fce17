import { fetchSamples, type GroupSamples, type SamplesAddress } from '../../../kit/api/waveforms.ts';
import { useAsked } from '../../../kit/state/useAsked.ts';

export type WindowSamples = {
  /** While the next window is loading, still those of the previous one. */
  readonly samples: readonly GroupSamples[];
  readonly error: string | undefined;
  readonly isLoading: boolean;
};

type Question = { readonly fileIndex: number; readonly addresses: readonly SamplesAddress[] };

const NONE: readonly GroupSamples[] = [];

/** Loads the samples of a window, those of each group with one request. */
export function useSamples(fileIndex: number, addresses: readonly SamplesAddress[]): WindowSamples {
  const { value: samples = NONE, error, isLoading } = useAsked({ fileIndex, addresses }, { ask: askSamples });
  return { samples, error, isLoading };
}

function askSamples({ fileIndex, addresses }: Question, signal: AbortSignal): Promise<readonly GroupSamples[]> {
  return Promise.all(addresses.map((address) => fetchSamples(fileIndex, address, signal)));
}
