import { readFileSync } from 'node:fs';
import { Errors } from 'typebox/value';
import { describe, expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { HEADER } from '../../src/shared/contract/headers.ts';
import { SpectraResponse } from '../../src/shared/contract/spectra.ts';
import { WaveformResponse } from '../../src/shared/contract/waveforms.ts';
import { CORPUS, findCorpus, findLayersData, LAYERS_DATA, needs } from '../support/needs.ts';
import { serveShared, type SharedServer } from '../support/serve.ts';
import { strictSchema } from '../support/strictSchema.ts';
import { channelOf, spectroscopyElements, waveformElements, waveformGroup } from '../support/waveformElements.ts';

type Group = {
  readonly samples: readonly number[];
  readonly values: readonly (readonly (number | null)[])[];
  readonly sums: readonly number[];
  readonly counts: readonly number[];
};
type Typed = {
  readonly interpretation: string;
  readonly little: boolean;
  readonly file: string;
  readonly values: readonly (readonly number[])[];
};
type Pairs = readonly (readonly [number, number])[];
type Recorded = {
  readonly real: Readonly<Record<string, readonly Group[]>>;
  readonly types: readonly Typed[];
  readonly spectra: Readonly<Record<string, { readonly stored: Pairs }>>;
};

/** See makeWaveforms.py. */
const RECORDED: Recorded = JSON.parse(readFileSync(new URL('waveforms.json', import.meta.url), 'utf8'));

async function readValues(server: SharedServer, path: string): Promise<Float32Array> {
  const response = await server.request(path);
  expect(response.status).toBe(200);
  return new Float32Array(await response.arrayBuffer());
}

async function describeWaveform(server: SharedServer, index = 0): Promise<WaveformResponse> {
  const response = await server.request(`/api/file/${index}/waveform`);
  const body = await response.json();
  expect(Errors(strictSchema(WaveformResponse), body)).toEqual([]);
  return body;
}

async function codeOf(server: SharedServer, path: string): Promise<string> {
  const response = await server.request(path);
  if (response.status === 200) return 'shown';
  const { code }: { code: string } = await response.json();
  return code;
}

/** Text that a writer refuses. */
const badText = (text: string) => new TextEncoder().encode(text);

/** Float32 has 24 bits. */
const RELATIVE = 1e-6;

test('values of every sample interpretation and byte order are those of pydicom', async () => {
  const server = await serveShared(...RECORDED.types.map(({ file }) => new Uint8Array(Buffer.from(file, 'base64'))));
  const found: object[] = [];
  for (const [index, { interpretation, little, values }] of RECORDED.types.entries()) {
    const read = await readValues(server, `/api/file/${index}/waveform/0/samples`);
    const expected = values.flat();
    const scale = Math.max(...expected.map(Math.abs));
    const worst = Math.max(...expected.map((value, at) => Math.abs(value - read[at]!))) / scale;
    const order = little ? 'little' : 'big';
    found.push({ interpretation, order, count: read.length, isEqual: worst < RELATIVE });
  }
  expect(found).toEqual(
    RECORDED.types.map(({ interpretation, little, values }) => ({
      interpretation,
      order: little ? 'little' : 'big',
      count: values.flat().length,
      isEqual: true,
    })),
  );
});

describe.each([
  ['waveform_ecg.dcm', CORPUS, `${findCorpus()}/waveform-pdf-video`],
  ['wave_dfl', CORPUS, `${findCorpus()}/waveform-pdf-video`],
  ['ecg_traps.dcm', LAYERS_DATA, `${findLayersData()}/synthetic-phantom/waveform`],
] as const)('%s', (name, need, folder) => {
  test('has the values of pydicom, and none where the padding value is stored', needs(need), async () => {
    const server = await serveShared(`${folder}/${name}`);
    const groups = RECORDED.real[name]!;
    expect((await describeWaveform(server)).groups).toHaveLength(groups.length);
    for (const [at, { samples, values, sums, counts }] of groups.entries()) {
      const read = await readValues(server, `/api/file/0/waveform/${at}/samples?most=262144`);
      const length = read.length / values.length;
      for (const [channel, expected] of values.entries()) {
        const own = read.subarray(channel * length, (channel + 1) * length);
        const present = own.filter((value) => !Number.isNaN(value));
        const scale = present.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
        expect(present).toHaveLength(counts[channel]!);
        expect(Math.abs(present.reduce((sum, value) => sum + value, 0) - sums[channel]!)).toBeLessThanOrEqual(
          RELATIVE * scale * length,
        );
        const differences = expected.map((value, place) => {
          const found = own[samples[place]!]!;
          if (value === null) return Number.isNaN(found) ? 0 : Infinity;
          return Math.abs(found - value);
        });
        expect(Math.max(...differences)).toBeLessThanOrEqual(RELATIVE * scale);
      }
    }
  });
});

/** Channel 0 counts the samples, and channel 1 counts down; sample 500 of channel 0 was not recorded. */
function countUpAndDown(sample: number, channel: number): number {
  return channel === 0 ? (sample === 500 ? -32_768 : sample) : -sample;
}

describe('a window of a recording', () => {
  const group = waveformGroup({
    leads: ['I', 'II'],
    samples: 1_000,
    value: countUpAndDown,
    more: { WaveformPaddingValue: { vr: 'OW', value: Int16Array.of(-32_768) } },
  });
  const other = waveformGroup({ leads: ['V1'], samples: 10, rate: 125, value: () => 7 });
  const files = [writeDicom(waveformElements([group, other]))];
  const samples = '/api/file/0/waveform/0/samples';

  test('has the samples of the requested channels, channel after channel', async () => {
    const server = await serveShared(...files);
    expect([...(await readValues(server, `${samples}?from=498&to=502&channels=1,0`))]).toEqual([
      -498,
      -499,
      -500,
      -501,
      498,
      499,
      Number.NaN,
      501,
    ]);
    expect([...(await readValues(server, '/api/file/0/waveform/1/samples'))]).toEqual(Array(10).fill(7));
  });

  test('has the lowest and highest value of equal parts if there are more samples than values', async () => {
    const server = await serveShared(...files);
    const response = await server.request(`${samples}?from=400&to=700&most=6&channels=0`);
    const headers = [HEADER.waveformFrom, HEADER.waveformTo, HEADER.waveformValues, HEADER.waveformForm];
    expect(headers.map((name) => response.headers.get(name))).toEqual(['400', '700', '6', 'min_max']);
    // Three parts of a hundred samples; the padding value, the first sample of the second part, counts for nothing.
    expect([...new Float32Array(await response.arrayBuffer())]).toEqual([400, 499, 501, 599, 600, 699]);
  });

  test.each([
    ['/api/file/0/waveform/2/samples', 'item_not_found'],
    [`${samples}?channels=2`, 'item_not_found'],
    [`${samples}?from=9&to=8`, 'invalid_query'],
    [`${samples}?most=1`, 'invalid_query'],
    [`${samples}?from=5000`, 'shown'],
    ['/api/file/0/spectra', 'bad_request'],
    ['/api/file/0/spectra/0', 'bad_request'],
  ])('%s is %s', async (path, code) => {
    expect(await codeOf(await serveShared(...files), path)).toBe(code);
  });
});

test('a waveform says its leads by code, their units, skews and filters, and the annotations with their times', async () => {
  const group = waveformGroup({
    leads: ['I', 'II'],
    samples: 4,
    value: () => 0,
    more: {
      MultiplexGroupTimeOffset: '2000',
      ChannelDefinitionSequence: [
        channelOf('I', {
          ChannelSourceSequence: [
            { CodeValue: '5.6.3-9-1', CodingSchemeDesignator: 'SCPECG', CodeMeaning: 'Lead I (Einthoven)' },
          ],
          ChannelTimeSkew: undefined,
          ChannelSampleSkew: '0.5',
          FilterHighFrequency: '150',
        }),
        channelOf('II', { ChannelSensitivity: badText('NaN ') }),
      ],
    },
  });
  const annotations = [
    { UnformattedTextValue: 'SINUS RHYTHM', ReferencedWaveformChannels: [1, 0] },
    {
      ConceptNameCodeSequence: [{ CodeValue: '8867-4', CodingSchemeDesignator: 'LN', CodeMeaning: 'Heart rate' }],
      NumericValue: '72',
      MeasurementUnitsCodeSequence: [{ CodeValue: '{H.B.}/min', CodingSchemeDesignator: 'UCUM', CodeMeaning: 'bpm' }],
      ReferencedWaveformChannels: [1, 2],
      TemporalRangeType: 'POINT',
      ReferencedSamplePositions: [2],
    },
  ];
  const server = await serveShared(writeDicom(waveformElements([group], { WaveformAnnotationSequence: annotations })));
  const answer = await describeWaveform(server);
  expect(answer).toMatchObject({ is_ecg: true, is_audio: false, annotation_count: 2 });
  const { channels, start_s } = answer.groups[0]!;
  expect(start_s).toBe(2);
  // Half a sample at 250 Hz.
  expect(channels[0]).toMatchObject({ lead: 'I', unit: 'µV', skew_s: 0.002, filter_high_hz: 150, filter_low_hz: null });
  expect(channels[1]).toMatchObject({ lead: 'II', unit: null, sensitivity: null });
  expect(answer.warnings.map(({ code }) => code)).toEqual(['not_calibrated']);
  expect(answer.annotations[0]).toMatchObject({ text: 'SINUS RHYTHM', channels: [{ group: 0, channel: null }] });
  // The second sample is taken 4 ms after the start of the group.
  expect(answer.annotations[1]).toMatchObject({ value: 72, channels: [{ group: 0, channel: 1 }], times_s: [2.004] });
});

test('counts, rates and types that cannot be are refused with a code, and nothing is allocated for them', async () => {
  const base = { leads: ['I'], samples: 8, value: () => 1 };
  const groups = {
    'counts of 2^31': [waveformGroup({ ...base, more: { NumberOfWaveformSamples: 2 ** 31 } }), 'shown', 8],
    '65,535 channels': [waveformGroup({ ...base, more: { NumberOfWaveformChannels: 65_535 } }), 'shown', 0],
    'no channels': [waveformGroup({ ...base, more: { NumberOfWaveformChannels: 0 } }), 'item_not_found', 0],
    'a rate of 0': [waveformGroup({ ...base, more: { SamplingFrequency: '0' } }), 'unsupported_waveform', 0],
    'a rate below 0': [waveformGroup({ ...base, more: { SamplingFrequency: '-250' } }), 'unsupported_waveform', 0],
    'an endless rate': [
      waveformGroup({ ...base, more: { SamplingFrequency: badText('Infinity') } }),
      'unsupported_waveform',
      0,
    ],
    'an unknown type': [
      waveformGroup({ ...base, more: { WaveformSampleInterpretation: 'XX' } }),
      'unsupported_waveform',
      0,
    ],
    'a name of all objects': [
      waveformGroup({ ...base, more: { WaveformSampleInterpretation: badText('constructor ') } }),
      'unsupported_waveform',
      0,
    ],
    '8 bits of SS': [waveformGroup({ ...base, more: { WaveformBitsAllocated: 8 } }), 'unsupported_waveform', 0],
    'no data': [waveformGroup({ ...base, more: { WaveformData: undefined } }), 'no_document', 0],
    'sensitivities that are no numbers': [
      waveformGroup({
        ...base,
        more: { ChannelDefinitionSequence: [channelOf('I', { ChannelSensitivity: badText('NaN ') })] },
      }),
      'shown',
      8,
    ],
  } as const;
  const cases = Object.entries(groups);
  const server = await serveShared(...cases.map(([, [group]]) => writeDicom(waveformElements([group]))));
  const found: (readonly [string, string, number | undefined, string])[] = [];
  for (const [index, [name]] of cases.entries()) {
    const code = await codeOf(server, `/api/file/${index}/waveform/0/samples?channels=0`);
    const count = (await describeWaveform(server, index)).groups[0]?.sample_count;
    found.push([name, code, count, await codeOf(server, `/api/file/${index}/document`)]);
  }
  expect(found).toEqual(cases.map(([name, [, code, count]]) => [name, code, count, 'shown']));
});

test('spectra are those that pydicom reads', needs(CORPUS), async () => {
  for (const [name, { stored }] of Object.entries(RECORDED.spectra)) {
    const server = await serveShared(`${findCorpus()}/waveform-pdf-video/${name}`);
    const read = await readValues(server, '/api/file/0/spectra/0');
    expect(read).toHaveLength(2 * 1024);
    for (const [at, pair] of stored.entries()) {
      expect([read[128 * at], read[128 * at + 1]]).toEqual(pair);
    }
  }
});

test('spectra say their grid and axis; one beyond the bytes that exist is not found', async () => {
  const elements = spectroscopyElements((point, spectrum) => [point, -spectrum], { rows: 2, columns: 3, points: 4 });
  const server = await serveShared(
    writeDicom(elements),
    writeDicom({ ...elements, Rows: 65_535, Columns: 65_535, NumberOfFrames: 2 ** 31 - 1 }),
    writeDicom({ ...elements, DataPointColumns: 2 ** 32 - 1 }),
    writeDicom({ ...elements, DataRepresentation: 'REAL' }),
    writeDicom({ ...elements, SpectroscopyData: undefined }),
  );
  const answer = await (await server.request('/api/file/0/spectra')).json();
  expect(Errors(strictSchema(SpectraResponse), answer)).toEqual([]);
  expect(answer).toMatchObject({ count: 6, rows: 2, columns: 3, points: 4, spectral_width_hz: 2000, warnings: [] });
  expect([...(await readValues(server, '/api/file/0/spectra/5'))]).toEqual([0, -5, 1, -5, 2, -5, 3, -5]);
  expect(await codeOf(server, '/api/file/0/spectra/6')).toBe('item_not_found');
  expect(await codeOf(server, '/api/file/0/waveform')).toBe('bad_request');
  expect(await (await server.request('/api/file/1/spectra')).json()).toMatchObject({ count: 6 });
  expect(await codeOf(server, '/api/file/2/spectra')).toBe('malformed_content');
  // Twelve real points: the imaginary parts are 0.
  expect(await (await server.request('/api/file/3/spectra')).json()).toMatchObject({ count: 6 });
  expect([...(await readValues(server, '/api/file/3/spectra/1'))]).toEqual([2, 0, -0, 0, 3, 0, -0, 0]);
  expect(await codeOf(server, '/api/file/4/spectra/0')).toBe('no_document');
});
