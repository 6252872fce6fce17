import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { ctRow } from '../support/imageElements.ts';
import { createTempFolder } from '../support/tempFolder.ts';
import { type NegatoOptions, runNegato } from './negatoProcess.ts';

/** The parameters of `view` in dcmview-py 0.4.1, as its callers pass them. */
type View = {
  readonly files: readonly string[];
  readonly port?: number;
  readonly host?: string;
  readonly browser?: boolean;
  readonly recursive?: boolean;
  readonly timeout?: number;
  readonly annotations?: string;
  readonly filters?: readonly string[];
  readonly vscodeBridge?: boolean;
};

/** The command line that dcmview-py builds from these parameters, word by word. */
function commandLine(given: View): string[] {
  return [
    ...(given.vscodeBridge === false ? [] : ['--vscode-bridge-client', 'dcmview_py']),
    '--port',
    String(given.port ?? 0),
    '--host',
    given.host ?? '127.0.0.1',
    '--startup-json',
    ...(given.browser === true ? [] : ['--no-browser']),
    ...(given.timeout === undefined ? [] : ['--timeout', String(given.timeout)]),
    ...(given.recursive === false ? ['--no-recursive'] : []),
    ...(given.annotations === undefined ? [] : ['--annotations', given.annotations]),
    ...(given.filters ?? []).flatMap((filter) => ['--filter', filter]),
    ...given.files,
  ];
}

type Event = { type: string; url?: unknown; base_url?: unknown; token?: unknown; file_count?: number };

/** Acts as its monitor does: lines of stdout that start with a brace are events, up to the one that ends the scan. */
async function view(parameters: View, options: NegatoOptions = {}) {
  const negato = await runNegato(commandLine(parameters), options);
  await negato.waitFor('stdout', /"type":"scan_complete".*\n/);
  const lines = negato.output.stdout.split('\n').filter((line) => line.startsWith('{'));
  const events = lines.map((line): Event => JSON.parse(line));
  const [started, scanned] = events;
  const headers = typeof started?.token === 'string' ? { Authorization: `Bearer ${started.token}` } : {};
  return {
    negato,
    started,
    scanned,
    get: (path: string) => fetch(`${String(started?.base_url)}${path}`, { headers }),
    /** `handle.stop()`: sends the signal of Ctrl+C. Resolves with the exit code. */
    stop: async () => {
      negato.signal('SIGINT');
      return (await negato.exit).code;
    },
  };
}

async function createStudy(): Promise<string> {
  const folder = createTempFolder();
  const of = { StudyInstanceUID: '2.25.7', SeriesInstanceUID: '2.25.8', PatientID: 'phantom' };
  await writeFile(join(folder, 'ct.dcm'), writeDicom(ctRow({ ...of, BurnedInAnnotation: 'YES' })));
  await writeFile(join(folder, 'mr.dcm'), writeDicom(ctRow({ ...of, SOPInstanceUID: '2.25.9', Modality: 'MR' })));
  return folder;
}

describe('the Python client of dcmview, with negato as its binary', () => {
  test('learns the address and the end of the scan from stdout, and stops with exit code 0', async () => {
    const { started, scanned, negato, get, stop } = await view({ files: [await createStudy()], timeout: 300 });

    expect(started).toMatchObject({ type: 'server_started', token: null, protocol: 1 });
    expect(started?.url).toBe(`${String(started?.base_url)}/`);
    expect(scanned).toMatchObject({ type: 'scan_complete', file_count: 2 });
    expect(negato.output.stdout).not.toMatch(/^[^{\n]*\{.*\}.+$/m);
    expect((await get('/api/health')).status).toBe(200);
    expect(await stop()).toBe(0);
  });

  test('opens the files that match filters with the field names of dcmview', async () => {
    const folder = await createStudy();
    const filters = ['study_uid=2.25.7', 'series_uid=2.25.8', 'patient_id=phantom', 'Modality=CT'];
    const { get, stop } = await view({ files: [folder], filters, recursive: false, vscodeBridge: false });

    const { files }: { files: object[] } = await (await get('/api/files')).json();

    expect(files).toMatchObject([{ modality: 'CT', burned_in_annotation: true }]);
    expect(await stop()).toBe(0);
  });

  test('loads its CSV of ROIs', async () => {
    const folder = await createStudy();
    const csv = join(folder, 'rois.csv');
    await writeFile(csv, `anon_dicom_path,num_ROI,ROI_coords\n${join(folder, 'ct.dcm')},1,"[[0, 0, 1, 2]]"\n`);
    const { get, stop } = await view({ files: [join(folder, 'ct.dcm')], annotations: csv });

    expect(await (await get('/api/file/0/annotations')).json()).toMatchObject({ roi_coords: [[0, 0, 1, 2]] });
    expect(await stop()).toBe(0);
  });

  test('stops by itself after its timeout without a request', async () => {
    const { negato } = await view({ files: [await createStudy()], timeout: 1 });
    expect((await negato.exit).code).toBe(0);
  });

  test('may fix the token by the variable of dcmview, and ask for it', async () => {
    const token = 'a.fixed_token-of~more.than-thirty_two.characters';
    const options = { env: { DCMVIEW_TOKEN: token, DCMVIEW_VSCODE_BYPASS: '1' } };
    const { started, get } = await view({ files: ['--token', await createStudy()] }, options);

    expect(started).toMatchObject({ token, url: `${String(started?.base_url)}/#token=${token}` });
    expect((await get('/api/health')).status).toBe(200);
    expect((await fetch(`${String(started?.base_url)}/api/health`)).status).toBe(401);
  });

  test('sees a wrong call by its exit code', async () => {
    const missing = await runNegato(commandLine({ files: ['/no/such/file'] }));
    expect((await missing.exit).code).toBe(1);
    const odd = await runNegato(commandLine({ files: ['.'], filters: ['nonsense'] }));
    expect((await odd.exit).code).toBe(2);
  });

  test('can limit the caches as dcmview does', async () => {
    const { get, stop } = await view({ files: ['--cache-budget', '16MiB', await createStudy()] });
    expect((await get('/api/file/0/frame/0')).status).toBe(200);
    expect(await stop()).toBe(0);
  });
});
