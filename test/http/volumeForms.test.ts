import { beforeAll, describe, expect, test } from 'vitest';
import type { DataSetInput } from '../../src/server/standard/dicom/dataSetInput.ts';
import type { FilesResponse } from '../../src/shared/contract/files.ts';
import type { VolumeResponse } from '../../src/shared/contract/volumes.ts';
import { askAgain } from '../support/askAgain.ts';
import { serveShared, type SharedServer } from '../support/serve.ts';
import { frameAt, seriesUid, straight, writeMultiFrame, writeSeries } from '../support/volumeFiles.ts';

const ROOT = '1.2.840.10008.5.1.4.1.1.';
const NO_GROUPS: DataSetInput = {
  SharedFunctionalGroupsSequence: undefined,
  PerFrameFunctionalGroupsSequence: undefined,
};
const AXIAL = ['1', '0', '0', '0', '1', '0'];

type Write = (series: number) => Uint8Array | Uint8Array[];

function times<Value>(count: number, make: (at: number) => Value): Value[] {
  return Array.from({ length: count }, (_, n) => make(n));
}

/** Frames of a kind of object at heights, 2 mm apart. */
function sections(sopClass: string, modality: string, frames: readonly DataSetInput[]): Write {
  return (n) => writeMultiFrame(n, frames, { SOPClassUID: `${ROOT}${sopClass}`, Modality: modality });
}

function at(heights: readonly number[], more: DataSetInput = {}): DataSetInput[] {
  return heights.map((z) => frameAt(z, more));
}

function nuclear(kind: string, frames: number, more: DataSetInput = {}): Write {
  return (n) =>
    writeMultiFrame(
      n,
      times(frames, () => ({})),
      {
        ...NO_GROUPS,
        SOPClassUID: `${ROOT}20`,
        Modality: 'NM',
        ImageType: ['ORIGINAL', 'PRIMARY', kind, 'EMISSION'],
        PixelSpacing: ['4', '4'],
        EnergyWindowVector: times(frames, () => 1),
        DetectorVector: times(frames, () => 1),
        DetectorInformationSequence: [{ ImagePositionPatient: ['1', '2', '30'], ImageOrientationPatient: AXIAL }],
        ...more,
      },
    );
}

const reconstructed = (frames: number, more: DataSetInput = {}): Write =>
  nuclear('RECON TOMO', frames, { SpacingBetweenSlices: '4', SliceVector: times(frames, (k) => k + 1), ...more });

const ultrasound =
  (frames: readonly DataSetInput[], shared: DataSetInput = {}): Write =>
  (n) =>
    writeMultiFrame(n, frames, {
      SOPClassUID: `${ROOT}6.2`,
      Modality: 'US',
      SharedFunctionalGroupsSequence: [{ PixelMeasuresSequence: [{ PixelSpacing: ['1', '1'] }], ...shared }],
    });
const inProbe = (z: number, more: DataSetInput = {}): DataSetInput => ({
  PlanePositionVolumeSequence: [{ ImagePositionVolume: [0, 0, z] }],
  ...more,
});
const orientedInProbe: DataSetInput = {
  PlaneOrientationVolumeSequence: [{ ImageOrientationVolume: [1, 0, 0, 0, 1, 0] }],
};
const HEIGHTS = [0, 2, 4];

const VOLUMES: readonly (readonly [name: string, write: Write, places: number, times: readonly string[]])[] = [
  ['a reconstruction of nuclear medicine', reconstructed(3), 3, ['']],
  // PS3.3 C.8.4.8.1.1: intervals change slowest and slices fastest.
  [
    'a gated reconstruction with two kinds of heartbeats',
    nuclear('RECON GATED TOMO', 12, {
      SpacingBetweenSlices: '4',
      RRIntervalVector: times(12, (k) => 1 + Math.floor(k / 6)),
      TimeSlotVector: times(12, (k) => 1 + (Math.floor(k / 3) % 2)),
      SliceVector: times(12, (k) => 1 + (k % 3)),
    }),
    3,
    ['R-R interval 1, phase 1', 'R-R interval 1, phase 2', 'R-R interval 2, phase 1', 'R-R interval 2, phase 2'],
  ],
  ['a rotational angiography that was reconstructed', sections('13.1.1', 'XA', at(HEIGHTS)), 3, ['']],
  ['a cone-beam image of the head', sections('13.1.2', 'CT', at(HEIGHTS)), 3, ['']],
  ['a breast tomosynthesis', sections('13.1.3', 'MG', at(HEIGHTS)), 3, ['']],
  [
    'two reconstructions of one angiography',
    sections(
      '13.1.1',
      'XA',
      [1, 2].flatMap((index) => at(HEIGHTS, { XRay3DFrameTypeSequence: [{ ReconstructionIndex: index }] })),
    ),
    3,
    ['reconstruction 1', 'reconstruction 2'],
  ],
  ['an ophthalmic tomography with positions', sections('77.1.5.4', 'OPT', at([0, 0.1, 0.2, 0.3])), 4, ['']],
  [
    'an ultrasound volume of tissue and flow',
    ultrasound(
      ['TISSUE_INTENSITY', 'FLOW_VELOCITY'].flatMap((type) =>
        HEIGHTS.map((z) => inProbe(z, { ImageDataTypeSequence: [{ DataType: type }] })),
      ),
      orientedInProbe,
    ),
    3,
    ['tissue intensity', 'flow velocity'],
  ],
  [
    'an ultrasound volume of several moments',
    ultrasound(
      [0.25, 0].flatMap((time) =>
        HEIGHTS.map((z) => inProbe(z, { TemporalPositionSequence: [{ TemporalPositionTimeOffset: time }] })),
      ),
      orientedInProbe,
    ),
    3,
    ['0 s', '0.3 s'],
  ],
];

