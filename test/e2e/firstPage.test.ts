import { createServer } from 'node:http';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { writeDicom } from '../../src/server/dicom/writeDicom.ts';
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
  await page.getByRole('tree', { name: 'Tags' }).getByRole('treeitem').first().waitFor();

  expect(complaints).toEqual([]);
  expect(requests.filter((url) => !/^(data|blob):/.test(url) && !url.startsWith(`${server.baseUrl}/`))).toEqual([]);
});

test('markup in the names of files and patients is text', async () => {
  const folder = createTempFolder();
  // A slash cannot be in a file's name.
  const name = ATTACK.replaceAll('/', '') + '.dcm';
  writeBelow(folder, name, writeReport(1, ATTACK));
  writeBelow(folder, `${name}.txt`, 'no DICOM');
  const server = await serve(folder);
  const { page, complaints } = await openPage();

  await page.goto(server.baseUrl);
  await fileLine(page, name).click();
  await page.locator('summary', { hasText: 'Not shown' }).click();
  await page.getByText('Not a DICOM file').click();
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

  expect(await page.getByRole('alert').textContent()).toContain('Open the whole link that negato printed');
});

test('a local file may lead to the page, as the one does that opens the browser', async () => {
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

test('a page of another origin gets nothing out of the server, and into no frame of its own', async () => {
  const server = await serve(writeReport(1));
  const other = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end('<!doctype html><title>other</title>');
  });
  await new Promise<void>((settle) => other.listen(0, '127.0.0.1', settle));
  onTestFinished(() => {
    other.close();
    other.closeAllConnections();
  });
  const address = other.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const { page } = await openPage();
  await page.goto(`http://localhost:${port}/`);

  const outcomes = await page.evaluate(async (baseUrl) => {
    const url = `${baseUrl}/api/files`;
    const load = (element: HTMLElement, attribute: string) =>
      new Promise<string>((settle) => {
        element.addEventListener('load', () => settle('loaded'));
        element.addEventListener('error', () => settle('refused'));
        element.setAttribute(attribute, url);
        document.head.append(element);
      });
    const attempt = async (init: RequestInit) => {
      try {
        return (await (await fetch(url, init)).text()) || 'nothing to read';
      } catch {
        return 'refused';
      }
    };
    const style = document.createElement('link');
    style.rel = 'stylesheet';
    return {
      fetch: await attempt({}),
      put: await attempt({ method: 'PUT', body: '{}', headers: { 'Content-Type': 'application/json' } }),
      post: await attempt({ method: 'POST', body: '{}', mode: 'no-cors' }),
      noCors: await attempt({ mode: 'no-cors' }),
      withCredentials: await attempt({ credentials: 'include' }),
      image: await load(document.createElement('img'), 'src'),
      script: await load(document.createElement('script'), 'src'),
      style: await load(style, 'href'),
    };
  }, server.baseUrl);

  expect(outcomes).toEqual({
    fetch: 'refused',
    put: 'refused',
    post: 'refused',
    noCors: 'refused',
    withCredentials: 'refused',
    image: 'refused',
    script: 'refused',
    style: 'refused',
  });
  await page.evaluate((baseUrl) => {
    const frame = document.createElement('iframe');
    frame.src = `${baseUrl}/`;
    document.body.append(frame);
    return new Promise((settle) => frame.addEventListener('load', settle));
  }, server.baseUrl);
  expect(await page.frames()[1]?.locator('#root').count()).toBe(0);
});
