import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { writeNifti, writeNpy, writeNrrd, writePng } from '../support/arrayFiles.ts';
import { findViolations } from '../support/axe.ts';
import { writeCt, writeDose } from '../support/fieldFiles.ts';
import { serve, serveWith } from '../support/serve.ts';
import { AXIAL, placedImage } from '../support/placedElements.ts';
import { SLICE_SIZE, sliceUid, writeSegmentation, writeSlices } from '../support/segmentedSlices.ts';
import { circle, structureSetElements } from '../support/structureSetElements.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';
import { openViewer, reload, showsImage } from '../support/viewerPage.ts';

const SLICES = 5;

/** A folder with five slices, 3 mm apart with pixels of 1 mm, and beside them a segmentation of another program. */
function writeFolder(): string {
  const folder = createTempFolder();
  for (const [number, slice] of writeSlices(SLICES).entries()) writeBelow(folder, `${number}.dcm`, slice);
  const samples = new Uint8Array(SLICE_SIZE * SLICE_SIZE * SLICES);
  for (let row = 4; row < 12; row += 1) {
    for (let column = 8; column < 24; column += 1) samples[(3 * SLICE_SIZE + row) * SLICE_SIZE + column] = 3;
  }
  const header = [
    'type: uint8',
    'dimension: 3',
    'space: left-posterior-superior',
    `sizes: ${SLICE_SIZE} ${SLICE_SIZE} ${SLICES}`,
    'space directions: (1,0,0) (0,1,0) (0,0,3)',
    'space origin: (0,0,0)',
    'encoding: raw',
    'Segment0_Name:=Lesion',
    'Segment0_Color:=1 0 0',
    'Segment0_LabelValue:=3',
  ];
  writeBelow(folder, 'model.seg.nrrd', writeNrrd(header, samples));
  writeBelow(folder, 'pickled.npy', writeNpy([2], new Uint8Array(16), { descr: '|O' }));
  return folder;
}

/** The color in the middle of the layers, and the share of their pixels that are drawn. */
function readCanvas(canvas: HTMLCanvasElement): { color: number[]; share: number } {
  const { data } = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] };
  const drawn: number[][] = [];
  for (let at = 0; at < data.length; at += 4) if (data[at + 3]! > 0) drawn.push(Array.from(data.slice(at, at + 3)));
  return { color: drawn[drawn.length >> 1] ?? [], share: drawn.length };
}

test('model output lies over its images and planes, has a place in the address, and needs no request for its looks', async () => {
  const viewer = await openViewer(await serve(writeFolder()), { address: '#cell=2.25.73,1', position: 3 });
  const { page, cell, complaints } = viewer;
  await cell.locator('summary', { hasText: '1 attachment' }).waitFor();
  await page.keyboard.press('m');
  const layers = page.locator('[data-cell="0"] [data-layer="layers"][data-masks="1"]');
  await layers.waitFor();
  await expect.poll(() => layers.evaluate(readCanvas)).toMatchObject({ color: [255, 0, 0] });
  await expect.poll(() => new URL(page.url()).hash).toContain('layer=~model.seg.nrrd');

  // The panel names its part, and says why the other file is not shown.
  await page.getByRole('tab', { name: 'Layers' }).click();
  const section = page.getByRole('region', { name: 'model' });
  await section.getByText('Lesion').waitFor();
  await section.getByText('the grid of the file is that of the images').waitFor();
  await page.getByText('1 attachment not shown').click();
  await page.getByText('the array holds Python objects').waitFor();
  expect(await findViolations(page)).toEqual([]);

  const requests: string[] = [];
  page.on('request', (request) => void requests.push(request.url()));
  await section.getByRole('button', { name: 'Show Lesion' }).click();
  await expect.poll(() => layers.evaluate(readCanvas)).toMatchObject({ share: 0 });
  await section.getByRole('button', { name: 'Show Lesion' }).click();
  await expect.poll(() => layers.evaluate(readCanvas)).toMatchObject({ color: [255, 0, 0] });
  expect(requests).toEqual([]);

  // The address opens it again.
  await page.reload();
  await showsImage(page, 3);
  await layers.waitFor();
  await page.keyboard.press('y');
  for (const one of [0, 1, 2]) {
    await page.locator(`[data-cell="${one}"] [data-layer="layers"][data-masks="1"]`).waitFor();
  }
  expect(complaints).toEqual([]);
});

const SIDE = SLICE_SIZE;

