import { expect, test } from 'vitest';
import { openMeasuring, writeRamp } from '../support/measuring.ts';
import { serve } from '../support/serve.ts';
import { showsImage } from '../support/viewerPage.ts';

const SLOW = { timeout: 30_000 };

test('after a reload, marks on images that are not on screen are listed with their values', async () => {
  const uid = '1.2.826.0.1.3680043.10.71';
  const server = await serve(
    ...[1, 2].map((number) => writeRamp({ SOPInstanceUID: `${uid}.${number}`, InstanceNumber: String(number) })),
  );
  const place = { type: 'frame', file_index: 1, frame_index: 0 };
  const box = [
    [20, 20],
    [30, 40],
  ];
  for (const [kind, points] of [
    ['length', box],
    ['box', box],
    ['point', [[25.5, 30.5]]],
    ['angle', [...box, [30, 20]]],
  ] as const) {
    const headers = { 'Content-Type': 'application/json' };
    await server.request('/api/marks', { method: 'POST', headers, body: JSON.stringify({ kind, place, points }) });
  }
  const { page, requests, complaints } = await openMeasuring(server);
  await page.reload();
  await showsImage(page);
  await page.keyboard.press('Shift+M');
  const rows = page.getByRole('region', { name: 'Marks', exact: true }).getByRole('listitem');
  const texts = async () => (await rows.allTextContents()).filter((text) => /image 2/.test(text)).join('\n');
  // 10 columns of 1 mm and 20 rows of 1.5 mm: √(100 + 900), and 300 mm².
  await expect.poll(texts, SLOW).toContain('31.62 mm');
  await expect.poll(texts, SLOW).toContain('Area 300 mm²');
  // Column x has the value x: the mean of 20 to 29.
  await expect.poll(texts, SLOW).toContain('Mean 24.5 HU');
  await expect.poll(texts, SLOW).toContain('Min 20  Max 29  200 px');
  await expect.poll(texts, SLOW).toContain('25 HU');
  await expect.poll(texts, SLOW).not.toContain('…');
  // One request for each mark that has values, and none of them twice.
  const asked = requests.filter((url) => url.endsWith('/statistics'));
  expect(new Set(asked).size).toBe(2);
  expect(complaints).toEqual([]);
}, 60_000);
