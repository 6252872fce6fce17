import { beforeAll, describe, expect, test } from 'vitest';
import { readNifti } from '../../src/server/images/attachments/nifti.ts';
import { bufferSource } from '../../src/server/bytes/origins/byteSource.ts';
import type { DataSetInput } from '../../src/server/standard/dicom/dataSetInput.ts';
import type { FilesResponse } from '../../src/shared/contract/files.ts';
import type { VolumeResponse } from '../../src/shared/contract/volumes.ts';
import { askAgain } from '../support/askAgain.ts';
import { serveShared, type SharedServer } from '../support/serve.ts';
import {
  frameAt,
  seriesUid,
  sliceSamples,
  VOLUME_COLUMNS,
  VOLUME_ROWS,
  writeMultiFrame,
} from '../support/volumeFiles.ts';

const SIZE = VOLUME_ROWS * VOLUME_COLUMNS;
const CT = '1.2.840.10008.5.1.4.1.1.2.1';
const PET = '1.2.840.10008.5.1.4.1.1.130';

type Slice = { readonly z: number; readonly value: number; readonly more?: DataSetInput };

/** An enhanced file; its samples are those of `sliceSamples(value)`. */
function write(series: number, number: number, frames: readonly Slice[], more: DataSetInput = {}): Uint8Array {
  const samples = new Int16Array(SIZE * frames.length);
  for (const [k, { value }] of frames.entries()) samples.set(sliceSamples(value), k * SIZE);
  return writeMultiFrame(
    series,
    frames.map(({ z, more: groups }) => frameAt(z, groups)),
    {
      SOPInstanceUID: `1.2.826.0.1.3680043.10.77.9.${series}.${number}`,
      InstanceNumber: String(number),
      BitsStored: 16,
      HighBit: 15,
      ImageType: ['ORIGINAL', 'PRIMARY', 'VOLUME', 'NONE'],
      ...more,
    },
    samples,
  );
}

/** Slices of 2 mm, from a height on. Their values are the heights, and more for another time. */
function slices(count: number, more: DataSetInput = {}, { from = 0, step = 2, time = 0 } = {}): Slice[] {
  return Array.from({ length: count }, (_, k) => ({ z: from + k * step, value: from + k * step + 50 * time, more }));
}

const echo = (ms: number): DataSetInput => ({ MREchoSequence: [{ EffectiveEchoTime: ms }] });
const diffusion = (b: number): DataSetInput => ({ MRDiffusionSequence: [{ DiffusionBValue: b }] });
const phase = (index: number, more: DataSetInput = {}): DataSetInput => ({
  FrameContentSequence: [{ TemporalPositionIndex: index, ...more }],
});
const moment = (time: string): DataSetInput => ({
  FrameContentSequence: [{ FrameReferenceDateTime: `20260101${time}` }],
});

type Expected = {
  /** Of every file of the series: values of the slices, time after time. */
  readonly values: readonly (readonly number[])[];
  readonly labels: readonly string[];
  readonly warnings?: readonly string[];
};

type Case = readonly [name: string, files: (series: number) => Uint8Array[], expected: Expected];

const UP = [0, 2, 4];
const later = (time: number) => UP.map((z) => z + 50 * time);