/** A block in the slices 14 to 17, at the top and in the left half. */
function inBlock(z: number, y: number, x: number): boolean {
  return z >= 14 && z < 18 && y >= 2 && y < 8 && x >= 4 && x < 16;
}

/** 32 slices of 32 x 32 pixels, so that an array of 32 x 32 x 32 fits in every order of its axes. */
function writeCube(): string {
  const folder = createTempFolder();
  for (const [number, slice] of writeSlices(SIDE).entries()) writeBelow(folder, `ct/${number}.dcm`, slice);
  const other = { FrameOfReferenceUID: '2.25.555', SeriesInstanceUID: '2.25.556', SeriesDescription: 'Other' };
  for (const [number, slice] of writeSlices(SIDE, other).entries()) {
    // Other instances: UIDs of the same length keep the elements intact.
    const renamed = Buffer.from(slice).toString('latin1').replaceAll(`2.25.7${number}`, `2.25.8${number}`);
    writeBelow(folder, `other/${number}.dcm`, Buffer.from(renamed, 'latin1'));
  }
  const block = Uint8Array.from({ length: SIDE ** 3 }, (_, i) =>
    Number(inBlock(Math.floor(i / SIDE ** 2), Math.floor(i / SIDE) % SIDE, i % SIDE)),
  );
  writeBelow(folder, 'cube.npy', writeNpy([SIDE, SIDE, SIDE], block));
  const size = { rows: SIDE, columns: SIDE, bits: 8, colorType: 0 };
  for (let z = 0; z < SIDE; z += 1) {
    writeBelow(
      folder,
      `masks/${String(z).padStart(2, '0')}.png`,
      writePng({ ...size, bytes: block.subarray(z * SIDE ** 2, (z + 1) * SIDE ** 2) }),
    );
  }
  const values = Float32Array.from(
    { length: 2 * SIDE ** 3 },
    (_, i) => ((i % SIDE) + 0.5) / SIDE / (i < SIDE ** 3 ? 2 : 1),
  );
  writeBelow(
    folder,
    'ct/probability.nii',
    writeNifti({
      sizes: [SIDE, SIDE, SIDE, 2],
      samples: new Uint8Array(values.buffer),
      datatype: 16,
      sform: [-1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 3, 0],
      timeStep: 2,
    }),
  );
  return folder;
}

/** The box of what is drawn, in parts of the canvas. */
function readBox(canvas: HTMLCanvasElement): { left: number; top: number } | undefined {
  const { width, height } = canvas;
  const { data } = canvas.getContext('2d')?.getImageData(0, 0, width, height) ?? { data: [] };
  let [left, top] = [Infinity, Infinity];
  for (let at = 3; at < data.length; at += 4) {
    if (data[at] === 0) continue;
    left = Math.min(left, ((at - 3) / 4) % width);
    top = Math.min(top, Math.floor((at - 3) / 4 / width));
  }
  return left === Infinity ? undefined : { left: left / width, top: top / height };
}

test('what fits in several ways is laid over images by the user, and the address keeps how', async () => {
  const viewer = await openViewer(await serve(writeCube()), { address: '#cell=2.25.715,1', position: 15 });
  const { page, complaints } = viewer;
  await page.getByRole('tab', { name: 'Layers' }).click();
  const layers = page.locator('[data-cell="0"] [data-layer="layers"]');
  const box = () => layers.evaluate(readBox);

  // An array whose axes have equal sizes.
  await page.getByText(/attachments? not shown/).click();
  const question = page.locator('li', { hasText: 'cube' });
  await question.getByText('the axes of the file have equal sizes').waitFor();
  await question.getByRole('button', { name: 'Lay over these images' }).click();
  const cube = page.getByRole('region', { name: 'cube' });
  await cube.getByLabel('Axes of cube').waitFor();
  await expect.poll(box).toMatchObject({ left: expect.any(Number) });
  const before = (await box())!;
  await cube.getByRole('button', { name: 'Flip up–down' }).click();
  await expect.poll(async () => (await box())?.top ?? 0).toBeGreaterThan(before.top + 0.3);
  expect((await box())!.left).toBeCloseTo(before.left, 1);
  // The other order has the slices in its last axis: slice 15 is then column 15, at the right border of the block.
  await cube.getByLabel('Axes of cube').selectOption({ label: 'columns, rows, slices' });
  await expect.poll(async () => (await box())?.left ?? 0).toBeGreaterThan(before.left + 0.1);
  await expect.poll(() => new URL(page.url()).hash).toMatch(/lay=~cube\.npy,2\.25\.70,1,1,r/);
  expect(await findViolations(page)).toEqual([]);

  // Another run of the page, whose server has forgotten it, lays it the same way again.
  const after = (await box())!;
  const headers = { 'Content-Type': 'application/json' };
  await page.request.put(new URL('api/attachment/1/stack', page.url()).href, {
    headers,
    data: { file: null, frame: 0 },
  });
  await page.reload();
  await showsImage(page, 15);
  await expect.poll(box).toEqual(after);

  // Pictures fit two series: the user lays them over the other one, and over this one again.
  await page.getByText(/attachments? not shown/).click();
  const pictures = page.locator('li', { hasText: 'masks' });
  await pictures.getByRole('button', { name: 'Lay over these images' }).click();
  const masks = page.getByRole('region', { name: 'masks' });
  await masks.getByRole('button', { name: 'Flip slices' }).waitFor();
  await masks.getByLabel('Images that masks lies over').selectOption({ index: 1 });
  await masks.waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
});

