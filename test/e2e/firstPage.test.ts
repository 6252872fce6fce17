import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { openPage } from '../support/browser.ts';
import { serve, serveWith } from '../support/serve.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';

const ATTACK = '<img src=x onerror=alert(1)><script>alert(2)</script>';

function fileLine(page: Page, name: string) {
  return page.getByRole('navigation').getByRole('treeitem', { name });
}

function writeReport(number: number, patientName = 'Doe^Jane'): Uint8Array {
  return writeDicom({
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.88.11',
    SOPInstanceUID: `1.2.826.0.1.3680043.10.6.${number}`,
    Modality: 'SR',
    PatientName: patientName,
    PatientID: `P${number}`,
    SeriesDescription: 'Report',
    StudyDate: '20240131',
  });
}

test('nothing on the page comes from another host, and nothing breaks its security policy', async () => {
  const server = await serve(writeReport(1), writeReport(2));
  const { page, complaints, requests } = await openPage();

  await page.goto(server.baseUrl);
  await fileLine(page, '1.dcm').waitFor();
  await page.getByRole('tab', { name: 'Tags' }).click();
  await page.getByRole('tree', { name: 'Tags' }).getByRole('treeitem').first().waitFor();

  expect(complaints).toEqual([]);
  expect(requests.filter((url) => !/^(data|blob):/.test(url) && !url.startsWith(`${server.baseUrl}/`))).toEqual([]);
});

test('markup in the names of files and patients is text', async () => {
  const folder = createTempFolder();
  // A file name cannot contain a slash.
  const name = ATTACK.replaceAll('/', '') + '.dcm';
  writeBelow(folder, name, writeReport(1, ATTACK));
  writeBelow(folder, `${name}.txt`, 'no DICOM');
  const server = await serve(folder);
  const { page, complaints } = await openPage();

  await page.goto(server.baseUrl);
  await fileLine(page, name).click();
  await page.locator('summary', { hasText: 'Not shown' }).click();
  await page.getByText('Not a DICOM file').click();
  await page.getByRole('tab', { name: 'Tags' }).click();
  await page.getByRole('tree', { name: 'Tags' }).getByText(ATTACK).waitFor();

  expect(await page.getByRole('treeitem', { name: ATTACK }).first().textContent()).toContain(ATTACK);
  await page.getByText(`${name}.txt`).waitFor();
  expect(await page.locator('#root img, #root script').count()).toBe(0);
  expect(complaints).toEqual([]);
});

test('the token leaves the address bar, stays with the tab, and opens the API', async () => {
  const server = await serveWith({ inputs: [writeReport(1)], server: { tokenMode: 'required' } });
  const { page, requests } = await openPage();

  await page.goto(`${server.baseUrl}/#token=${server.token}`);
  await fileLine(page, '0.dcm').waitFor();
  expect(page.url()).toMatch(new RegExp(`^${server.baseUrl}/(#cell=[^&]*)?$`));

  await page.reload();
  await fileLine(page, '0.dcm').waitFor();
  expect(requests.slice(1).filter((url) => url.includes(server.token ?? ''))).toEqual([]);
});

test('without the token the page says where to get it', async () => {
  const server = await serveWith({ scans: false, server: { tokenMode: 'required' } });
  const { page } = await openPage();

  await page.goto(server.baseUrl);

  expect(await page.getByRole('alert').textContent()).toContain('Open the complete link that negato printed');
});

test('a local file may link to the page, as the file that opens the browser does', async () => {
  const server = await serve(writeReport(1));
  const { page } = await openPage();
  const folder = createTempFolder();
  const redirect = writeBelow(
    folder,
    'open.html',
    `<script>location.replace(${JSON.stringify(`${server.baseUrl}/`)})</script>`,
  );

  await page.goto(`file://${redirect}`);

  await fileLine(page, '0.dcm').waitFor();
  expect(page.url()).toMatch(new RegExp(`^${server.baseUrl}/(#cell=[^&]*)?$`));
});
