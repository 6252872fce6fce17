import { expect, test } from 'vitest';
import { findViolationsInBoth } from '../support/axe.ts';
import { serveWith } from '../support/serve.ts';
import { writeSlice } from '../support/sliceFiles.ts';
import { openViewer } from '../support/viewerPage.ts';

/** Slices of 2 mm, of which number 3 is missing in series 1. */
const FILES = [
  ...[0, 1, 2, 4, 5].map((number) => writeSlice({ number, series: 1 })),
  ...[0, 1, 2].map((number) => writeSlice({ number, series: 2 })),
];

test('audits run in the page, a finding opens its files, and the table and the gallery have what was found', async () => {
  const server = await serveWith({ inputs: FILES });
  const { page, complaints } = await openViewer(server);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('Audits');
  await page.getByRole('option', { name: /^Command ?Audits/ }).click();
  await page.getByText('changes nothing').waitFor();
  await page.waitForURL(/cohort=audits/);
  for (const name of ['Protocol', 'Duplicates', 'Completeness', 'Burned-in text'])
    await page.getByRole('checkbox', { name }).uncheck();
  await page.getByRole('button', { name: 'Run' }).click();

  const geometry = page.getByRole('region', { name: 'Geometry' });
  await geometry.getByText(/^[1-9].* in 8 files/).waitFor();
  await geometry.getByText('Slices are missing between others').waitFor();
  await page
    .getByRole('region', { name: 'Identifiers' })
    .getByText(/ in 8 files/)
    .waitFor();
  await page.getByRole('region', { name: 'Protocol' }).waitFor({ state: 'detached' });
  expect(await findViolationsInBoth(page)).toEqual([]);

  await geometry.getByRole('listitem').first().getByRole('button').first().click();
  await page.locator('[data-cell="0"]').getByText('#1 Series 1').waitFor();
  await page.locator('[data-cell="0"]').focus();
  await page.keyboard.press('Escape');
  await geometry.waitFor();

  await page.getByRole('button', { name: 'Gallery', exact: true }).click();
  const [first, second] = [/Series 1/, /Series 2/].map((name) => page.getByRole('gridcell', { name }));
  await first!.getByText(/^Findings: .*slice missing/).waitFor();
  expect(await second!.getByText(/slice missing/).count()).toBe(0);
  expect(complaints).toEqual([]);
});

test('an audit can be cancelled, and what it cannot do it says', async () => {
  const server = await serveWith({ inputs: FILES });
  const { page } = await openViewer(server, { address: '#cohort=audits.series;where=Modality%3D%27CT%27' });
  let held = 0;
  await page.route('**/api/audit/**', (route) => {
    held += 1;
    // The first one never ends by itself.
    return held === 1 ? undefined : route.fulfill({ status: 503, json: { code: 'busy', error: 'the server is busy' } });
  });
  await page.getByRole('button', { name: 'Run' }).click();
  const geometry = page.getByRole('region', { name: 'Geometry' });
  await geometry.getByText('is running').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await geometry.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Run' }).click();
  await geometry.getByText('the server is busy').waitFor();
  // The first, which was cancelled, and all of the second run but the one that decodes every frame.
  await expect.poll(() => held).toBe(1 + 6);
});