test('probabilities have a legend, a line at one half, a value under the pointer, and several volumes', async () => {
  const folder = writeCube();
  const viewer = await openViewer(await serve(folder), {
    address: '#cell=2.25.715,1&layer=~probability.nii',
    position: 15,
  });
  const { page, cell, complaints } = viewer;
  await page.locator('[data-cell="0"] [data-layer="layers"][data-masks="1"]').waitFor();
  const legend = cell.locator('[data-field="1000000"]');
  await legend.getByText('Probability').waitFor();
  await legend.getByText('Volume 1 of 2, 0 s').waitFor();
  await legend.getByText('0.5').waitFor();
  await page.getByRole('tab', { name: 'Layers' }).click();
  const section = page.getByRole('region', { name: 'probability' });
  // The image, and three neighbours on each side, which are loaded when the user pauses.
  const packets = () => viewer.requests.filter((url) => url.includes('/frame?file=')).length;
  await expect.poll(packets).toBe(7);
  const requests: string[] = [];
  page.on('request', (request) => void requests.push(request.url()));
  await section.getByLabel('Colors of Probability').selectOption({ label: 'Hot iron' });
  await section.getByLabel('Threshold of Probability').fill('0.7');
  await legend.getByText('clear below 0.7').waitFor();
  expect(requests).toEqual([]);
  // Another volume is another request.
  await section.getByLabel('Volume of Probability').selectOption({ label: 'Volume 2 of 2, 2 s' });
  await legend.getByText('Volume 2 of 2, 2 s').waitFor();
  await expect.poll(() => requests.some((url) => url.endsWith('parts=1'))).toBe(true);
  // It is in the address, and so there after the page was loaded again.
  await expect.poll(() => new URL(page.url()).hash).toContain('layer=~probability.nii,,2');
  await page.reload();
  await legend.getByText('Volume 2 of 2, 2 s').waitFor();
  expect(complaints).toEqual([]);
});

test('coordinates that fit the other way are read so by a button, and the address keeps it', async () => {
  const folder = createTempFolder();
  // Columns and rows lie at -13 to 18 mm. The file says so, but of RAS: its voxel (i, j) is in column 26 - i, row 26 - j.
  for (let slice = 0; slice < SLICES; slice += 1) {
    const plane = { ...AXIAL, position: [-13, -13, 3 * slice] };
    const image = { uid: sliceUid(slice), rows: SIDE, columns: SIDE, plane };
    writeBelow(folder, `${slice}.dcm`, writeDicom(placedImage(image, { InstanceNumber: String(slice + 1) })));
  }
  const samples = new Uint8Array(SIDE * SIDE * SLICES).fill(0);
  for (let slice = 0; slice < SLICES; slice += 1) {
    for (let row = 2; row < 6; row += 1)
      samples.fill(1, (slice * SIDE + row) * SIDE + 3, (slice * SIDE + row) * SIDE + 8);
  }
  writeBelow(
    folder,
    'lps.nii',
    writeNifti({ sizes: [SIDE, SIDE, SLICES], samples, sform: [1, 0, 0, -13, 0, 1, 0, -13, 0, 0, 3, 0] }),
  );
  const viewer = await openViewer(await serve(folder), { address: '#cell=2.25.73,1', position: 3 });
  const { page, complaints } = viewer;
  await page.keyboard.press('m');
  const layers = page.locator('[data-cell="0"] [data-layer="layers"][data-masks="1"]');
  await layers.waitFor();
  const before = await layers.evaluate(readBox);
  await page.getByRole('tab', { name: 'Layers' }).click();
  const section = page.getByRole('region', { name: 'lps' });
  await section.getByText('perhaps they are LPS, written as RAS').waitFor();
  await section.getByRole('button', { name: 'Read x and y the other way' }).click();
  await expect.poll(() => layers.evaluate(readBox).then((box) => (box?.top ?? 1) < (before?.top ?? 0))).toBe(true);
  const after = await layers.evaluate(readBox);
  await expect.poll(() => section.getByText('perhaps they are LPS').count()).toBe(0);
  expect(await findViolations(page)).toEqual([]);

  await reload(page);
  await showsImage(page, 3);
  await layers.waitFor();
  await expect.poll(() => layers.evaluate(readBox)).toEqual(after);
  expect(complaints).toEqual([]);
});

