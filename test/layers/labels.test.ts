import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { inflateRawSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { FilesResponse } from '../../src/shared/contract/files.ts';
import { corpus } from '../support/corpus.ts';
import { CORPUS, findLayersData, LAYERS_DATA, needs } from '../support/needs.ts';
import { serveShared, type SharedServer } from '../support/serve.ts';

/** Value, voxels, and SHA-256 of the mask. */
type RecordedLabel = readonly [value: number, voxels: number, sha256: string];
type RecordedVolume = {
  readonly path: string;
  readonly shape: readonly number[];
  readonly labels: readonly RecordedLabel[];
};
type RecordedStructures = {
  readonly path: string;
  readonly folder: string;
  readonly of: 'corpus' | 'layers';
  /** In the stack. */
  readonly images: number;
  readonly slices: readonly (readonly [slice: number, ...label: RecordedLabel])[];
};

/** Made by makeLabels.py. */
const RECORDED: {
  readonly images: string;
  readonly folder: string;
  readonly segmentations: readonly RecordedVolume[];
  readonly outputs: readonly RecordedVolume[];
  readonly structures: readonly RecordedStructures[];
} = JSON.parse(readFileSync(new URL('labels.json', import.meta.url), 'utf8'));

const FIRST_ATTACHMENT = 1_000_000;

type Labels = {
  /** Slices, rows and columns. */
  readonly shape: readonly number[];
  readonly values: readonly number[];
  /** One byte for each voxel of a slice, or of all slices. */
  readonly maskOf: (value: number, slice?: number) => Buffer;
};

async function fetchLabels(server: SharedServer, path: string): Promise<Labels> {
  const response = await server.request(`/api${path}&format=npz`);
  const zip = Buffer.from(await response.arrayBuffer());
  if (!response.ok) throw new Error(zip.toString());
  const members = new Map<string, Buffer>();
  for (let at = 0; zip.readUInt32LE(at) === 0x04034b50;) {
    const [packed, name] = [zip.readUInt32LE(at + 18), zip.readUInt16LE(at + 26)];
    const start = at + 30 + name;
    members.set(zip.toString('utf8', at + 30, start), inflateRawSync(zip.subarray(start, start + packed)));
    at = start + packed;
  }
  const npy = members.get('labels.npy')!;
  const start = 10 + npy.readUInt16LE(8);
  const head = npy.toString('latin1', 0, start);
  const bytes = head.includes("'<u2'") ? 2 : 1;
  const sizes = /'shape': \(([^)]*)\)/.exec(head)![1]!.split(',').map(Number);
  const shape = sizes.slice(-3);
  const voxels = shape.reduce((product, size) => product * size, 1);
  const { labels } = JSON.parse(members.get('labels.json')!.toString());
  const volumeOf = new Map<number, number>(
    labels.map(({ value, volume = 0 }: { value: number; volume?: number }) => [value, volume]),
  );
  return {
    shape,
    values: [...volumeOf.keys()],
    maskOf(value, slice) {
      const [count, first] = slice === undefined ? [voxels, 0] : [voxels / shape[0]!, (slice * voxels) / shape[0]!];
      const from = (volumeOf.get(value) ?? 0) * voxels + first;
      return Buffer.from(
        Uint8Array.from({ length: count }, (_, at) => {
          return Number(npy.readUIntLE(start + bytes * (from + at), bytes) === value);
        }),
      );
    },
  };
}

function toRecorded(value: number, mask: Buffer): RecordedLabel {
  const voxels = mask.reduce((sum, one) => sum + one, 0);
  return [value, voxels, createHash('sha256').update(mask).digest('hex')];
}

/** Of a label map, 0 is the background. */
const withoutBackground = (labels: readonly RecordedLabel[]) => labels.filter(([value]) => value !== 0);

describe('labels of a segmentation on its own grid are those of highdicom:', () => {
  test.each(RECORDED.segmentations)('$path', needs(CORPUS), async ({ path, shape, labels }) => {
    const server = await serveShared(`${corpus}/${path}`);
    const found = await fetchLabels(server, '/file/0/volume/labels?layers=0&grid=own');

    expect(found.shape).toEqual(shape);
    expect(found.values.map((value) => toRecorded(value, found.maskOf(value)))).toEqual(withoutBackground(labels));
  });
});

describe('labels of model output on images are those that nibabel finds there:', () => {
  test.each(RECORDED.outputs)('$path', needs(LAYERS_DATA), async ({ path, shape, labels }) => {
    const server = await serveShared(`${corpus}/${RECORDED.images}`, `${findLayersData()}/${RECORDED.folder}/${path}`);
    const found = await fetchLabels(server, `/file/0/volume/labels?layers=${FIRST_ATTACHMENT}`);

    expect(found.shape).toEqual(shape);
    expect(found.values.map((value) => toRecorded(value, found.maskOf(value)))).toEqual(labels);
  });
});

describe('labels of a structure set are those of its corners in float64:', () => {
  test.each(RECORDED.structures)('$path', needs(LAYERS_DATA), async ({ path, folder, of, images, slices }) => {
    const root = of === 'corpus' ? corpus : findLayersData();
    const server = await serveShared(`${root}/${folder}`, `${root}/${path}`);
    const { files }: FilesResponse = await (await server.request('/api/files')).json();
    const layer = files.find((file) => file.path.endsWith(path))?.index;
    const image = files.find(({ modality }) => modality === 'CT' || modality === 'MR')?.index;
    const found = await fetchLabels(server, `/file/${image}/volume/labels?layers=${layer}`);

    expect(found.shape[0]).toBe(images);
    expect(slices.map(([slice, value]) => [slice, ...toRecorded(value, found.maskOf(value, slice))])).toEqual(slices);
  });
});

/**
 * Voxels of `plastimatch convert --input RTSTRUCT --referenced-ct FOLDER` (1.9.4) by the number of the ROI, and how many of them
 * may differ: centers that lie on a side of a contour.
 */
const PLASTIMATCH = [
  {
    folder: 'rt-imrt-pinnacle',
    counts: [
      [3, 39_390, 0],
      [4, 2_187_678, 25],
      [5, 30_204, 0],
      [6, 19_752, 0],
    ],
  },
  {
    folder: 'synthetic-phantom',
    counts: [
      [1, 4_466, 0],
      [2, 1_560, 0],
      // A ring: there without its hole of 480 voxels, which is a contour in the other one.
      [3, 2_040 - 480, 0],
      [5, 216, 0],
      [6, 378, 0],
      [10, 0, 0],
    ],
  },
] as const;

describe('labels of a structure set have the voxels of plastimatch:', () => {
  test.each(PLASTIMATCH)('$folder', needs(LAYERS_DATA), async ({ folder, counts }) => {
    const server = await serveShared(`${findLayersData()}/${folder}`);
    const { files }: FilesResponse = await (await server.request('/api/files')).json();
    const layer = files.find(({ modality }) => modality === 'RTSTRUCT')?.index;
    const image = files.find(({ modality }) => modality === 'CT')?.index;
    const found = await fetchLabels(server, `/file/${image}/volume/labels?layers=${layer}`);
    for (const [value, voxels, most] of counts) {
      const [, own] = toRecorded(value, found.maskOf(value));
      expect(Math.abs(own - voxels), `ROI ${value}`).toBeLessThanOrEqual(most);
    }
  });
});
