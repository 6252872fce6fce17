import { MOST_CHANNELS } from '../../../../shared/contract/waveforms.ts';
import type { DataElement, DataSet } from '../../../standard/dicom/dataSet.ts';
import * as Tag from '../../../standard/dicom/tag.ts';
import { type Code, findCode } from '../../../standard/dicom/code.ts';
import { formatCode, formatUnit, textOf } from '../describeElements.ts';
import type { DocumentWarning } from '../documentKind.ts';
import { findLead } from './leads.ts';
import { decodeSamples, findSampleType, type SampleType } from './sampleTypes.ts';

const MULTIPLEX_GROUP_TIME_OFFSET = 0x00181068;
const WAVEFORM_ORIGINALITY = 0x003a0004;
const NUMBER_OF_CHANNELS = 0x003a0005;
const NUMBER_OF_SAMPLES = 0x003a0010;
const SAMPLING_FREQUENCY = 0x003a001a;
const MULTIPLEX_GROUP_LABEL = 0x003a0020;
const CHANNEL_DEFINITION_SEQUENCE = 0x003a0200;
const CHANNEL_LABEL = 0x003a0203;
const CHANNEL_SOURCE_SEQUENCE = 0x003a0208;
const CHANNEL_SENSITIVITY = 0x003a0210;
const CHANNEL_SENSITIVITY_UNITS = 0x003a0211;
const CHANNEL_SENSITIVITY_CORRECTION = 0x003a0212;
const CHANNEL_BASELINE = 0x003a0213;
const CHANNEL_TIME_SKEW = 0x003a0214;
const CHANNEL_SAMPLE_SKEW = 0x003a0215;
const WAVEFORM_BITS_STORED = 0x003a021a;
const FILTER_LOW = 0x003a0220;
const FILTER_HIGH = 0x003a0221;
const NOTCH_FILTER = 0x003a0222;
const WAVEFORM_BITS_ALLOCATED = 0x54001004;
const WAVEFORM_SAMPLE_INTERPRETATION = 0x54001006;
const WAVEFORM_PADDING_VALUE = 0x5400100a;

export type WaveformChannel = {
  readonly label: string;
  readonly lead: string | undefined;
  readonly source: Code | undefined;
  /** Undefined if it is not calibrated. */
  readonly unit: string | undefined;
  readonly sensitivity: number | undefined;
  readonly correction: number | undefined;
  readonly baseline: number | undefined;
  /** A value is sample × factor + offset. */
  readonly factor: number;
  readonly offset: number;
  readonly skewS: number;
  readonly bitsStored: number | undefined;
  readonly filterLowHz: number | undefined;
  readonly filterHighHz: number | undefined;
  readonly notchHz: number | undefined;
};

export type WaveformGroup = {
  readonly label: string;
  readonly originality: string | undefined;
  readonly startS: number;
  readonly samplingFrequency: number | undefined;
  readonly channelCount: number;
  readonly sampleCount: number;
  readonly declaredSampleCount: number;
  readonly bitsAllocated: number;
  readonly interpretation: string;
  readonly channels: readonly WaveformChannel[];
  /** Where the samples are and how they are read; otherwise why they cannot be read. */
  readonly stored: StoredWaveform | UnreadableSamples;
  readonly warnings: readonly DocumentWarning[];
};

export type StoredWaveform = {
  readonly type: SampleType;
  readonly element: DataElement;
  /** A sample with these bytes has no value; undefined if there are none. */
  readonly padding: number | undefined;
  /** 8-bit samples in words of a big endian file are swapped in pairs, PS3.5 7.3. */
  readonly isSwapped: boolean;
};
export type UnreadableSamples = { readonly code: 'no_document' | 'unsupported_waveform'; readonly problem: string };

/** More groups than this are not read; no device writes more than a handful. */
const MOST_GROUPS = 256;

/** The multiplex groups of a waveform. What is declared is checked against the bytes that exist. */
export function buildWaveformGroups(dataSet: DataSet): WaveformGroup[] {
  let room = MOST_CHANNELS_OF_ALL;
  return dataSet
    .items(Tag.WaveformSequence)
    .slice(0, MOST_GROUPS)
    .map((item, at) => {
      const group = buildGroup(item, at, Math.min(MOST_CHANNELS, room));
      room -= group.channels.length;
      return group;
    });
}

/** Of all groups together. */
const MOST_CHANNELS_OF_ALL = 4_096;

