import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { OverlaysResponse } from '../../src/shared/contract/attachments.ts';
import type { FilesResponse } from '../../src/shared/contract/files.ts';
import { numberOfLayer } from '../../src/shared/layerRef.ts';
import { setMaskKey } from '../../src/server/bytes/masking/masker.ts';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { writeNpy } from '../support/arrayFiles.ts';
import { writeCt, writeDose } from '../support/fieldFiles.ts';
import { SLICE_SIZE, writeSegmentation, writeSlices } from '../support/segmentedSlices.ts';
import { serveWith, type TestServer } from '../support/serve.ts';
import { circle, structureSetElements } from '../support/structureSetElements.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';
import { writeZip } from '../support/writeArchive.ts';

const SEGMENTATION = writeSegmentation({
  uid: '2.25.900',
  name: 'Organs',
  patches: [{ slice: 2, segment: 1, top: 4, left: 4, rows: 6, columns: 8 }],
});
const STRUCTURES = writeDicom(
  structureSetElements([{ number: 1, name: 'Target', contours: [{ points: circle([9, 9, 6], 4, 24) }] }]),
);

async function listOverlays(server: TestServer): Promise<OverlaysResponse> {
  return (await server.request('/api/overlays')).json();
}

/** Numbers of the layers of files with these ends of their paths. */
async function layersOf(server: TestServer, ...ends: readonly string[]): Promise<(number | undefined)[]> {
  const { files }: FilesResponse = await (await server.request('/api/files')).json();
  return ends.map((end) => files.find(({ path }) => path.endsWith(end))?.index);
}

function writeStudy(): string {
  const folder = createTempFolder();
  for (const [number, slice] of writeSlices(5).entries()) writeBelow(folder, `ct/${number}.dcm`, slice);
  writeBelow(folder, 'out/seg.dcm', SEGMENTATION);
  writeBelow(folder, 'out/structures.dcm', STRUCTURES);
  writeBelow(folder, 'out/labels.npy', writeNpy([5, SLICE_SIZE, SLICE_SIZE], new Uint8Array(5 * SLICE_SIZE ** 2)));
  return folder;
}

test('layers are listed in the order in which they were named, with those of folders and archives', async () => {
  const folder = writeStudy();
  const archive = writeBelow(folder, 'more.zip', writeZip([{ name: 'more/seg2.dcm', bytes: SEGMENTATION }]));
  const structures = join(folder, 'out/structures.dcm');
  const server = await serveWith({ inputs: [folder], overlays: [structures, archive, join(folder, 'out/')] });

  const [set, second, seg] = await layersOf(server, 'structures.dcm', 'seg2.dcm', 'out/seg.dcm');
  expect(await listOverlays(server)).toEqual({
    layers: [set, second, seg, numberOfLayer({ attachment: 0 })],
    total: 4,
    truth: [],
    test: [],
    scan_complete: true,
  });
  const { overlays }: FilesResponse = await (await server.request('/api/files')).json();
  expect(overlays).toBe(3);
});

test('what is compared is listed beside what is shown, also where one folder is in another', async () => {
  const folder = writeStudy();
  const [out, labels] = [join(folder, 'out'), join(folder, 'out/labels.npy')];
  const structures = join(folder, 'out/structures.dcm');
  const server = await serveWith({ inputs: [folder], overlays: [out, labels, structures], areCompared: true });

  const [set, seg] = await layersOf(server, 'structures.dcm', 'out/seg.dcm');
  expect(await listOverlays(server)).toEqual({
    layers: [set],
    total: 1,
    truth: [seg],
    test: [numberOfLayer({ attachment: 0 })],
    scan_complete: true,
  });
});

test('of a series of images that is named, the first file is listed', async () => {
  const folder = createTempFolder();
  for (const [number, slice] of writeCt().entries()) writeBelow(folder, `ct/${100 + number}.dcm`, slice);
  writeBelow(folder, 'dose.dcm', writeDose());
  const server = await serveWith({ inputs: [folder], overlays: [join(folder, 'dose.dcm'), join(folder, 'ct')] });
  const [dose, ct] = await layersOf(server, 'dose.dcm', 'ct/100.dcm');
  expect((await listOverlays(server)).layers).toEqual([dose, ct]);
});

test('what is named over a symbolic link is found, also where paths are masked', async () => {
  setMaskKey(new TextEncoder().encode('a secret of this test'));
  onTestFinished(() => setMaskKey(undefined));
  const folder = writeStudy();
  mkdirSync(join(folder, 'links'));
  symlinkSync(join(folder, 'out/seg.dcm'), join(folder, 'links/last.dcm'));
  const server = await serveWith({
    inputs: [join(folder, 'ct'), join(folder, 'out')],
    overlays: [join(folder, 'links/last.dcm')],
    memoryBytes: 512 * 2 ** 20,
  });
  const { files }: FilesResponse = await (await server.request('/api/files')).json();
  const seg = files.find(({ object_kind }) => object_kind === 'segmentation');
  expect(seg?.path).not.toContain('seg');
  expect((await listOverlays(server)).layers).toEqual([seg?.index]);
});

test('of more than 64 layers that are named, the first ones are listed, and all are counted', async () => {
  const folder = createTempFolder();
  for (let number = 100; number < 170; number += 1) {
    const named = { uid: `2.25.9${number}`, name: `Organ ${number}` };
    const patches = [{ slice: 2, segment: 1, top: 4, left: 4, rows: 6, columns: 8 }];
    writeBelow(folder, `${number}.dcm`, writeSegmentation({ ...named, patches }));
  }
  const server = await serveWith({ inputs: [folder], overlays: [folder] });
  const { layers, total } = await listOverlays(server);
  expect([layers.length, total]).toEqual([64, 70]);
});

test('without --overlay nothing is listed', async () => {
  const server = await serveWith({ inputs: [writeStudy()] });
  expect(await listOverlays(server)).toEqual({ layers: [], total: 0, truth: [], test: [], scan_complete: true });
});
