import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { DiscoveryEntry } from '../../src/shared/contract/files.ts';
import { parseFilters } from '../../src/shared/fileFilter.ts';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { ctElements } from '../support/ctElements.ts';
import { serve, serveWith, type TestServer } from '../support/serve.ts';

/** A DICOMDIR, a file that is cut shortly after its preamble, and a text file. */
function writeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'negato-skipped-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const directory = writeDicom({ SOPClassUID: '1.2.840.10008.1.3.10', SOPInstanceUID: '2.25.7', FileSetID: 'DISC' });
  writeFileSync(join(folder, 'DICOMDIR'), directory);
  const meta = writeDicom(ctElements());
  writeFileSync(join(folder, 'cut.dcm'), meta.subarray(0, 200));
  writeFileSync(join(folder, 'notes.txt'), 'no DICOM at all, and long enough to be looked at as if it were some');
  return folder;
}

async function entriesOf(server: TestServer): Promise<Map<string, DiscoveryEntry>> {
  const { discovery }: { discovery: DiscoveryEntry[] } = await (await server.request('/api/files')).json();
  return new Map(discovery.map((entry) => [entry.path.split('/').at(-1)!, entry]));
}

test('the tags of a DICOM file that is not shown are read by the id of its entry, as far as possible', async () => {
  const server = await serve(writeFolder());
  const entries = await entriesOf(server);
  const tagsOf = async (name: string) => {
    const nodes: { keyword: string }[] = await (
      await server.request(`/api/not-shown/${entries.get(name)!.id}/tags`)
    ).json();
    return nodes.map(({ keyword }) => keyword);
  };

  expect(entries.get('DICOMDIR')).toMatchObject({ reason: 'media_directory', has_tags: true });
  expect(await tagsOf('DICOMDIR')).toContain('FileSetID');
  expect(entries.get('cut.dcm')).toMatchObject({ reason: 'dicom_parse_failed', has_tags: true });
  expect(await tagsOf('cut.dcm')).toContain('FileMetaInformationVersion');
  const { id } = entries.get('DICOMDIR')!;
  const one = await (await server.request(`/api/not-shown/${id}/tags/select?path=(0004,1130)`)).json();
  expect(one).toMatchObject({ keyword: 'FileSetID', value: { type: 'string', value: 'DISC' } });
});

test('the tags of filtered files, and of a DICOMDIR given as an input, can be read too', async () => {
  const filters = parseFilters(['Modality=MR']);
  const server = await serveWith({
    inputs: [join(writeFolder(), 'DICOMDIR'), writeDicom(ctElements())],
    catalog: { filters: filters.ok ? filters.filters : [] },
  });
  const entries = [...(await entriesOf(server)).values()];

  expect(entries.map(({ reason }) => reason)).toEqual(['media_directory', 'filter_mismatch']);
  for (const { id } of entries) expect((await server.request(`/api/not-shown/${id}/tags`)).status).toBe(200);
});

test('no other file can be read this way', async () => {
  const folder = writeFolder();
  const server = await serve(folder);
  const entries = await entriesOf(server);
  const ask = async (id: number | string) => {
    const response = await server.request(`/api/not-shown/${id}/tags`);
    const { code }: { code: string } = await response.json();
    return [response.status, code];
  };

  expect(entries.get('notes.txt')).toMatchObject({ has_tags: false });
  expect(await ask(entries.get('notes.txt')!.id)).toEqual([404, 'not_found']);
  expect(await ask(99)).toEqual([404, 'not_found']);
  expect(await ask('..%2f..%2fetc')).toEqual([400, 'bad_request']);
  // Another file has replaced the one that was scanned.
  rmSync(join(folder, 'DICOMDIR'));
  writeFileSync(join(folder, 'DICOMDIR'), writeDicom(ctElements()));
  expect(await ask(entries.get('DICOMDIR')!.id)).toEqual([404, 'file_gone']);
});
