import type { DataSetInput } from '../../src/server/standard/dicom/writeDicom.ts';

const UV = { CodeValue: 'uV', CodingSchemeDesignator: 'UCUM', CodeMeaning: 'microvolt' };

/** Leads by their number in SCP-ECG. */
const NUMBERS: Readonly<Record<string, number>> = {
  I: 1,
  II: 2,
  III: 61,
  aVR: 62,
  aVL: 63,
  aVF: 64,
  V1: 3,
  V2: 4,
  V3: 5,
  V4: 6,
  V5: 7,
  V6: 8,
};

export const TWELVE_LEADS: readonly string[] = [
  'I',
  'II',
  'III',
  'aVR',
  'aVL',
  'aVF',
  'V1',
  'V2',
  'V3',
  'V4',
  'V5',
  'V6',
];

/** A channel with a microvolt for each step of its samples. */
export function channelOf(lead: string, more: DataSetInput = {}): DataSetInput {
  return {
    ChannelSourceSequence: [
      { CodeValue: `2:${NUMBERS[lead] ?? 999}`, CodingSchemeDesignator: 'MDC', CodeMeaning: `Lead ${lead}` },
    ],
    ChannelSensitivity: '1',
    ChannelSensitivityUnitsSequence: [UV],
    ChannelSensitivityCorrectionFactor: '1',
    ChannelBaseline: '0',
    ChannelTimeSkew: '0',
    WaveformBitsStored: 16,
    ...more,
  };
}

export type GroupInput = {
  readonly leads: readonly string[];
  /** The value of a sample of a channel. */
  readonly value: (sample: number, channel: number) => number;
  readonly samples: number;
  readonly rate?: number;
  /** Replaces elements of the group. */
  readonly more?: DataSetInput;
};

/** A multiplex group of 16-bit samples. */
export function waveformGroup({ leads, value, samples, rate = 250, more = {} }: GroupInput): DataSetInput {
  const data = Int16Array.from({ length: samples * leads.length }, (_, at) =>
    value(Math.floor(at / leads.length), at % leads.length),
  );
  return {
    WaveformOriginality: 'ORIGINAL',
    NumberOfWaveformChannels: leads.length,
    NumberOfWaveformSamples: samples,
    SamplingFrequency: String(rate),
    MultiplexGroupLabel: 'RHYTHM',
    ChannelDefinitionSequence: leads.map((lead) => channelOf(lead)),
    WaveformBitsAllocated: 16,
    WaveformSampleInterpretation: 'SS',
    WaveformData: { vr: 'OW', value: data },
    ...more,
  };
}

/** A 12-lead ECG object of these groups. */
export function waveformElements(groups: readonly DataSetInput[], more: DataSetInput = {}): DataSetInput {
  return {
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.9.1.1',
    SOPInstanceUID: '2.25.7001',
    StudyInstanceUID: '2.25.7002',
    SeriesInstanceUID: '2.25.7003',
    Modality: 'ECG',
    PatientName: 'Doe^Jane',
    AcquisitionDateTime: '20240131120000',
    WaveformSequence: groups,
    ...more,
  };
}

/** An MR spectroscopy object with a grid of voxels. `value` gives real and imaginary part of a point. */
export function spectroscopyElements(
  value: (point: number, spectrum: number) => readonly [number, number],
  {
    rows = 1,
    columns = 1,
    points = 64,
    more = {},
  }: { rows?: number; columns?: number; points?: number; more?: DataSetInput } = {},
): DataSetInput {
  const data = Float32Array.from({ length: rows * columns * points * 2 }, (_, at) => {
    const pair = value(Math.floor(at / 2) % points, Math.floor(at / 2 / points));
    return pair[at % 2] ?? 0;
  });
  return {
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.4.2',
    SOPInstanceUID: '2.25.7101',
    StudyInstanceUID: '2.25.7002',
    SeriesInstanceUID: '2.25.7103',
    Modality: 'MR',
    SpectralWidth: 2000,
    ChemicalShiftReference: 4.7,
    TransmitterFrequency: 123.2,
    ResonantNucleus: '1H',
    NumberOfFrames: 1,
    Rows: rows,
    Columns: columns,
    DataPointRows: 1,
    DataPointColumns: points,
    SignalDomainColumns: 'TIME',
    DataRepresentation: 'COMPLEX',
    SpectroscopyData: { vr: 'OF', value: data },
    ...more,
  };
}
