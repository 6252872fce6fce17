import { listSopClasses } from '../../../images/catalog/sopClassKinds.ts';
import { buildSummary } from '../buildSummary.ts';
import { tableOf } from '../describeElements.ts';
import type { DocumentDraft, DocumentKind, DocumentSource } from '../documentKind.ts';
import { buildWaveform } from '../waveform/buildWaveform.ts';

export const waveformKind: DocumentKind = {
  name: 'waveform',
  sopClasses: listSopClasses(
    '4.1.1.9 4.1.1.129 4.1.1.9.1 4.1.1.9.1.1-4 4.1.1.9.2.1 4.1.1.9.3.1 4.1.1.9.4.1 4.1.1.9.4.2 4.1.1.9.5.1 4.1.1.9.6.1 4.1.1.9.6.2 4.1.1.9.7.1-4 4.1.1.9.8.1 4.1.1.601.5',
  ),
  views: ['waveform', 'waveform/:group/samples'],
  shows:
    'an ECG on its paper with callipers, other waveforms as rows over a common time, page by page; sound can be played; the annotations and measurements',
  build,
};

/** The summary with a table of groups, channels and annotations each, instead of the raw sequences. */
function build(source: DocumentSource): DocumentDraft {
  const summary = buildSummary(source);
  const { groups, annotations, warnings } = buildWaveform(source);
  const channels = groups.flatMap((group) => group.channels.map((channel) => ({ group, channel })));
  const tables = [
    tableOf('Multiplex groups', groups, [
      { label: 'Group', value: ({ label }) => label },
      { label: 'Originality', value: ({ originality }) => originality?.toLowerCase() },
      { label: 'Start', unit: 's', value: ({ start_s }) => start_s },
      { label: 'Rate', unit: 'Hz', value: ({ sampling_frequency }) => sampling_frequency ?? undefined },
      { label: 'Channels', value: ({ channel_count }) => channel_count },
      { label: 'Samples', value: ({ sample_count }) => sample_count },
      { label: 'Problem', value: ({ problem }) => problem ?? undefined },
    ]),
    tableOf('Channels', channels, [
      { label: 'Group', value: ({ group }) => group.label },
      { label: 'Channel', value: ({ channel }) => channel.lead ?? channel.label },
      { label: 'Source', value: ({ channel }) => channel.source?.meaning },
      { label: 'Unit', value: ({ channel }) => channel.unit ?? undefined },
      { label: 'Sensitivity', value: ({ channel }) => channel.sensitivity ?? undefined },
      { label: 'Correction', value: ({ channel }) => channel.sensitivity_correction ?? undefined },
      { label: 'Baseline', value: ({ channel }) => channel.baseline ?? undefined },
      { label: 'Skew', unit: 's', value: ({ channel }) => channel.skew_s },
      { label: 'High-pass filter', unit: 'Hz', value: ({ channel }) => channel.filter_low_hz ?? undefined },
      { label: 'Low-pass filter', unit: 'Hz', value: ({ channel }) => channel.filter_high_hz ?? undefined },
      { label: 'Notch filter', unit: 'Hz', value: ({ channel }) => channel.notch_hz ?? undefined },
    ]),
    tableOf('Annotations', annotations, [
      { label: 'Annotation', value: ({ text }) => text },
      { label: 'Channels', value: ({ channels: about }) => about.map((one) => nameChannel(groups, one)).join(', ') },
      { label: 'Time', unit: 's', value: ({ times_s }) => times_s[0] },
      { label: 'Range', value: ({ range_type }) => range_type?.toLowerCase() },
    ]),
  ].flatMap((table) => table ?? []);
  const others = summary.tables.filter(
    ({ title }) => title !== 'Waveform Sequence' && title !== 'Waveform Annotation Sequence',
  );
  return { ...summary, tables: [...tables, ...others], warnings: [...summary.warnings, ...warnings] };
}

type Answer = ReturnType<typeof buildWaveform>;

function nameChannel(groups: Answer['groups'], { group, channel }: Answer['annotations'][number]['channels'][number]) {
  const { label = '', channels = [] } = groups[group] ?? {};
  if (channel === null) return label;
  const one = channels[channel];
  return `${label} ${one?.lead ?? one?.label ?? channel + 1}`;
}