test('what --overlay names lies over its images at once, on the slice where it has most', async () => {
  const folder = writeFolder();
  const server = await serveWith({ inputs: [folder], overlays: [join(folder, 'model.seg.nrrd')] });
  const { page, cell, complaints } = await openViewer(server, { position: 3 });
  await cell.locator('[data-layer="layers"][data-masks="1"]').waitFor();
  await cell.locator('summary', { hasText: '1 of 1 attachment' }).waitFor();
  await page.waitForFunction(() => location.hash.includes('layer='));
  expect(await findViolations(page)).toEqual([]);
  expect(complaints).toEqual([]);
});

const GROWING = {
  uid: '2.25.903',
  name: 'Growing',
  patches: [1, 2, 3].map((slice) => ({ slice, segment: 1, top: 0, left: 0, rows: slice * slice, columns: 9 })),
};
/** The larger circle lies on the last slice. */
const TARGET = structureSetElements([
  { number: 1, name: 'Target', contours: [3, 12].map((z) => ({ points: circle([16, 16, z], 1 + z / 3, 24) })) },
]);

test.each([
  // Its most voxels are on the fourth slice.
  {
    what: 'segmentation',
    images: writeSlices(SLICES),
    named: writeSegmentation(GROWING),
    badge: 'segmentation',
    at: 3,
  },
  { what: 'structure set', images: writeSlices(SLICES), named: writeDicom(TARGET), badge: 'structure set', at: 4 },
  // The slice at z = 2, in which the centre of the dose lies.
  { what: 'dose', images: writeCt(), named: writeDose(), badge: 'volume', at: 6 },
])('a DICOM $what that --overlay names lies over its images at once, where it has most', async (given) => {
  const folder = createTempFolder();
  for (const [number, image] of given.images.entries()) writeBelow(folder, `ct/${100 + number}.dcm`, image);
  const named = writeBelow(folder, 'model.dcm', given.named);
  const server = await serveWith({ inputs: [folder], overlays: [named] });
  const { page, cell, complaints } = await openViewer(server, { position: given.at });
  await cell.locator('[data-layer="layers"][data-masks="1"]').waitFor();
  await cell.locator('summary', { hasText: `1 of 1 ${given.badge}` }).waitFor();
  await page.waitForFunction(() => location.hash.includes('layer='));
  expect(complaints).toEqual([]);
});

test('of several files that --overlay names, all that lie over the same images are shown, and copied images are none of them', async () => {
  const folder = writeFolder();
  for (const [number, slice] of writeSlices(2, { SeriesInstanceUID: '2.25.99' }).entries())
    writeBelow(folder, `out/copied${number}.dcm`, slice);
  const seg = writeBelow(folder, 'out/seg.dcm', writeSegmentation(GROWING));
  const overlays = [join(folder, 'missing.nii'), seg, join(folder, 'out'), join(folder, 'model.seg.nrrd')];
  const server = await serveWith({ inputs: [folder], overlays });
  const { cell, complaints } = await openViewer(server, { position: 3 });
  await cell.locator('[data-layer="layers"][data-masks="2"]').waitFor();
  expect(complaints).toEqual([]);
});

test('a link to an image shows that image, without what --overlay names', async () => {
  const folder = writeFolder();
  const seg = writeBelow(folder, 'seg.dcm', writeSegmentation(GROWING));
  const server = await serveWith({ inputs: [folder], overlays: [seg] });
  const { page, cell } = await openViewer(server, { address: `#cell=${sliceUid(1)},1`, position: 1 });
  await cell.locator('summary').first().waitFor();
  await showsImage(page, 1);
  expect(page.url()).not.toContain('layer=');
});
