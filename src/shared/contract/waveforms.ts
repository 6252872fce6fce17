import { nullable, type Static, Type } from './schema.ts';
import { Code } from './semantics.ts';

const Text = nullable(Type.String());
const Value = nullable(Type.Number());
const Index = Type.Integer({ minimum: 0 });

/** Values of one channel in an answer, unless the query says otherwise. */
export const DEFAULT_MOST_VALUES = 4_096;
/** Of all channels of an answer together. */
export const MOST_WAVEFORM_VALUES = 2 ** 22;
/** Channels of a group that are described and can be read. */
export const MOST_CHANNELS = 1_024;

export const WaveformSamplesQuery = Type.Object({
  /** The first sample, counted from 0. */
  from: Type.Optional(Index),
  /** The end of the samples, without it. Default: the end of the recording. */
  to: Type.Optional(Index),
  /** Default: all. More would not fit into the address. */
  channels: Type.Optional(Type.Array(Index, { minItems: 1, maxItems: 256 })),
  /** Values of each channel. If there are more samples, the answer has the lowest and the highest value of each part. */
  most: Type.Optional(Type.Integer({ minimum: 2, maximum: 262_144, default: DEFAULT_MOST_VALUES })),
});

export const WireWaveformChannel = Type.Object({
  /** The label of the channel, or the meaning of its source. */
  label: Type.String(),
  /** The lead of an ECG by its code, as it is written on paper: `I`, `aVR`, `V1`. */
  lead: Text,
  source: nullable(Code),
  /** Of the values of `/samples`: null if the file does not say how to calibrate them. They are then as stored. */
  unit: Text,
  sensitivity: Value,
  sensitivity_correction: Value,
  baseline: Value,
  /** When the first sample was taken, in seconds after the start of the group. */
  skew_s: Type.Number(),
  bits_stored: nullable(Type.Integer()),
  /** A filter that the file does not name may still have been applied. */
  filter_low_hz: Value,
  filter_high_hz: Value,
  notch_hz: Value,
});
export type WireWaveformChannel = Static<typeof WireWaveformChannel>;

/** Channels that were sampled together. Groups may have different rates and are never joined. */
export const WireWaveformGroup = Type.Object({
  label: Type.String(),
  originality: Text,
  /** Start of the group, in seconds after the start of the recording. */
  start_s: Type.Number(),
  /** In Hz; null if the file has none that is valid. */
  sampling_frequency: Value,
  /** As declared. */
  channel_count: Type.Integer(),
  /** Samples of each channel that are stored, at most as many as declared. */
  sample_count: Type.Integer(),
  declared_sample_count: Type.Integer(),
  bits_allocated: Type.Integer(),
  /** Waveform Sample Interpretation, such as `SS`. */
  sample_interpretation: Type.String(),
  /** The first channels; there are at most 1,024. */
  channels: Type.Array(WireWaveformChannel),
  /** Why `/samples` cannot answer; null if it can. */
  problem: Text,
});
export type WireWaveformGroup = Static<typeof WireWaveformGroup>;

export const WireWaveformAnnotation = Type.Object({
  /** Text, or the name and value of a measurement, in one line. */
  text: Type.String(),
  concept: nullable(Code),
  value: Value,
  unit: Text,
  /** Groups and channels that it is about, counted from 0; a channel is null for all channels of the group. */
  channels: Type.Array(Type.Object({ group: Type.Integer(), channel: nullable(Type.Integer()) })),
  range_type: Text,
  /** In seconds after the start of the recording. */
  times_s: Type.Array(Type.Number()),
  /** Annotations of one number belong together. */
  group_number: nullable(Type.Integer()),
});
export type WireWaveformAnnotation = Static<typeof WireWaveformAnnotation>;

export const WaveformResponse = Type.Object({
  file_index: Type.Integer(),
  /** Whether it is drawn as an ECG. */
  is_ecg: Type.Boolean(),
  is_audio: Type.Boolean(),
  /** Date and time of the start, as DICOM writes it. */
  acquisition_time: Text,
  groups: Type.Array(WireWaveformGroup),
  annotations: Type.Array(WireWaveformAnnotation),
  /** There are more than `annotations` if the list is cut. */
  annotation_count: Type.Integer(),
  warnings: Type.Array(Type.Object({ code: Type.String(), message: Type.String() })),
});
export type WaveformResponse = Static<typeof WaveformResponse>;
