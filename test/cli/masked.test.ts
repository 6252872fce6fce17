import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { ctRow } from '../support/imageElements.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';
import { writeZip } from '../support/writeArchive.ts';
import { runNegato, startNegato } from './negatoProcess.ts';

test.each(['debug', 'info'])(
  'the terminal of a masked run with --log-level %s shows no path and no value',
  async (level) => {
    const folder = createTempFolder();
    const image = writeDicom({
      ...ctRow(),
      PatientName: 'ZZNAMEZZ',
      PatientID: 'ZZIDZZ',
      SeriesDescription: 'ZZSERIESZZ',
    });
    const write = (name: string, bytes: Uint8Array | string) => writeBelow(folder, `ZZFOLDERZZ/${name}`, bytes);
    write('ZZGOODZZ.dcm', image);
    write('ZZSHORTZZ.dcm', image.subarray(0, 300));
    write('ZZTEXTZZ.dcm', 'ZZCONTENTZZ');
    write('ZZARCHIVEZZ.zip', writeZip([{ name: 'ZZMEMBERZZ.dcm', bytes: image.subarray(0, 200) }]));
    write('ZZBADZIPZZ.zip', 'PK\u0003\u0004 ZZZIPZZ');
    write('ZZARRAYZZ.nrrd', 'NRRD0004\ntype: ZZTYPEZZ\n\n');
    write('ZZARRAYZZ.npy', 'ZZARRAYZZ');
    const csv = write('ZZROISZZ.csv', 'anon_dicom_path,ROI_coords,num_roi\nZZROWZZ,"ZZBOXZZ",1\n');
    const overlay = write('ZZOVERLAYZZ.nii', 'ZZNIFTIZZ');
    const negato = await startNegato(
      ['--mask', '--log-level', level, '--annotations', csv, '--overlay', overlay, folder],
      { env: { XDG_STATE_HOME: writeBelow(folder, 'ZZSTATEZZ', 'no folder') } },
    );
    const { base_url: baseUrl, token } = negato.started;
    const request = (path: string) =>
      fetch(`${baseUrl}${path}`, { headers: token === null ? {} : { Authorization: `Bearer ${token}` } });
    const isComplete = async () => (await (await request('/api/files')).json()).scan_complete;
    await expect.poll(isComplete, { timeout: 60_000 }).toBe(true);
    expect((await (await request('/api/health')).json()).masked).toBe(true);
    for (const path of ['tags', 'info', 'frame/0', 'frame/9', 'volume', 'segmentation']) {
      for (const file of [0, 1, 2]) await (await request(`/api/file/${file}/${path}`)).arrayBuffer();
    }
    await (await request('/api/layers?file=0&frame=0')).arrayBuffer();
    writeBelow(folder, 'ZZFOLDERZZ/ZZGOODZZ.dcm', 'ZZCHANGEDZZ');
    for (const path of ['tags', 'info', 'frame/0']) await (await request(`/api/file/0/${path}`)).arrayBuffer();
    negato.signal('SIGTERM');
    await negato.exit;

    const { stdout, stderr } = negato.output;
    const shown = `${stdout}\n${stderr}`;
    expect(shown.match(/ZZ[A-Z]+ZZ/g) ?? []).toEqual([]);
    expect(shown).not.toContain(folder);
  },
  120_000,
);

test('a masked run that cannot begin with its CSV does not quote it', async () => {
  const csv = writeBelow(createTempFolder(), 'rois.csv', 'ZZCOLUMNZZ\nZZROWZZ\n');
  const image = writeBelow(createTempFolder(), 'a.dcm', writeDicom(ctRow()));
  const negato = await runNegato(['--mask', '--no-browser', '--annotations', csv, image]);

  expect((await negato.exit).code).toBe(1);
  expect(negato.output.stderr).toContain('--annotations');
  expect(negato.output.stderr).not.toMatch(/ZZ(?:COLUMN|ROW)ZZ/);
});
