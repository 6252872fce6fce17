import { HEADER } from '../../../shared/contract/headers.ts';
import type { SpectraResponse } from '../../../shared/contract/spectra.ts';
import type { WaveformResponse } from '../../../shared/contract/waveforms.ts';
import { fetchJson, send } from './send.ts';

export function fetchWaveform(fileIndex: number, signal: AbortSignal): Promise<WaveformResponse> {
  return fetchJson(`api/file/${fileIndex}/waveform`, { signal });
}

export type SamplesAddress = {
  readonly group: number;
  /** The first sample, and the end without it. */
  readonly from: number;
  readonly to: number;
  readonly channels: readonly number[];
  /** Values of each channel. */
  readonly most: number;
};

/** Values of some channels of a group. */
export type GroupSamples = SamplesAddress & {
  readonly isMinMax: boolean;
  /** Of each channel of the address. */
  readonly values: readonly Float32Array[];
};

export async function fetchSamples(
  fileIndex: number,
  address: SamplesAddress,
  signal?: AbortSignal,
): Promise<GroupSamples> {
  const { group, channels, most } = address;
  const query = `from=${address.from}&to=${address.to}&channels=${channels.join(',')}&most=${most}`;
  const response = await send(`api/file/${fileIndex}/waveform/${group}/samples?${query}`, { signal: signal ?? null });
  const { headers } = response;
  const count = Number(headers.get(HEADER.waveformValues));
  const all = new Float32Array(await response.arrayBuffer());
  return {
    ...address,
    from: Number(headers.get(HEADER.waveformFrom)),
    to: Number(headers.get(HEADER.waveformTo)),
    isMinMax: headers.get(HEADER.waveformForm) === 'min_max',
    values: channels.map((_, at) => all.subarray(at * count, (at + 1) * count)),
  };
}

export function fetchSpectra(fileIndex: number, signal: AbortSignal): Promise<SpectraResponse> {
  return fetchJson(`api/file/${fileIndex}/spectra`, { signal });
}

/** Pairs of real and imaginary part. */
export async function fetchSpectrum(fileIndex: number, spectrum: number, signal: AbortSignal): Promise<Float32Array> {
  const response = await send(`api/file/${fileIndex}/spectra/${spectrum}`, { signal });
  return new Float32Array(await response.arrayBuffer());
}