const ONE_VOLUME: readonly Case[] = [
  [
    'echoes, one in each file',
    (n) => [40, 10, 20].map((ms, k) => write(n, k + 1, slices(3, echo(ms), { time: k }))),
    { values: [later(1), later(2), later(0)], labels: ['TE 10 ms', 'TE 20 ms', 'TE 40 ms'] },
  ],
  [
    'b-values, one in each file',
    (n) => [1000, 0, 500].map((b, k) => write(n, k + 1, slices(3, diffusion(b), { time: k }))),
    { values: [later(1), later(2), later(0)], labels: ['b 0 s/mm²', 'b 500 s/mm²', 'b 1000 s/mm²'] },
  ],
  [
    'phases of a CT, one in each file',
    (n) => [2, 1].map((p, k) => write(n, k + 1, slices(3, phase(p), { time: p }), { SOPClassUID: CT, Modality: 'CT' })),
    { values: [later(1), later(2)], labels: ['phase 1', 'phase 2'] },
  ],
  [
    'moments of a PET, one in each file',
    (n) =>
      ['100000', '095930'].map((time, k) =>
        write(n, k + 1, slices(3, moment(time), { time: k }), { SOPClassUID: PET, Modality: 'PT' }),
      ),
    { values: [later(1), later(0)], labels: ['0 s', '30 s'] },
  ],
  [
    'files of two times that have two echoes each',
    (n) =>
      [2, 1].map((p, k) =>
        write(
          n,
          k + 1,
          [10, 20].flatMap((ms, e) => slices(3, { ...phase(p), ...echo(ms) }, { time: 2 * p + e })),
        ),
      ),
    {
      values: [later(2), later(3), later(4), later(5)],
      labels: ['phase 1, TE 10 ms', 'phase 1, TE 20 ms', 'phase 2, TE 10 ms', 'phase 2, TE 20 ms'],
    },
  ],
  [
    'files that only Instance Number tells apart',
    (n) => [2, 1, 3].map((number) => write(n, number, slices(3, {}, { time: number }))),
    {
      values: [later(1), later(2), later(3)],
      labels: ['repetition 1', 'repetition 2', 'repetition 3'],
      warnings: ['times_by_number'],
    },
  ],
  [
    'times that were opened twice, once in another form',
    (n) =>
      [1, 2, 1, 2].map((p, k) =>
        write(n, p, slices(3, phase(p), { time: p }), k < 2 ? {} : { ImageComments: 'the same in another folder' }),
      ),
    { values: [later(1), later(2)], labels: ['phase 1', 'phase 2'] },
  ],
  [
    'slabs that follow each other',
    (n) => [6, 0, 12].map((from, k) => write(n, k + 1, slices(3, {}, { from }))),
    { values: [[0, 2, 4, 6, 8, 10, 12, 14, 16]], labels: [''] },
  ],
  [
    'slices that alternate between files',
    (n) => [0, 2].map((from, k) => write(n, k + 1, slices(3, {}, { from, step: 4 }))),
    { values: [[0, 2, 4, 6, 8, 10]], labels: [''] },
  ],
  [
    'slabs of several times, each with a Stack ID of its own',
    (n) =>
      [1, 2].flatMap((p) =>
        [0, 6].map((from, k) =>
          write(n, 10 * p + k, slices(3, phase(p, { StackID: String(k + 1) }), { from, time: p })),
        ),
      ),
    {
      values: [[0, 2, 4, 6, 8, 10].map((z) => z + 50), [0, 2, 4, 6, 8, 10].map((z) => z + 100)],
      labels: ['phase 1', 'phase 2'],
    },
  ],
  [
    'files that each have all times of one slice',
    (n) =>
      [4, 0, 2].map((z, k) =>
        write(
          n,
          k + 1,
          [1, 2].map((p) => ({ z, value: z + 50 * p, more: phase(p) })),
        ),
      ),
    { values: [later(1), later(2)], labels: ['phase 1', 'phase 2'] },
  ],
];