function buildGroup(item: DataSet, at: number, mostChannels: number): WaveformGroup {
  const warnings: DocumentWarning[] = [];
  const label = textOf(item, MULTIPLEX_GROUP_LABEL) ?? `Group ${at + 1}`;
  const definitions = item.items(CHANNEL_DEFINITION_SEQUENCE);
  const channelCount = item.number(NUMBER_OF_CHANNELS) ?? definitions.length;
  if (definitions.length !== channelCount) {
    warnings.push({
      code: 'channel_count',
      message: `${label}: ${channelCount} channels are stored, but ${definitions.length} are described.`,
    });
  }
  const frequency = finite(item, SAMPLING_FREQUENCY);
  const samplingFrequency = frequency !== undefined && frequency > 0 ? frequency : undefined;
  const bitsAllocated = item.number(WAVEFORM_BITS_ALLOCATED) ?? 0;
  const interpretation = item.string(WAVEFORM_SAMPLE_INTERPRETATION) ?? '';
  const stored = findSamples(item, { bitsAllocated, interpretation, channelCount, samplingFrequency });
  const declaredSampleCount = item.number(NUMBER_OF_SAMPLES) ?? 0;
  const existing = 'type' in stored ? Math.floor(stored.element.length / (stored.type.width * channelCount)) : 0;
  // A channel needs a definition or a sample: a number that is only declared makes no channels.
  const known = existing > 0 ? channelCount : Math.min(channelCount, definitions.length);
  const channels = Array.from({ length: Math.min(known, mostChannels) }, (_, channel) =>
    buildChannel(definitions[channel], channel, samplingFrequency),
  );
  for (const { label: name, unit } of channels.slice(0, definitions.length)) {
    if (unit === undefined)
      warnings.push({
        code: 'not_calibrated',
        message: `${label}, ${name}: no valid Channel Sensitivity with a unit.`,
      });
  }
  if ('type' in stored && existing < declaredSampleCount) {
    warnings.push({
      code: 'samples_missing',
      message: `${label}: ${declaredSampleCount} samples are declared, but only ${existing} are stored.`,
    });
  }
  return {
    label,
    originality: item.string(WAVEFORM_ORIGINALITY),
    startS: (finite(item, MULTIPLEX_GROUP_TIME_OFFSET) ?? 0) / 1_000,
    samplingFrequency,
    channelCount,
    sampleCount: Math.min(declaredSampleCount, existing),
    declaredSampleCount,
    bitsAllocated,
    interpretation,
    channels,
    stored,
    warnings: warnings.slice(0, MOST_WARNINGS),
  };
}

const MOST_WARNINGS = 8;

type Layout = Pick<WaveformGroup, 'bitsAllocated' | 'interpretation' | 'channelCount' | 'samplingFrequency'>;

function findSamples(item: DataSet, layout: Layout): StoredWaveform | UnreadableSamples {
  const { bitsAllocated, interpretation, channelCount, samplingFrequency } = layout;
  const element = item.element(Tag.WaveformData);
  if (element === undefined || element.items !== undefined || element.length === 0) {
    return { code: 'no_document', problem: 'Waveform Data is absent or empty' };
  }
  const type = findSampleType(interpretation);
  if (type === undefined) return refuse(`Waveform Sample Interpretation is ${interpretation || 'absent'}`);
  if (type.width * 8 !== bitsAllocated) {
    return refuse(`Waveform Bits Allocated is ${bitsAllocated}, which does not fit ${interpretation}`);
  }
  if (channelCount === 0) return refuse('Number of Waveform Channels is 0');
  if (samplingFrequency === undefined) return refuse('Sampling Frequency is not a number above 0');
  const { littleEndian } = item.context;
  const isSwapped = type.width === 1 && !littleEndian && element.vr === 'OW';
  return { type, element, padding: findPadding(item, type), isSwapped };
}

function refuse(problem: string): UnreadableSamples {
  return { code: 'unsupported_waveform', problem };
}

/** The value of a sample where nothing was recorded. It has the length of a sample, or that of a word. */
function findPadding(item: DataSet, type: SampleType): number | undefined {
  const bytes = item.bytes(WAVEFORM_PADDING_VALUE, type.width);
  if (bytes === undefined || bytes.length < type.width) return undefined;
  return decodeSamples(bytes, type, item.context.littleEndian)[0];
}

function buildChannel(item: DataSet | undefined, at: number, frequency: number | undefined): WaveformChannel {
  const source = findCode(item, CHANNEL_SOURCE_SEQUENCE);
  const stated = textOf(item, CHANNEL_LABEL)?.trim();
  const lead = findLead(source, stated);
  const sensitivity = finite(item, CHANNEL_SENSITIVITY);
  const unit = formatUnit(findCode(item, CHANNEL_SENSITIVITY_UNITS));
  const correction = finite(item, CHANNEL_SENSITIVITY_CORRECTION);
  const baseline = finite(item, CHANNEL_BASELINE);
  const isCalibrated = sensitivity !== undefined && sensitivity !== 0 && unit !== undefined;
  return {
    label: stated || lead || formatCode(source) || `Channel ${at + 1}`,
    lead,
    source,
    unit: isCalibrated ? unit : undefined,
    sensitivity,
    correction,
    baseline,
    factor: isCalibrated ? sensitivity * (correction ?? 1) : 1,
    offset: isCalibrated ? (baseline ?? 0) : 0,
    skewS: findSkew(item, frequency),
    bitsStored: item?.number(WAVEFORM_BITS_STORED),
    filterLowHz: finite(item, FILTER_LOW),
    filterHighHz: finite(item, FILTER_HIGH),
    notchHz: finite(item, NOTCH_FILTER),
  };
}

/** Channel Time Skew is in seconds, and Channel Sample Skew in samples, which need not be whole. */
function findSkew(item: DataSet | undefined, frequency: number | undefined): number {
  const seconds = finite(item, CHANNEL_TIME_SKEW);
  if (seconds !== undefined) return seconds;
  const samples = finite(item, CHANNEL_SAMPLE_SKEW);
  return samples === undefined || frequency === undefined ? 0 : samples / frequency;
}

function finite(item: DataSet | undefined, tag: number): number | undefined {
  const value = item?.number(tag);
  return value === undefined || !Number.isFinite(value) ? undefined : value;
}
