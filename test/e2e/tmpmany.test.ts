import { test } from 'vitest';
import { writeRoiImage } from '../support/roiFiles.ts';
import { serve } from '../support/serve.ts';
import { openViewer } from '../support/viewerPage.ts';
test('x', async () => {
  const server = await serve(writeRoiImage({ rows: 1000, columns: 1000 }));
  const boxes = Array.from({ length: 5000 }, (_, i) => [(i * 7) % 980, (i * 13) % 980, ((i * 7) % 980) + 15, ((i * 13) % 980) + 15]);
  for (const n of [0, 150, 1000, 5000]) {
  await server.request('/api/file/0/annotations', { method: 'PUT', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ num_roi: n, roi_coords: boxes.slice(0, n) }) });
  const { page } = await openViewer(server);
  await page.getByRole('tab', { name: 'ROIs' }).click();
  await page.waitForTimeout(1500);
  const t = await page.evaluate(async () => {
    const cell = document.querySelector('[data-cell="0"]')!; const r = cell.getBoundingClientRect();
    const fire = (type: string, x: number, y: number, buttons: number, button: number) => cell.querySelector('canvas')!.dispatchEvent(new PointerEvent(type, { clientX: r.x + x, clientY: r.y + y, bubbles: true, buttons, button, pointerId: 1 }));
    try { fire('pointerdown', 300, 300, 4, 1); } catch {}
    const frames: number[] = []; let last = performance.now();
    for (let i = 0; i < 30; i++) { fire('pointermove', 300 + i, 300, 4, -1); await new Promise((d) => requestAnimationFrame(d)); const n = performance.now(); frames.push(Math.round(n - last)); last = n; }
    return frames;
  });
  console.log(n, 'frames ms', t.join(' '));
  const h = Date.now(); await page.keyboard.press('Shift+R'); await page.locator('[data-handle]').first().waitFor({ state: 'attached' }); console.log('add', Date.now() - h);
  await page.screenshot({ path: '/tmp/s4.png' });
  await page.close();
  }
}, 90000);
