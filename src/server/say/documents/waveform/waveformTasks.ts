import type { WaveformResponse } from '../../../../shared/contract/waveforms.ts';
import { documentTask } from '../documentTasks.ts';

export type WaveformRecord = {
  /** The JSON of a `WaveformResponse` without the file index, an object that is left open. */
  readonly json: string;
};
export type WaveformAnswer = Omit<WaveformResponse, 'file_index'>;

export type SamplesQuery = {
  readonly group: number;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly channels?: readonly number[] | undefined;
  readonly most: number;
};

export type WaveformSamples = {
  readonly from: number;
  readonly to: number;
  /** Values of each channel. */
  readonly count: number;
  readonly form: 'samples' | 'min_max';
  /** Float32, little endian, channel after channel. */
  readonly bytes: Uint8Array<ArrayBuffer>;
};

export const readWaveformTask = documentTask<unknown, WaveformRecord>('documents.waveform');
export const readSamplesTask = documentTask<SamplesQuery, WaveformSamples>('documents.waveformSamples');
