import { symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { AttachmentsResponse, WireAttachment } from '../../src/shared/contract/attachments.ts';
import { gzip, writeNifti, writeNpy, writeNpz, writeNrrd, writePng } from '../support/arrayFiles.ts';
import { needs } from '../support/needs.ts';
import { serve, serveWith, type TestServer } from '../support/serve.ts';
import { SLICE_COLUMNS, SLICE_ROWS, writeSlice } from '../support/sliceFiles.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';

const SLICES = 2;
const XYZ = [SLICE_COLUMNS, SLICE_ROWS, SLICES] as const;
const COUNT = SLICE_COLUMNS * SLICE_ROWS * SLICES;
const SFORM = [-1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 2, 0];
const NRRD = ['type: uint8', 'dimension: 3', `sizes: ${XYZ.join(' ')}`, 'encoding: raw'];
const MIB = 2 ** 20;

function writeFolder(files: Readonly<Record<string, Uint8Array | string>>): string {
  const folder = createTempFolder();
  for (let number = 0; number < SLICES; number += 1) writeBelow(folder, `images/${number}.dcm`, writeSlice({ number }));
  for (const [name, bytes] of Object.entries(files)) writeBelow(folder, `images/${name}`, bytes);
  return folder;
}

async function listAttachments(server: TestServer): Promise<readonly WireAttachment[]> {
  const { attachments }: AttachmentsResponse = await (await server.request('/api/attachments')).json();
  return attachments;
}

function changed(bytes: Uint8Array, change: (view: DataView) => void): Uint8Array {
  const copy = Uint8Array.from(bytes);
  change(new DataView(copy.buffer));
  return copy;
}

const GOOD = writeNifti({ sizes: XYZ, samples: new Uint8Array(COUNT).fill(1), sform: SFORM });

test('headers that lie, point elsewhere or hold code are refused with the reason, and the others are shown', async () => {
  const folder = writeFolder({
    'good.nii': GOOD,
    // dim[1] and dim[2] of 32,767 voxels each, which the 1,200 bytes do not hold.
    'huge.nii': changed(GOOD, (view) => {
      view.setInt16(42, 32_767, true);
      view.setInt16(44, 32_767, true);
    }),
    'negative.nii': changed(GOOD, (view) => view.setInt16(42, -3, true)),
    'axes.nii': changed(GOOD, (view) => view.setInt16(40, 90, true)),
    'nan.nii': writeNifti({ sizes: XYZ, samples: new Uint8Array(COUNT), sform: [NaN, ...SFORM.slice(1)] }),
    'offset.nii': changed(GOOD, (view) => view.setFloat32(108, 1e30, true)),
    'cut.nii': GOOD.subarray(0, 900),
    'rgb.nii': changed(GOOD, (view) => view.setInt16(70, 128, true)),
    'cut.nii.gz': gzip(GOOD).subarray(0, 30),
    'pair.hdr': writeNifti({ sizes: XYZ, samples: new Uint8Array(0), magic: 'ni1' }),
    'passwd.nhdr': writeNrrd([...NRRD, 'data file: ../../../../../../etc/passwd']),
    'absolute.nhdr': writeNrrd([...NRRD, 'data file: /etc/passwd']),
    'windows.nhdr': writeNrrd([...NRRD, 'data file: ..\\secret.raw']),
    'list.nhdr': writeNrrd([...NRRD, 'data file: LIST']),
    'huge.nrrd': writeNrrd(['type: uint8', 'dimension: 3', 'sizes: 1099511627776 4 4', 'encoding: gzip'], gzip(GOOD)),
    'many.nrrd': writeNrrd(['type: uint8', 'dimension: 3', 'sizes: 65536 65536 65536', 'encoding: gzip'], gzip(GOOD)),
    'nan.nrrd': writeNrrd(
      [...NRRD, 'space: LPS', 'space directions: (nan,0,0) (0,1,0) (0,0,2)', 'space origin: (0,0,0)'],
      'x',
    ),
    'bz2.nrrd': writeNrrd(
      NRRD.map((line) => line.replace('raw', 'bz2')),
      'BZh9',
    ),
    'skip.nrrd': writeNrrd([...NRRD, 'byte skip: -5'], new Uint8Array(COUNT)),
    'object.npy': writeNpy([2], new Uint8Array(16), { descr: '|O' }),
    'huge.npy': writeNpy([2 ** 20, 2 ** 20], new Uint8Array(16)),
    'cut.npy': writeNpy([SLICES, SLICE_ROWS, SLICE_COLUMNS], new Uint8Array(10)),
    'object.npz': writeNpz({ 'a.npy': writeNpy([2], new Uint8Array(16), { descr: '|O' }) }, true),
    'cut.npz': writeNpz({ 'a.npy': writeNpy([2], new Uint8Array(2)) }, true).subarray(0, 60),
    'pictures/huge.png': changed(
      writePng({ rows: 1, columns: 1, bits: 8, colorType: 0, bytes: new Uint8Array(1) }),
      (view) => view.setUint32(16, 4_000_000_000),
    ),
  });
  const server = await serve(folder);
  const attachments = await listAttachments(server);
  const reasons = Object.fromEntries(attachments.map(({ path, placement }) => [basename(path), placement.reason]));
  expect(reasons).toEqual({
    'absolute.nhdr': expect.stringContaining('no file in the folder of the header'),
    'axes.nii': 'the NIfTI header declares 90 axes',
    'bz2.nrrd': 'the NRRD encoding "bz2" is not supported',
    'cut.nii': 'the header declares 1200 bytes, but the file holds 548 at most',
    'cut.nii.gz': expect.stringContaining('NIfTI'),
    'cut.npy': expect.stringContaining('the header declares'),
    'cut.npz': 'the file is no zip file, or it is truncated',
    'good.nii': 'the grid of the file is that of the images',
    'huge.nii': expect.stringContaining('the header declares'),
    'huge.npy': expect.stringContaining('the header declares'),
    'huge.nrrd': '1099511627776 is no size of an axis',
    'huge.png': 'a PNG of 4000000000 x 1 pixels is no mask',
    'list.nhdr': 'NRRD data in several files is not supported',
    'many.nrrd': expect.stringContaining('the header declares 281474976710656 bytes'),
    'nan.nii': 'the affine of the array has values that are not finite numbers',
    'nan.nrrd': 'the affine of the array has values that are not finite numbers',
    'negative.nii': '-3 is no size of an axis',
    'object.npy': 'the array holds Python objects, which only running the code in it could read',
    'object.npz': 'the array holds Python objects, which only running the code in it could read',
    'offset.nii': expect.stringContaining('the header declares'),
    'pair.hdr': expect.stringContaining('no file in the folder of the header'),
    'passwd.nhdr': expect.stringContaining('no file in the folder of the header'),
    'rgb.nii': 'the NIfTI data type 128 is not supported',
    'skip.nrrd': 'the byte skip of the NRRD header is invalid',
    'windows.nhdr': expect.stringContaining('no file in the folder of the header'),
  });
  for (const { layer, path } of attachments) {
    const name = basename(path);
    const response = await server.request(`/api/layer/${layer}/frame?file=0&frame=0`);
    const code = response.status === 200 ? 'drawn' : (await response.json()).code;
    expect([name, code]).toEqual([name, name === 'good.nii' ? 'drawn' : 'attachment_unreadable']);
  }
});

test('a link beside a header is not followed', needs('a system with POSIX paths and permissions'), async () => {
  const outside = writeBelow(createTempFolder(), 'secret.raw', new Uint8Array(COUNT).fill(1));
  const folder = writeFolder({
    'link.nhdr': writeNrrd([...NRRD, 'data file: link.raw']),
    'real.nhdr': writeNrrd([...NRRD, 'data file: real.raw']),
    'real.raw': new Uint8Array(COUNT).fill(1),
  });
  symlinkSync(outside, join(folder, 'images/link.raw'));
  const attachments = await listAttachments(await serve(folder));
  expect(attachments.map(({ path, placement }) => [basename(path), placement.status])).toEqual([
    ['link.nhdr', 'unavailable'],
    ['real.nhdr', 'by_shape'],
  ]);
});

test('a bomb is unpacked no further than its header declares, and a volume beyond the memory is refused', async () => {
  const zeros = gzipSync(Buffer.alloc(256 * MIB));
  // The same bytes after a header: small, so that all of the rest is ignored.
  const small = Buffer.concat([gzipSync(GOOD), zeros]);
  const large = 1_000;
  const wide = ['type: uint8', 'dimension: 3', `sizes: ${large} ${large} 250`, 'encoding: gzip'];
  const place = ['space: LPS', `space directions: (0.03,0,0) (0,0.02,0) (0,0,0.016)`, 'space origin: (0,0,0)'];
  const folder = writeFolder({ 'small.nii.gz': small, 'large.nrrd': writeNrrd([...wide, ...place], zeros) });
  const server = await serveWith({ inputs: [folder], memoryBytes: 256 * MIB });
  const [big, little] = await listAttachments(server);
  expect([big!.placement.status, little!.placement.status]).toEqual(['direct', 'by_grid']);
  const before = process.memoryUsage().rss;
  const refused = await server.request(`/api/layer/${big!.layer}/frame?file=0&frame=0`);
  expect([refused.status, (await refused.json()).code]).toEqual([422, 'decode_memory_exceeded']);
  const drawn = await server.request(`/api/layer/${little!.layer}/frame?file=0&frame=0`);
  expect(drawn.status).toBe(200);
  expect((process.memoryUsage().rss - before) / MIB).toBeLessThan(96);
});

test('labels without end and damaged data are errors with a code', async () => {
  const many = new Uint8Array(Int32Array.from({ length: COUNT }, (_, i) => i * 4_099).buffer);
  const damaged = gzip(Uint8Array.from({ length: COUNT }, (_, i) => (i * i) % 251));
  damaged.fill(0xff, damaged.length >> 1);
  const folder = writeFolder({
    'damaged.nrrd': writeNrrd(
      NRRD.map((line) => line.replace('raw', 'gzip')),
      damaged,
    ),
    'many.nii': writeNifti({ sizes: XYZ, samples: many, datatype: 8, sform: SFORM }),
    'text.nrrd': writeNrrd(
      NRRD.map((line) => line.replace('raw', 'ascii')),
      'a'.repeat(4 * COUNT),
    ),
  });
  const server = await serve(folder);
  const answers: unknown[] = [];
  for (const { layer, path } of await listAttachments(server)) {
    const response = await server.request(`/api/layer/${layer}`);
    const body = await response.json();
    answers.push([basename(path), response.status, body.code ?? body.description]);
  }
  expect(answers).toEqual([
    ['damaged.nrrd', 422, 'attachment_unreadable'],
    ['many.nii', 200, expect.stringContaining('values from 0 to')],
    ['text.nrrd', 422, 'attachment_unreadable'],
  ]);
});
