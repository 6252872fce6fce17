import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startNegato } from '../cli/negatoProcess.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';
import { writeImage } from '../support/writeImage.ts';

const HEADER = 'anon_dicom_path,ROI_coords\n';

test('--annotations resolves paths from the folder in which the command was started', async () => {
  const cwd = createTempFolder();
  for (const name of ['1.dcm', '2.dcm']) writeBelow(cwd, `scans/${name}`, writeImage());
  const rows = './scans/../scans/1.dcm,"[[1,2,3,4]]"\nscans\\2.dcm,"[[5,6,7,8]]"\nscans/3.dcm,?\n';
  const csv = writeBelow(cwd, 'rois.csv', HEADER + rows);

  const negato = await startNegato(['--annotations', 'rois.csv', 'scans'], { cwd });
  await negato.waitFor('stderr', /negato: imported annotations of 2 files; no open file matches 1 row\n/);
  const response = await fetch(`${negato.started.base_url}/api/annotations/export.csv`);

  expect(await response.text()).toBe(
    `anon_dicom_path,num_ROI,ROI_coords,ROI_frames\n` +
      `${join(cwd, 'scans/1.dcm')},1,"[[1,2,3,4]]",[]\n${join(cwd, 'scans/2.dcm')},1,"[[5,6,7,8]]",[]\n`,
  );
  expect(readFileSync(csv, 'utf8')).toBe(HEADER + rows);
});

test('a CSV that cannot be imported is named on stderr, with line, column and reason, and the files stay open', async () => {
  const cwd = createTempFolder();
  writeBelow(cwd, 'scans/1.dcm', writeImage());
  writeBelow(cwd, 'rois.csv', `${HEADER}scans/3.dcm,?\n\nscans/1.dcm,"[[1,2,3]]"\n`);

  const negato = await startNegato(['--annotations', 'rois.csv', 'scans'], { cwd });
  await negato.waitFor(
    'stderr',
    /error: no annotations were imported: rois\.csv: line 4, column ROI_coords: ROI 0: a box must be four numbers/,
  );
  const response = await fetch(`${negato.started.base_url}/api/files`);

  expect(await response.json()).toMatchObject({ scanned: 1, annotations: { import_state: 'failed' } });
});
