import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { ctElements } from '../support/ctElements.ts';
import { encodeRle } from '../support/encodeRle.ts';
import { serveObjects } from '../support/objectServer.ts';
import { serveWith, type TestServer } from '../support/serve.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';
import { readToldOfFiles } from '../support/toldOfFiles.ts';

/** By their paths below the root. */
function readAll(server: TestServer, root: string) {
  return readToldOfFiles(server, ({ path }) => decodeURIComponent(path.replace(root, '')));
}

function image(number: number, more: object = {}) {
  return ctElements({ SOPInstanceUID: `2.25.${number}`, ...more });
}

/** Files that are read in different ways: in one range, in several, by frames, inflated, and none at all. */
function writeStudy(): string {
  const folder = createTempFolder();
  writeBelow(folder, 'a/one.dcm', writeDicom(image(1)));
  writeBelow(folder, 'a/with space + plus & [1].dcm', writeDicom(image(2)));
  writeBelow(folder, 'ünïcode/#3?.dcm', writeDicom(image(3)));
  // Elements after a value of 200,000 bytes: the header goes on in a second range.
  const long = { '00091010': { vr: 'OB', value: new Uint8Array(200_000) }, ContentDate: '20240202' };
  writeBelow(folder, 'a/long header.dcm', writeDicom(image(4, long)));
  const samples = Uint16Array.from({ length: 6 * 256 * 256 }, (_, i) => (i * 2654435761) & 0xfff);
  const frames = { Rows: 256, Columns: 256, NumberOfFrames: '6' };
  writeBelow(folder, 'b/frames.dcm', writeDicom(image(5, { ...frames, PixelData: samples })));
  const stream = encodeRle(new Uint8Array(samples.buffer, 0, 2 * 256 * 256), 2, 1);
  const rle = { Rows: 256, Columns: 256, PixelData: { fragments: [stream] } };
  writeBelow(folder, 'b/rle.dcm', writeDicom(image(6, rle), { transferSyntaxUid: '1.2.840.10008.1.2.5' }));
  writeBelow(folder, 'b/deflated.dcm', writeDicom(image(7), { transferSyntaxUid: '1.2.840.10008.1.2.1.99' }));
  writeBelow(folder, 'b/cut.dcm', writeDicom(image(8)).subarray(0, 300));
  writeBelow(folder, 'empty.dcm', '');
  writeBelow(folder, 'notes.md', 'This is no DICOM file.');
  return folder;
}

test('the same folder as local files, from object storage and from a web server gives the same records, tags and frames', async () => {
  const folder = writeStudy();
  const objects = await serveObjects(folder, { pageSize: 3 });
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name).slice(folder.length + 1)] : [],
  );
  const links = names.map((name) => name.split('/').map(encodeURIComponent).join('/'));
  const local = await serveWith({ inputs: [folder] });
  const expected = await readAll(local, `${folder}/`);
  const skipped = local.catalog.skippedByReason();
  expect(expected.size).toBe(7);
  expect(skipped).toEqual(
    new Map([
      ['dicom_parse_failed', 1],
      ['not_dicom', 2],
    ]),
  );

  const bucket = await serveWith({ inputs: ['s3://bucket/'], remote: { endpoint: objects.url } });
  expect(await readAll(bucket, 's3://bucket/')).toEqual(expected);
  expect(bucket.catalog.skippedByReason()).toEqual(skipped);

  const web = await serveWith({ inputs: [`${objects.url}/web/`], remote: {} });
  expect(await readAll(web, `${objects.url}/web/`)).toEqual(expected);
  expect(web.catalog.skippedByReason()).toEqual(skipped);

  writeBelow(folder, 'list.txt', `# a list\n${links.join('\n')}\n`);
  const listed = await serveWith({ inputs: [`${objects.url}/web/list.txt`], remote: {} });
  expect(listed.catalog.files.map(({ fileBytes }) => fileBytes).toSorted((a, b) => a - b)).toEqual(
    local.catalog.files.map(({ fileBytes }) => fileBytes).toSorted((a, b) => a - b),
  );
  expect(readFileSync(join(folder, 'notes.md'), 'utf8')).toBe('This is no DICOM file.');
  expect(objects.requests.every(({ method }) => method === 'GET')).toBe(true);
});
