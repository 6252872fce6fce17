import { useEffect, useState } from 'react';
import { fetchSamples, type GroupSamples, type SamplesAddress } from '../../api/waveforms.ts';

export type WindowSamples = {
  /** While the next window is loading, still those of the previous one. */
  readonly samples: readonly GroupSamples[];
  readonly error: string | undefined;
  readonly isLoading: boolean;
};

const NONE: readonly GroupSamples[] = [];

/** Loads the samples of a window, those of each group with one request. */
export function useSamples(fileIndex: number, addresses: readonly SamplesAddress[]): WindowSamples {
  const key = `${fileIndex} ${JSON.stringify(addresses)}`;
  const [told, setTold] = useState<{ key: string; samples: readonly GroupSamples[]; error: string | undefined }>();
  useEffect(() => {
    const aborter = new AbortController();
    const load = async () => {
      const wanted: SamplesAddress[] = JSON.parse(key.slice(key.indexOf(' ') + 1));
      const samples = await Promise.all(wanted.map((address) => fetchSamples(fileIndex, address, aborter.signal)));
      setTold({ key, samples, error: undefined });
    };
    load().catch((error: unknown) => {
      if (aborter.signal.aborted) return;
      setTold({ key, samples: NONE, error: error instanceof Error ? error.message : String(error) });
    });
    return () => aborter.abort();
  }, [fileIndex, key]);
  return { samples: told?.samples ?? NONE, error: told?.error, isLoading: told?.key !== key };
}