const image =
  (more: DataSetInput): Write =>
  (n) =>
    writeSeries(n, straight(2), { ImagePositionPatient: undefined, ImageOrientationPatient: undefined, ...more });

const several =
  (sopClass: string, modality: string, more: DataSetInput = {}): Write =>
  (n) =>
    writeMultiFrame(n, [{}, {}], { ...NO_GROUPS, SOPClassUID: `${ROOT}${sopClass}`, Modality: modality, ...more });

const lacking = (names: string) => `it is not said where the images lie: there is no valid ${names}`;
const projection = (what: string) => `this is a projection: ${what}, which is no section of the patient`;
const nuclearKind = (what: string, kind: string) =>
  `this is ${what} (Image Type ${kind}, PS3.3 C.8.4.8.1.1), of which no frame is a section of the patient`;

const REFUSALS: readonly (readonly [name: string, write: Write, reason: string, message: string])[] = [
  ...(
    [
      ['STATIC', 'a projection for each energy window and detector'],
      ['WHOLE BODY', 'a projection of the whole body for each energy window and detector'],
      ['DYNAMIC', 'a projection for each moment'],
      ['GATED', 'a projection for each slot of the heartbeat'],
      ['TOMO', 'a projection for each angle'],
      ['GATED TOMO', 'a projection for each angle and slot of the heartbeat'],
    ] as const
  ).map(
    ([kind, what]) => [`nuclear medicine, ${kind}`, nuclear(kind, 4), 'no_geometry', nuclearKind(what, kind)] as const,
  ),
  [
    'nuclear medicine of no kind that is known',
    nuclear('OTHER', 4),
    'no_geometry',
    'the third value of Image Type (0008,0008) is OTHER, which is no reconstruction of slices',
  ],
  [
    'a reconstruction without a detector',
    reconstructed(3, { DetectorInformationSequence: undefined }),
    'no_geometry',
    lacking('Detector Information Sequence (0054,0022)'),
  ],
  [
    'a reconstruction whose detector has no place',
    reconstructed(3, { DetectorInformationSequence: [{ ImagePositionPatient: '', ImageOrientationPatient: '' }] }),
    'no_geometry',
    lacking(
      'Image Position (Patient) (0020,0032) of Detector Information Sequence (0054,0022) and no valid ' +
        'Image Orientation (Patient) (0020,0037) of Detector Information Sequence (0054,0022)',
    ),
  ],
  [
    'a reconstruction without a list of slices',
    reconstructed(3, { SliceVector: undefined }),
    'no_geometry',
    lacking('Slice Vector (0054,0080) of all frames'),
  ],
  [
    'an Enhanced XA image',
    several('12.1.1', 'XA', { PerFrameFunctionalGroupsSequence: [{}, {}] }),
    'not_a_volume',
    projection('an Enhanced XA image has the angles of its beam (PS3.3 A.47)'),
  ],
  [
    'an Enhanced XRF image',
    several('12.2.1', 'RF', { PerFrameFunctionalGroupsSequence: [{}, {}] }),
    'not_a_volume',
    projection('an Enhanced XRF image has the angles of its beam (PS3.3 A.48)'),
  ],
  [
    'projections of a tomosynthesis',
    several('13.1.4', 'MG', { PerFrameFunctionalGroupsSequence: [{}, {}] }),
    'not_a_volume',
    projection('a Breast Projection X-Ray image (PS3.3 A.74)'),
  ],
  ['a rotation of an XA', several('12.1', 'XA'), 'not_a_volume', projection('an image of Modality XA (PS3.3 A.14)')],
  [
    'a reconstructed angiography without positions',
    sections('13.1.1', 'XA', [{}, {}]),
    'no_geometry',
    lacking('Plane Position Sequence (0020,9113)'),
  ],
  [
    'an ophthalmic tomography on a photograph',
    sections(
      '77.1.5.4',
      'OPT',
      [10, 20].map((row) => ({ OphthalmicFrameLocationSequence: [{ ReferenceCoordinates: [row, 0, row, 100] }] })),
    ),
    'no_geometry',
    'its frames are lines on a photograph of the eye, in pixels (Ophthalmic Frame Location Sequence (0022,0031), PS3.3 ' +
      'C.8.17.10.1), and Plane Position Sequence (0020,9113), which has positions in the patient, is missing',
  ],
  [
    'an intravascular tomography',
    sections('14.1', 'IVOCT', [{}, {}]),
    'no_geometry',
    'its frames follow a catheter (PS3.3 A.66), and how far it was pulled is no position in the patient',
  ],
  [
    'an ultrasound volume that is not oriented',
    ultrasound(HEIGHTS.map((z) => inProbe(z))),
    'no_geometry',
    lacking('Plane Orientation (Volume) Sequence (0020,930F)'),
  ],
  [
    'an enhanced image without a place',
    (n) =>
      writeMultiFrame(n, [{}, {}], {
        SharedFunctionalGroupsSequence: [{ PixelMeasuresSequence: [{ PixelSpacing: ['1', '1'] }] }],
      }),
    'no_geometry',
    lacking('Plane Position Sequence (0020,9113) and no valid Plane Orientation Sequence (0020,9116)'),
  ],
  [
    'a cine of ultrasound',
    several('3.1', 'US', { FrameTime: '40' }),
    'not_a_volume',
    'this is a cine (PS3.3 C.7.6.5): Frame Time (0018,1063) or its vector says that its frames differ in time, not in space',
  ],
  [
    'several frames that nothing describes',
    several('7.3', 'OT'),
    'not_a_volume',
    'this is a file of 2 frames that has neither Per-Frame Functional Groups Sequence (5200,9230) nor other positions for ' +
      'each frame',
  ],
  [
    'radiographs',
    image({ SOPClassUID: `${ROOT}1`, Modality: 'CR' }),
    'not_a_volume',
    projection('an image of Modality CR (PS3.3 A.2)'),
  ],
  [
    'images without a position',
    image({ ImageOrientationPatient: AXIAL }),
    'no_geometry',
    lacking('Image Position (Patient) (0020,0032)'),
  ],
  [
    'images in a palette',
    image({ PhotometricInterpretation: 'PALETTE COLOR' }),
    'not_a_volume',
    'this is in color: Photometric Interpretation (0028,0004) is PALETTE COLOR',
  ],
];

