import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import type { FilesResponse } from '../../src/shared/contract/files.ts';
import type { VolumeResponse } from '../../src/shared/contract/volumes.ts';
import { askAgain } from '../support/askAgain.ts';
import { corpus } from '../support/corpus.ts';
import { CORPUS, needs } from '../support/needs.ts';
import { serveShared, type SharedServer } from '../support/serve.ts';

type Recorded = {
  /** A file of the series, in the corpus. */
  readonly path: string;
  readonly shape: readonly number[];
  /** Three rows of four numbers. */
  readonly affine: readonly number[];
  readonly scale: readonly [number, number];
  /** Bytes of a sample. */
  readonly bytes: number;
  /** SHA-256 of the samples as they are in the file. */
  readonly sum: string;
};

const RECORDED: readonly Recorded[] = JSON.parse(readFileSync(new URL('nifti.json', import.meta.url), 'utf8'));

describe('volumes of real files are the NIfTI files that dcm2niix makes:', needs(CORPUS), () => {
  let server: SharedServer;
  let files: FilesResponse['files'];

  beforeAll(async () => {
    const folders = RECORDED.map(({ path }) => `${corpus}/${path.split('/').slice(0, -1).join('/')}`);
    server = await serveShared(...new Set(folders));
    files = (await (await server.request('/api/files')).json()).files;
  }, 180_000);

  test.each(RECORDED)('$path', async ({ path, shape, affine, scale, bytes, sum }) => {
    const { index } = files.find((file) => file.path.endsWith(path))!;
    const response = await server.request(`/api/file/${index}/volume/nifti?format=nii`);
    const file = new Uint8Array(await response.arrayBuffer());
    const view = new DataView(file.buffer);
    const floats = (at: number, count: number) =>
      Array.from({ length: count }, (_, i) => view.getFloat32(at + 4 * i, true));
    const sizes = Array.from({ length: view.getInt16(40, true) }, (_, i) => view.getInt16(42 + 2 * i, true));

    expect(sizes).toEqual(shape);
    expect(view.getInt16(72, true)).toBe(8 * bytes);
    // As recorded, with six digits. Distances between slices are rounded differently.
    for (const [at, part] of floats(280, 12).entries()) expect(Math.abs(part - affine[at]!)).toBeLessThan(1e-3);
    for (const [at, part] of floats(112, 2).entries()) expect(part).toBeCloseTo(scale[at]!, 6);
    expect(createHash('sha256').update(file.subarray(352)).digest('hex')).toBe(sum);
  });
});

/** dcm2niix makes files of pixels of 1 mm of these, or takes what lies side by side for slices. */
const REFUSED: readonly (readonly [path: string, message: string])[] = [
  [
    'display/aspect/aspect01.dcm',
    'it is not said where the images lie: there is no valid Image Position (Patient) (0020,0032) and no valid ' +
      'Image Orientation (Patient) (0020,0037)',
  ],
  [
    'multiframe/misc/cplx_p02.dcm',
    'this is a file of 2 frames that has neither Per-Frame Functional Groups Sequence (5200,9230) nor other positions for ' +
      'each frame',
  ],
  [
    'multiframe/misc/explicit_little.dcm',
    'this is a cine (PS3.3 C.7.6.5): Frame Time (0018,1063) or its vector says that its frames differ in time, not in space',
  ],
  [
    'multiframe/nm/NM-MONO2-16-13x-heart',
    'it is not said where the images lie: there is no valid Detector Information Sequence (0054,0022)',
  ],
  [
    'multiframe/nm/dicom_test_image.dcm',
    'this is a projection for each angle (Image Type TOMO, PS3.3 C.8.4.8.1.1), of which no frame is a section of the patient',
  ],
  ['multiframe/synthetic/synthetic_mf_rgb_planar.dcm', 'this is in color: Samples per Pixel (0028,0002) is 3'],
  [
    'multiframe/us-xa/HasFragmentSequence.dcm',
    'this is a projection: an image of Modality XA (PS3.3 A.14), which is no section of the patient',
  ],
  [
    'seg/highdicom-ct/seg_image_ct_binary.dcm',
    'this is a segmentation (PS3.3 A.51): labels, which are not interpolated',
  ],
  [
    'series/mosaic/0.dcm',
    'the image is a mosaic of slices, and 48 slices are 7 rows of 7, which 256 rows and 256 columns of samples are no ' +
      'multiple of',
  ],
  ['transfer-syntax/wg04-CT1/CT1_J2KI', 'all frames lie in one plane'],
  ['wsi/tiny/sm_image.dcm', 'this is a whole slide image (PS3.3 A.32.8), whose tiles lie side by side'],
];

/** Volumes with distances that a NIfTI file cannot say. */
const UNEVEN: readonly (readonly [path: string, range: string])[] = [
  ['dicomdir/pydicom/77654033/CT2/17106', '1.25 to 202.5 mm'],
  ['rt/xio-irregular-spacing/CT.rtp99.5.20110509.IRREGULAR.T.-1.5.CT.dcm', '0.2 to 3 mm'],
  ['seg/pet-tumor/source/000015.dcm', '3.375 to 128.25 mm'],
  ['series/broken-volumes/sliceincrement/001/IM-0001-0007-0001.dcm', '5 to 10 mm'],
  ['series/ct-duplicate-positions/CT2.dcm', '7.5 to 115 mm'],
  ['series/ct-tilt-irregular-ge/01.dcm', '1.081 to 6.999 mm'],
];

describe('real files that dcm2niix converts, and that are no NIfTI files here, say why:', needs(CORPUS), () => {
  let server: SharedServer;
  let files: FilesResponse['files'];

  beforeAll(async () => {
    const folders = [...REFUSED, ...UNEVEN].map(([path]) => `${corpus}/${path.split('/').slice(0, -1).join('/')}`);
    server = await serveShared(...new Set(folders));
    files = (await (await server.request('/api/files')).json()).files;
  }, 180_000);

  const ask = async (path: string, what: string) => {
    const { index } = files.find((file) => file.path.endsWith(path))!;
    return (await askAgain(`${server.baseUrl}/api/file/${index}/${what}`)).json();
  };

  test.each(REFUSED)('%s is no volume', async (path, message) => {
    const { volume, refusal }: VolumeResponse = await ask(path, 'volume');
    expect({ volume, message: refusal?.message }).toEqual({ volume: null, message });
  });

  test.each(UNEVEN)('%s is a volume', async (path, range) => {
    const { refusal }: VolumeResponse = await ask(path, 'volume');
    expect(refusal).toBeNull();
    expect(await ask(path, 'volume/nifti')).toMatchObject({
      code: 'volume_unavailable',
      error: `no file of NIfTI: the distance between slices is not the same everywhere: ${range}`,
    });
  });
});
