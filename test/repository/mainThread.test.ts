import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { buildServer } from '../../scripts/build.mjs';

/** Everything that turns bytes of a DICOM file into values or samples. */
const READERS =
  /src\/server\/(?:standard\/dicom\/(?:dataSet|elementCursor|headerScanner|inflatedSource|readDataSet|readElements)|images\/pixels\/decodeFrame)\.ts$/;

/** The modules of the bundle that a thread runs. */
async function modulesOf(entry: string): Promise<string[]> {
  const outdir = mkdtempSync(join(tmpdir(), 'negato-bundle-'));
  onTestFinished(() => rmSync(outdir, { recursive: true }));
  return [...(await buildServer({ outdir, entries: [entry] }))];
}

test.each(['negato', 'series.worker', 'table.worker'])(
  'the code of %s reads no content of a file, because nothing survives the end of its thread',
  async (entry) => {
    const modules = await modulesOf(entry);
    expect(modules).toContain('src/server/bytes/origins/origin.ts');
    expect(modules.filter((module) => READERS.test(module))).toEqual([]);
  },
);

test('the threads that may die read the content of files', async () => {
  const modules = [...(await modulesOf('worker')), ...(await modulesOf('scan.worker'))];
  const readers = new Set(modules.filter((module) => READERS.test(module)));
  // The pattern would otherwise match nothing and the test above could not fail.
  expect([...readers].map((module) => module.replace('src/server/', '')).toSorted()).toEqual([
    'images/pixels/decodeFrame.ts',
    'standard/dicom/dataSet.ts',
    'standard/dicom/elementCursor.ts',
    'standard/dicom/headerScanner.ts',
    'standard/dicom/inflatedSource.ts',
    'standard/dicom/readDataSet.ts',
    'standard/dicom/readElements.ts',
  ]);
});
