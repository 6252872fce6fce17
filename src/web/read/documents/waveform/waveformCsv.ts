import type { WaveformResponse } from '../../../../shared/contract/waveforms.ts';
import { fetchSamples, type SamplesAddress } from '../../../kit/api/waveforms.ts';
import { formatCsvRows } from '../../../kit/ui/formatCsv.ts';
import { nameOfChannel } from './planPaper.ts';

/** Of each channel in a file. */
export const MOST_CSV_SAMPLES = 262_144;

/** Every sample of the windows. Groups have different rates, so each is a table of its own. */
export async function writeWaveformCsv({ file_index, groups }: WaveformResponse, addresses: readonly SamplesAddress[]) {
  const tables: string[] = [];
  for (const address of addresses) {
    const group = groups[address.group];
    const rate = group?.sampling_frequency ?? 0;
    if (group === undefined || rate <= 0) continue;
    const { from, channels, values } = await fetchSamples(file_index, { ...address, most: MOST_CSV_SAMPLES });
    const head = channels.map((channel) => {
      const one = group.channels[channel];
      return one === undefined ? '' : `${nameOfChannel(one)}${one.unit === null ? '' : ` (${one.unit})`}`;
    });
    const rows = Array.from(values[0] ?? [], (_, at) => [
      group.start_s + (from + at) / rate,
      ...values.map((channel) => channel[at]),
    ]);
    tables.push(formatCsvRows([['Time (s)', ...head], ...rows]));
  }
  return tables.join('\r\n');
}
