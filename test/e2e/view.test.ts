import { expect, test } from 'vitest';
import { readPng } from '../support/readPng.ts';
import { serve, type TestServer } from '../support/serve.ts';
import { SLICE_COLUMNS, SLICE_ROWS, SLICE_WINDOW, writeSlice } from '../support/sliceFiles.ts';
import { openViewer, showsImage } from '../support/viewerPage.ts';

async function send(server: TestServer, method: string, path: string, body: object): Promise<Response> {
  const headers = { 'Content-Type': 'application/json' };
  return server.request(path, { method, headers, body: JSON.stringify(body) });
}

async function change(server: TestServer, body: object) {
  return (await send(server, 'PUT', '/api/view', { ...body, wait: true })).json();
}

test('a program reads what the page shows, changes it, and gets a picture of it', async () => {
  const server = await serve(
    ...[0, 1, 2].map((number) => writeSlice({ number })),
    writeSlice({ number: 0, series: 2 }),
  );
  const { page, complaints } = await openViewer(server);
  await expect
    .poll(async () => (await (await server.request('/api/view')).json()).view?.cells)
    .toEqual([
      {
        cell: 0,
        file_index: 0,
        frame_index: 0,
        position: 0,
        positions: 3,
        status: 'ready',
        error: null,
        window: SLICE_WINDOW,
      },
    ]);

  const { view } = await change(server, { file: 2, window: { center: 20, width: 30 } });
  expect(view.cells[0]).toMatchObject({
    file_index: 2,
    position: 2,
    status: 'ready',
    window: { center: 20, width: 30 },
  });
  await showsImage(page, 2);

  // One pixel for each stored one: value 10 * 2 + x + 2 * y, in the window of DICOM PS3.3 C.11.2.1.2.1.
  const stored = await send(server, 'POST', '/api/view/picture', { cell: 0, size: 'stored', overlays: false });
  const { rows, columns, channels, pixels } = readPng(new Uint8Array(await stored.arrayBuffer()));
  expect([rows, columns]).toEqual([SLICE_ROWS, SLICE_COLUMNS]);
  for (const [x, y] of [
    [0, 0],
    [5, 1],
    [9, 3],
    [29, 19],
  ] as const) {
    const value = 20 + x + 2 * y;
    const gray = Math.max(0, Math.min(255, ((value - 19.5) / 29 + 0.5) * 255));
    expect(Math.abs(pixels[(y * columns + x) * channels]! - gray)).toBeLessThan(1);
  }

  // The series of another cell, by its UID and the whole view by its address.
  const { address } = (await change(server, { series: '1.2.826.0.1.3680043.10.67.101.2' })).view;
  expect(address).toContain('1.2.826.0.1.3680043.10.67.2.1');
  const two = await change(server, { address: `layout=1x2&${address}&cell=1.2.826.0.1.3680043.10.67.1.2,1` });
  expect(two.view.cells.map((cell: { file_index: number }) => cell.file_index)).toEqual([3, 1]);
  const whole = await send(server, 'POST', '/api/view/picture', {});
  const grid = await page.locator('[data-cell="0"], [data-cell="1"]').evaluateAll((cells) => {
    const boxes = cells.map((cell) => cell.getBoundingClientRect());
    return Math.round(Math.max(...boxes.map((box) => box.right)) - Math.min(...boxes.map((box) => box.left)));
  });
  expect(readPng(new Uint8Array(await whole.arrayBuffer())).columns).toBe(grid);

  const unknown = await send(server, 'PUT', '/api/view', { sop: '2.25.9', wait: true });
  expect([unknown.status, await unknown.json()]).toMatchObject([404, { code: 'not_found' }]);
  await page.getByText('2.25.9 is not open').waitFor();

  await page.goto('about:blank');
  await expect.poll(async () => (await server.request('/api/view')).json()).toEqual({ pages: 0, view: null });
  expect(complaints).toEqual([]);
});