let server: SharedServer;
let files: FilesResponse['files'];

beforeAll(async () => {
  const all = [...VOLUMES.map(([, write]) => write), ...REFUSALS.map(([, write]) => write)];
  server = await serveShared(...all.flatMap((write, n) => write(n + 1)));
  files = (await (await server.request('/api/files')).json()).files;
}, 120_000);

async function ask(series: number): Promise<VolumeResponse> {
  const { index } = files.find((file) => file.series_instance_uid === seriesUid(series))!;
  return (await askAgain(`${server.baseUrl}/api/file/${index}/volume`)).json();
}

describe('a volume is', () => {
  test.each(VOLUMES.map(([name, , places, labels], n) => [name, n + 1, places, labels] as const))(
    '%s',
    async (_, series, places, labels) => {
      const { volume, refusal, warnings } = await ask(series);

      expect({ refusal, warnings, places: volume?.places, times: volume?.times.map(({ label }) => label) }).toEqual({
        refusal: null,
        warnings: [],
        places,
        times: labels,
      });
      // No frame is left out.
      expect(new Set(volume!.frame_indices).size).toBe(places * labels.length);
    },
  );
});

describe('no volume, and the reason names what is missing:', () => {
  test.each(REFUSALS.map(([name, , reason, message], n) => [name, VOLUMES.length + n + 1, reason, message] as const))(
    '%s',
    async (_, series, reason, message) => {
      expect(await ask(series)).toEqual({ volume: null, refusal: { reason, message }, warnings: [] });
    },
  );
});
