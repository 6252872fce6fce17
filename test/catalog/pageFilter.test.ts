import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseArguments } from '../../src/cli/arguments.ts';
import { checkStart } from '../../src/cli/checkStart.ts';
import { parseIndexArguments } from '../../src/cli/indexArguments.ts';
import { toSettings } from '../../src/cli/settings.ts';
import { createTerminal } from '../../src/cli/terminal.ts';
import { writeIndex } from '../../src/cli/writeIndex.ts';
import { createCatalog } from '../../src/server/images/catalog/catalog.ts';
import { openIndexes } from '../../src/server/images/catalog/openIndex.ts';
import { createMemoryAccount } from '../../src/server/machine/memory/memoryAccount.ts';
import { type DataSetInput, writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import type { FilesResponse } from '../../src/shared/contract/files.ts';
import { findByFilter } from '../../src/web/find/files/findByFilter.ts';
import { runToEnd } from '../../src/web/kit/ui/runInSlices.ts';
import { borrowThreads } from '../support/borrowThreads.ts';
import { ctElements } from '../support/ctElements.ts';
import { serve } from '../support/serve.ts';
import { createTempFolder } from '../support/tempFolder.ts';

function createStudy(): string {
  const folder = createTempFolder();
  const write = (name: string, elements: DataSetInput) => writeFileSync(join(folder, name), writeDicom(elements));
  write('a.dcm', ctElements({ SOPInstanceUID: '1.2.1', SeriesNumber: '07', WindowCenter: '40', WindowWidth: '400' }));
  write(
    'b.dcm',
    ctElements({ SOPInstanceUID: '1.2.2', Modality: 'MR', PatientName: "O'Neil^Ann", Rows: 1, Columns: 2 }),
  );
  write(
    'c.dcm',
    ctElements({ SOPInstanceUID: '1.2.3', Modality: 'PT', PixelSpacing: ['0.5', '0.7'], SeriesNumber: '12' }),
  );
  write('d.dcm', ctElements({ SOPInstanceUID: '1.2.4', NumberOfFrames: '3', Rows: 1, Columns: 2, PatientID: '' }));
  write('e.dcm', {
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.88.11',
    SOPInstanceUID: '1.2.5',
    Modality: 'SR',
    SeriesDescription: 'Findings_1',
    StudyDate: '20240131',
  });
  return folder;
}

/** What the command opens, by name. */
async function openByCommand(folder: string, ...words: readonly string[]): Promise<string[]> {
  const command = parseArguments(words);
  if (command.kind !== 'open') throw new Error('not a command that opens files');
  const { indexes, filters } = await checkStart(toSettings(command.given, {}));
  if (indexes === undefined) throw new Error('there is no index');
  const memory = createMemoryAccount();
  const tasks = borrowThreads(memory);
  onTestFinished(() => tasks.close());
  const known = (signal: AbortSignal) =>
    openIndexes(indexes, { tasks, filters, places: [], onTrouble: () => undefined, signal });
  const catalog = createCatalog({ inputs: [], memory, known });
  catalog.start();
  await catalog.scanComplete;
  return catalog.files.map(({ path }) => path.slice(folder.length + 1)).toSorted();
}

test('the filter of the page lists the same files as --where and --filter', async () => {
  const folder = createStudy();
  const out = join(createTempFolder(), 'index.parquet');
  const silent = { write: () => undefined, on: () => undefined };
  const given = parseIndexArguments([folder, '--out', out]);
  if (given === undefined) throw new Error('only the help is wanted');
  await writeIndex(given, createTerminal({ stdout: silent, stderr: silent }, 'info'));
  const server = await serve(folder);
  const { files }: FilesResponse = await (await server.request('/api/files')).json();
  const onPage = (text: string) =>
    runToEnd(findByFilter(files, text))
      .files.map(({ path }) => path.slice(folder.length + 1))
      .toSorted();

  const conditions = [
    "Modality='MR'",
    "modality <> 'CT' and Rows is not null",
    "not (Modality='CT' or Modality='PT')",
    "PatientName like 'O''%'",
    "PatientID is null or SeriesDescription like 'Findings__'",
    "PatientID = ''",
    'SeriesNumber = 7',
    "series_number = '07' or SeriesNumber > 10",
    'SeriesNumber is null',
    'Rows < 10 and Columns between 1 and 2',
    'frame_count > 1',
    'frame_count = 0',
    'bits_stored is null',
    "StudyDate >= '2024'",
    'pixel_spacing_mm_row < 0.6',
    'default_window_center = 40',
    'has_pixels = false',
    'frame_count=3',
    'has_pixels=true and Rows=1',
    "object_kind in ('classic_image', 'enhanced_image')",
    'file_bytes > 100 and samples_per_pixel = 1',
    "SOPInstanceUID = '1.2.3'",
    "Modality = 'none'",
  ];
  // Without quotes, `true` and numbers are compared, as by --where.
  const filters = ['Modality=t', 'patient_name=neil', 'object_kind=report'];
  const asked = [
    ...conditions.map((text) => ['--where', text] as const),
    ...filters.map((text) => ['--filter', text] as const),
  ];
  const opened: (readonly [string, string[]])[] = [];
  for (const [flag, text] of asked) opened.push([text, await openByCommand(folder, '--index', out, flag, text)]);
  expect(asked.map(([, text]) => [text, onPage(text)])).toEqual(opened);
  // Each of them chooses some files and not all, but the last condition.
  expect(opened.filter(([, found]) => found.length === 0)).toEqual([["Modality = 'none'", []]]);
});