/** The volumes of the files, in the order of the files. */
const APART: readonly (readonly [string, (series: number) => Uint8Array[], readonly Expected[]])[] = [
  [
    'slabs far from each other',
    (n) => [0, 60].map((from, k) => write(n, k + 1, slices(3, {}, { from }))),
    [0, 60].map((from) => ({ values: [UP.map((z) => z + from)], labels: [''] })),
  ],
  [
    'slabs that overlap in different images',
    (n) => [0, 4].map((from, k) => write(n, k + 1, slices(3, {}, { from, time: k }))),
    [0, 4].map((from, k) => ({ values: [UP.map((z) => z + from + 50 * k)], labels: [''] })),
  ],
  [
    'slabs side by side',
    (n) =>
      [0, 40].map((x, k) =>
        write(
          n,
          k + 1,
          slices(3).map((slice) => ({
            ...slice,
            more: { PlanePositionSequence: [{ ImagePositionPatient: [String(x), '0', String(slice.z)] }] },
          })),
        ),
      ),
    [0, 1].map(() => ({ values: [UP], labels: [''] })),
  ],
  [
    'times of files with another one among them that has fewer slices',
    (n) => [3, 3, 2].map((count, k) => write(n, k + 1, slices(count, phase(k + 1), { time: k }))),
    [
      { values: [later(0), later(1)], labels: ['phase 1', 'phase 2'] },
      { values: [later(0), later(1)], labels: ['phase 1', 'phase 2'] },
      { values: [[100, 102]], labels: [''], warnings: ['two_places'] },
    ],
  ],
  [
    'files of which one has another Image Type',
    (n) =>
      [1, 2].map((number) =>
        write(n, number, slices(3, phase(number), { time: number }), {
          ImageType: ['DERIVED', 'PRIMARY', 'VOLUME', number === 1 ? 'NONE' : 'MAXIMUM'],
        }),
      ),
    [1, 2].map((time) => ({ values: [later(time)], labels: [''] })),
  ],
  [
    'magnitude and phase',
    (n) =>
      ['MAGNITUDE', 'PHASE'].map((component, k) =>
        write(n, k + 1, slices(3, phase(k + 1), { time: k }), { ComplexImageComponent: component }),
      ),
    [0, 1].map((time) => ({ values: [later(time)], labels: [''], warnings: ['files_apart'] })),
  ],
  [
    'files of different contents that nothing tells apart',
    (n) =>
      [0, 1].map((time) =>
        write(n, 1, slices(3, {}, { time }), { SOPInstanceUID: `1.2.826.0.1.3680043.10.77.9.${n}.${7 + time}` }),
      ),
    [0, 1].map((time) => ({ values: [later(time)], labels: [''], warnings: ['files_apart'] })),
  ],
];

let server: SharedServer;
let files: FilesResponse['files'];
const all = [...ONE_VOLUME.map(([, make]) => make), ...APART.map(([, make]) => make)];

beforeAll(async () => {
  server = await serveShared(...all.flatMap((make, n) => make(n + 1)));
  files = (await (await server.request('/api/files')).json()).files;
}, 60_000);

async function look(index: number) {
  const answer: VolumeResponse = await (await askAgain(`${server.baseUrl}/api/file/${index}/volume`)).json();
  const { volume, refusal, warnings } = answer;
  if (volume === null) return { refusal };
  const bytes = new Uint8Array(
    await (await askAgain(`${server.baseUrl}/api/file/${index}/volume/nifti?format=nii`)).arrayBuffer(),
  );
  const { shape } = readNifti({ source: bufferSource(bytes), name: 'a.nii' });
  const samples = new Int16Array(bytes.slice(352).buffer);
  // The last row of a slice comes first, and its first column has 100 times the value, and 10 for each row.
  const firsts = Array.from({ length: samples.length / SIZE }, (_, k) => samples[k * SIZE]!);
  const values = firsts.map((sample) => (sample - 10 * (VOLUME_ROWS - 1)) / 100);
  return {
    sizes: shape.slice(2),
    values: volume.times.map((_, time) => values.slice(time * volume.places, (time + 1) * volume.places)),
    labels: volume.times.map(({ label }) => label),
    warnings: warnings.map(({ code }) => code),
  };
}

function filesOf(n: number): number[] {
  return files.filter((file) => file.series_instance_uid === seriesUid(n)).map(({ index }) => index);
}

describe('one volume, whichever file is asked for:', () => {
  test.each(ONE_VOLUME.map((one, at) => [one[0], at + 1, one[2]] as const))('%s', async (_, n, expected) => {
    const { values, labels, warnings = [] } = expected;
    const sizes = labels.length === 1 ? [values[0]!.length] : [values[0]!.length, labels.length];
    const found = await Promise.all(filesOf(n).map((index) => look(index)));

    expect(found.length).toBeGreaterThan(1);
    for (const one of found) expect(one).toEqual({ sizes, values, labels, warnings });
  });
});

describe('volumes of their own:', () => {
  test.each(APART.map((one, at) => [one[0], ONE_VOLUME.length + at + 1, one[2]] as const))(
    '%s',
    async (_, n, expected) => {
      const found = await Promise.all(filesOf(n).map((index) => look(index)));

      expect(found).toMatchObject(expected.map((one) => ({ warnings: [], ...one })));
    },
  );
});
