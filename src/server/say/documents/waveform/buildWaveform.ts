import type { WireWaveformAnnotation, WireWaveformGroup } from '../../../../shared/contract/waveforms.ts';
import type { DataSet } from '../../../standard/dicom/dataSet.ts';
import * as Tag from '../../../standard/dicom/tag.ts';
import { findCode } from '../../../standard/dicom/code.ts';
import { formatCode, formatUnit, textOf } from '../describeElements.ts';
import type { DocumentSource } from '../documentKind.ts';
import { buildWaveformGroups, type WaveformChannel, type WaveformGroup } from './waveformGroups.ts';
import type { WaveformAnswer } from './waveformTasks.ts';

const WAVEFORM_ANNOTATION_SEQUENCE = 0x0040b020;
const MEASUREMENT_UNITS = 0x004008ea;
const REFERENCED_CHANNELS = 0x0040a0b0;
const TEMPORAL_RANGE_TYPE = 0x0040a130;
const REFERENCED_SAMPLES = 0x0040a132;
const REFERENCED_TIME_OFFSETS = 0x0040a138;

const MOST_ANNOTATIONS = 10_000;
/** Channels and points in time of one annotation. */
const MOST_PLACES = 256;

/** What `/waveform` answers. */
export function buildWaveform({ dataSet, sopClassUid, className = '' }: DocumentSource): WaveformAnswer {
  const groups = buildWaveformGroups(dataSet);
  const annotations = dataSet.items(WAVEFORM_ANNOTATION_SEQUENCE);
  return {
    is_ecg: isEcg(className, groups),
    is_audio: sopClassUid.startsWith('1.2.840.10008.5.1.4.1.1.9.4.'),
    acquisition_time: dataSet.string(Tag.AcquisitionDateTime) ?? null,
    groups: groups.map(toWireGroup),
    annotations: annotations.slice(0, MOST_ANNOTATIONS).map((item) => buildAnnotation(item, groups)),
    annotation_count: annotations.length,
    warnings: groups.flatMap(({ warnings }) => warnings).slice(0, MOST_WARNINGS),
  };
}

const MOST_WARNINGS = 64;

/** By its class; a recording of another class is drawn as an ECG if it has two leads or more in millivolts. */
function isEcg(className: string, groups: readonly WaveformGroup[]): boolean {
  if (/\bECG\b|Ambulatory/.test(className)) return true;
  const leads = groups
    .flatMap(({ channels }) => channels)
    .filter(({ lead, unit }) => lead !== undefined && isVolt(unit));
  return new Set(leads.map(({ lead }) => lead)).size > 1;
}

function isVolt(unit: string | undefined): boolean {
  return unit === 'mV' || unit === 'µV' || unit === 'V' || unit === 'nV';
}

function toWireGroup(group: WaveformGroup): WireWaveformGroup {
  const { stored } = group;
  return {
    label: cut(group.label),
    originality: group.originality ?? null,
    start_s: group.startS,
    sampling_frequency: group.samplingFrequency ?? null,
    channel_count: group.channelCount,
    sample_count: group.sampleCount,
    declared_sample_count: group.declaredSampleCount,
    bits_allocated: group.bitsAllocated,
    sample_interpretation: group.interpretation,
    channels: group.channels.map(toWireChannel),
    problem: 'type' in stored ? null : stored.problem,
  };
}

function toWireChannel(channel: WaveformChannel) {
  return {
    label: cut(channel.label),
    lead: channel.lead ?? null,
    source: channel.source ?? null,
    unit: channel.unit ?? null,
    sensitivity: channel.sensitivity ?? null,
    sensitivity_correction: channel.correction ?? null,
    baseline: channel.baseline ?? null,
    skew_s: channel.skewS,
    bits_stored: channel.bitsStored ?? null,
    filter_low_hz: channel.filterLowHz ?? null,
    filter_high_hz: channel.filterHighHz ?? null,
    notch_hz: channel.notchHz ?? null,
  };
}

/** A note, or a measurement with its name. */
function buildAnnotation(item: DataSet, groups: readonly WaveformGroup[]): WireWaveformAnnotation {
  const concept = findCode(item, Tag.ConceptNameCodeSequence);
  const number = item.number(Tag.NumericValue);
  const value = number !== undefined && Number.isFinite(number) ? number : null;
  const unit = formatUnit(findCode(item, MEASUREMENT_UNITS)) ?? null;
  const meaning = formatCode(findCode(item, Tag.ConceptCodeSequence));
  const note = textOf(item, Tag.UnformattedTextValue)?.trim();
  const amount = value === null ? (meaning ?? note) : unit === null ? String(value) : `${value} ${unit}`;
  const name = formatCode(concept);
  const channels = listChannels(item, groups.length);
  return {
    text: cut(name === undefined ? (amount ?? '') : amount === undefined ? name : `${name}: ${amount}`),
    concept: concept ?? null,
    value,
    unit,
    channels,
    range_type: item.string(TEMPORAL_RANGE_TYPE) ?? null,
    times_s: listTimes(item, groups[channels[0]?.group ?? 0]),
    group_number: item.number(Tag.AnnotationGroupNumber) ?? null,
  };
}

/** Pairs of group and channel that count from 1; channel 0 means all channels of the group. PS3.3 C.10.10. */
function listChannels(item: DataSet, groupCount: number): WireWaveformAnnotation['channels'] {
  const numbers = item.numbers(REFERENCED_CHANNELS, 2 * MOST_PLACES);
  const channels: WireWaveformAnnotation['channels'] = [];
  for (let at = 0; at + 1 < numbers.length; at += 2) {
    const [group = 0, channel = 0] = numbers.slice(at, at + 2);
    if (group >= 1 && group <= groupCount)
      channels.push({ group: group - 1, channel: channel === 0 ? null : channel - 1 });
  }
  return channels;
}

/** Sample positions count from 1. */
function listTimes(item: DataSet, group: WaveformGroup | undefined): number[] {
  const start = group?.startS ?? 0;
  const rate = group?.samplingFrequency;
  const positions = rate === undefined ? [] : item.numbers(REFERENCED_SAMPLES, MOST_PLACES);
  const times =
    rate !== undefined && positions.length > 0
      ? positions.map((position) => start + (position - 1) / rate)
      : item.numbers(REFERENCED_TIME_OFFSETS, MOST_PLACES).map((seconds) => start + seconds);
  return times.filter((time) => Number.isFinite(time));
}

const MOST_CHARACTERS = 1_000;

function cut(text: string): string {
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS - 1)}…` : text;
}
