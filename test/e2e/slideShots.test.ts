import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'vitest';
import { openPage } from '../support/browser.ts';
import { serve } from '../support/serve.ts';
import { halvings, writePyramid } from '../support/slidePyramid.ts';

test('shots', async () => {
  const what = process.env.SHOT ?? 'pyramid';
  let input = what;
  if (what === 'pyramid') {
    const t = performance.now();
    input = writePyramid(mkdtempSync(join(tmpdir(), 'negato-slide-')), { levels: halvings(100_000, 80_000, 512) });
    console.log('written', performance.now() - t, input);
  }
  const server = await serve(input);
  const { page, complaints, requests } = await openPage();
  await page.setViewportSize({ width: Number(process.env.W ?? 1280), height: Number(process.env.H ?? 800) });
  const t = performance.now();
  await page.goto(`${server.baseUrl}/`);
  await page.locator('[data-cell="0"] canvas[data-slide]').waitFor({ timeout: 15000 });
  await page
    .locator('[data-cell="0"][data-status="ready"]')
    .waitFor({ timeout: 15000 })
    .catch((e) => console.log(String(e)));
  console.log('ready', performance.now() - t, requests.length);
  await page.waitForTimeout(2500);
  console.log(requests.map((r) => r.replace(server.baseUrl, '')).join('\n'));
  await page.screenshot({ path: '/tmp/slide-1.png' });
  const box = (await page.locator('[data-cell="0"]').boundingBox())!;
  await page.mouse.move(box.x + box.width * 0.6, box.y + box.height * 0.45);
  for (let i = 0; i < Number(process.env.NOTCH ?? 12); i++) {
    await page.mouse.wheel(0, -100);
    await page.waitForTimeout(30);
  }
  await page
    .locator('[data-cell="0"][data-status="ready"]')
    .waitFor({ timeout: 15000 })
    .catch((e) => console.log(String(e)));
  const more = page.getByRole('button', { name: 'Label and overview' });
  if (await more.count()) {
    await more.click();
    await page.waitForTimeout(800);
  }
  await page.waitForTimeout(700);
  await page.screenshot({ path: '/tmp/slide-2.png' });
  console.log(await page.evaluate(() => location.hash), requests.length, complaints, server.errors);
}, 90000);
