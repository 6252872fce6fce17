import { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { writeCt, writeDose } from '../support/fieldFiles.ts';
import { serveWith } from '../support/serve.ts';
import { SLICE_UID, writeSlice } from '../support/sliceFiles.ts';
import { circle, structureSetElements } from '../support/structureSetElements.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';

/** Long enough for a busy machine; nothing is said about how long it takes. */
const SOON = { timeout: 60_000, interval: 100 };

const WAYS = [
  ['reported by the system', undefined],
  ['found by looking', 100],
] as const;

/** The paths below `folder` of all files that are shown and not gone, sorted, and what else the list says. */
async function watch(
  { folder, inputs = [folder], isDicomweb = false }: { folder: string; inputs?: string[]; isDicomweb?: boolean },
  pollMs?: number,
) {
  const server = await serveWith({ inputs, catalog: { watch: { pollMs } }, dicomweb: isDicomweb });
  return {
    server,
    shown: () => {
      const { files, goneFiles } = server.catalog.snapshot();
      const present = files.filter(({ index }) => !goneFiles.includes(index));
      return present.map(({ path }) => path.slice(folder.length + 1)).toSorted();
    },
  };
}

function writeStudy(files: Readonly<Record<string, number>>): string {
  const folder = createTempFolder();
  for (const [path, number] of Object.entries(files)) writeBelow(folder, path, writeSlice({ number }));
  return folder;
}

test.each(WAYS)('a renamed folder is listed by its new name, with the folders in it, %s', async (_how, pollMs) => {
  const folder = writeStudy({ 'b/1': 1, 'b/deep/2': 2, 'kept/3': 3 });
  const { shown, server } = await watch({ folder }, pollMs);
  expect(shown()).toEqual(['b/1', 'b/deep/2', 'kept/3']);

  // Once to a name that is listed after the old one, once to one that is listed before.
  renameSync(join(folder, 'b'), join(folder, 'c'));
  await expect.poll(shown, SOON).toEqual(['c/1', 'c/deep/2', 'kept/3']);
  renameSync(join(folder, 'c'), join(folder, 'a'));
  await expect.poll(shown, SOON).toEqual(['a/1', 'a/deep/2', 'kept/3']);

  // What comes into it afterwards is noticed, and it can be shown.
  writeBelow(folder, 'a/deep/4', writeSlice({ number: 4 }));
  await expect.poll(shown, SOON).toEqual(['a/1', 'a/deep/2', 'a/deep/4', 'kept/3']);
  const { index } = server.catalog.files.findLast(({ path }) => path.endsWith('a/deep/2'))!;
  expect((await server.request(`/api/file/${index}/frame/0`)).status).toBe(200);
});

test.each(WAYS)(
  'a folder that is moved into another, away and back is listed where it is, %s',
  async (_how, pollMs) => {
    const folder = writeStudy({ 'a/1': 1, 'z/2': 2 });
    const elsewhere = createTempFolder();
    const { shown } = await watch({ folder }, pollMs);

    renameSync(join(folder, 'a'), join(folder, 'z/a'));
    await expect.poll(shown, SOON).toEqual(['z/2', 'z/a/1']);
    renameSync(join(folder, 'z/a'), join(folder, 'a'));
    await expect.poll(shown, SOON).toEqual(['a/1', 'z/2']);

    renameSync(join(folder, 'a'), join(elsewhere, 'a'));
    await expect.poll(shown, SOON).toEqual(['z/2']);
    renameSync(join(elsewhere, 'a'), join(folder, 'a'));
    await expect.poll(shown, SOON).toEqual(['a/1', 'z/2']);
  },
);

test.each(WAYS)(
  'folders that exchange their names, or take that of a removed one, are followed, %s',
  async (_, pollMs) => {
    const folder = writeStudy({ 'a/1': 1, 'b/2': 2 });
    const { shown } = await watch({ folder }, pollMs);

    renameSync(join(folder, 'a'), join(folder, 'x'));
    renameSync(join(folder, 'b'), join(folder, 'a'));
    renameSync(join(folder, 'x'), join(folder, 'b'));
    await expect.poll(shown, SOON).toEqual(['a/2', 'b/1']);

    // The new folder may have the inode of the old one, but not its watch.
    rmSync(join(folder, 'a'), { recursive: true });
    mkdirSync(join(folder, 'a'));
    await expect.poll(shown, SOON).toEqual(['b/1']);
    writeBelow(folder, 'a/3', writeSlice({ number: 3 }));
    await expect.poll(shown, SOON).toEqual(['a/3', 'b/1']);
  },
);

test.each(WAYS)('a named folder, and one above it, can be renamed and come back, %s', async (_how, pollMs) => {
  const folder = writeStudy({ 'above/named/1': 1 });
  const { shown } = await watch({ folder, inputs: [join(folder, 'above/named')] }, pollMs);

  for (const moved of ['above/named', 'above']) {
    renameSync(join(folder, moved), join(folder, 'away'));
    await expect.poll(shown, SOON).toEqual([]);
    renameSync(join(folder, 'away'), join(folder, moved));
    await expect.poll(shown, SOON).toEqual(['above/named/1']);
  }
});

test.each(WAYS)('what two paths lead to is listed by the one that remains, %s', async (_how, pollMs) => {
  const folder = writeStudy({ 'real/1': 1, file: 2 });
  // Both come first in the order of the walk.
  symlinkSync(join(folder, 'real'), join(folder, 'a-link'));
  symlinkSync(join(folder, 'file'), join(folder, 'a-file'));
  const { shown } = await watch({ folder }, pollMs);
  expect(shown()).toEqual(['a-file', 'a-link/1']);

  unlinkSync(join(folder, 'a-link'));
  await expect.poll(shown, SOON).toEqual(['a-file', 'real/1']);
  unlinkSync(join(folder, 'a-file'));
  await expect.poll(shown, SOON).toEqual(['file', 'real/1']);
});

test.each(WAYS)('a link whose target goes and comes back is followed, %s', async (_how, pollMs) => {
  const folder = createTempFolder();
  const elsewhere = writeStudy({ 'data/1': 1, 'other/2': 2 });
  symlinkSync(join(elsewhere, 'data'), join(folder, 'link'));
  const { shown } = await watch({ folder }, pollMs);
  expect(shown()).toEqual(['link/1']);

  renameSync(join(elsewhere, 'data'), join(elsewhere, 'away'));
  await expect.poll(shown, SOON).toEqual([]);
  renameSync(join(elsewhere, 'other'), join(elsewhere, 'data'));
  await expect.poll(shown, SOON).toEqual(['link/2']);
  writeBelow(elsewhere, 'data/3', writeSlice({ number: 3 }));
  await expect.poll(shown, SOON).toEqual(['link/2', 'link/3']);
});

test('DICOMweb finds the instances of a renamed folder, once each, and no longer those that have vanished', async () => {
  const folder = writeStudy({ 'a/1': 1, 'a/2': 2, 'b/3': 3 });
  const { server, shown } = await watch({ folder, isDicomweb: true }, 100);
  const search = async () => {
    const response = await server.request('/dicomweb/instances');
    const found: Record<string, { Value: [number] }>[] = await response.json();
    // Instance Number
    return { numbers: found.map((one) => one['00200013']?.Value[0]), warning: response.headers.get('warning') };
  };
  expect(await search()).toEqual({ numbers: [2, 3, 4], warning: null });

  renameSync(join(folder, 'a'), join(folder, 'z'));
  rmSync(join(folder, 'b/3'));
  await expect.poll(shown, SOON).toEqual(['z/1', 'z/2']);
  await expect.poll(search, SOON).toEqual({ numbers: [2, 3], warning: null });

  renameSync(join(folder, 'z'), join(folder, 'a'));
  await expect.poll(shown, SOON).toEqual(['a/1', 'a/2']);
  await expect.poll(search, SOON).toEqual({ numbers: [2, 3], warning: null });
});

test('what names an image leads to where it was moved, and not to where it was', async () => {
  const folder = writeStudy({ 'a/1': 1 });
  const { sopInstanceUid, sopClassUid } = {
    sopClassUid: '1.2.840.10008.5.1.4.1.1.2',
    sopInstanceUid: `${SLICE_UID}.1.2`,
  };
  const reference = { ReferencedSOPClassUID: sopClassUid, ReferencedSOPInstanceUID: sopInstanceUid };
  const derived = { SOPInstanceUID: '2.25.9', SeriesInstanceUID: '2.25.8', SourceImageSequence: [reference] };
  writeBelow(folder, 'derived.dcm', writeSlice({ number: 5 }, derived));
  const { server, shown } = await watch({ folder }, 100);
  const matches = async () => {
    const index = server.catalog.files.find((file) => file.sopInstanceUid === '2.25.9')?.index;
    const { references } = await (await server.request(`/api/file/${index}/references`)).json();
    const { matches: found }: { matches: { file_index: number }[] } = references[0];
    return found.map(({ file_index }) => server.catalog.files[file_index]?.path.slice(folder.length + 1));
  };
  expect(await matches()).toEqual(['a/1']);

  renameSync(join(folder, 'a'), join(folder, 'z'));
  await expect.poll(shown, SOON).toEqual(['derived.dcm', 'z/1']);

  expect(await matches()).toEqual(['z/1']);
});

test('layers that were moved are offered once, from where they are', async () => {
  const folder = createTempFolder();
  for (const [at, slice] of writeCt().entries()) writeBelow(folder, `ct/${at}`, slice);
  writeBelow(folder, 'm/dose', writeDose());
  writeBelow(
    folder,
    'm/structures',
    writeDicom(structureSetElements([{ number: 1, name: 'Disk', contours: [{ points: circle([0, 0, 2], 9) }] }])),
  );
  const { server, shown } = await watch({ folder }, 100);
  const paths = async () => {
    const { layers } = await (await server.request('/api/layers?file=0&frame=0')).json();
    return layers.map(({ layer }: { layer: number }) => server.catalog.files[layer]?.path.slice(folder.length + 1));
  };
  const open = await paths();
  expect(open.toSorted()).toEqual(['m/dose', 'm/structures']);

  renameSync(join(folder, 'm'), join(folder, 'z'));
  await expect.poll(() => shown().slice(-2), SOON).toEqual(['z/dose', 'z/structures']);

  await expect.poll(async () => (await paths()).toSorted(), SOON).toEqual(['z/dose', 'z/structures']);
});
