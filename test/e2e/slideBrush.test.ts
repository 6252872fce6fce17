import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import type { WireMark } from '../../src/shared/contract/marks.ts';
import type { TestServer } from '../support/serve.ts';
import { at, middleOf, openOwnPyramid, showsSlide } from '../support/slidePage.ts';
import { halvings } from '../support/slidePyramid.ts';
import { drag, reload } from '../support/viewerPage.ts';

/** 0.25 micrometres per pixel, in tiles of 256. */
const LEVELS = halvings(2000, 1500, 256);

async function masksOf(server: TestServer): Promise<WireMark[]> {
  const { marks }: { marks: WireMark[] } = await (await server.request('/api/marks?kind=brush')).json();
  return marks;
}

function tile(frame_index: number, mask: object) {
  return { file_index: expect.any(Number), frame_index, points: [], mask };
}

/** Opacity of the drawn masks at a point of the cell. */
function opacityAt(cell: Locator, [x, y]: readonly [number, number]): Promise<number> {
  return cell.locator('canvas[data-layer="brush"]').evaluate(
    (canvas: HTMLCanvasElement, [left, top]) => {
      const box = canvas.getBoundingClientRect();
      return canvas.getContext('2d')?.getImageData(left - box.x, top - box.y, 1, 1).data[3] ?? -1;
    },
    [x, y] as const,
  );
}

test(
  'a mask on a slide is painted at the resolution on the screen, sent tile by tile, erased and undone',
  { timeout: 180_000 },
  async () => {
    const { page, cell, server, complaints } = await openOwnPyramid(
      { levels: LEVELS },
      at(1024, 768, 1),
      async () => {},
    );
    const [left, top] = await middleOf(cell);
    // The view may be moved by half a pixel, so that points are at three or at one quarter of a pixel.
    const project = (x: number, y: number): [number, number] => [left + x - 1024, top + y - 768];
    const sent: number[][] = [];
    page.on('request', (request) => {
      if (request.method() !== 'PATCH') return;
      const { slices = [] }: { slices?: WireMark['slices'] } = request.postDataJSON();
      sent.push(slices.map(({ frame_index }) => frame_index));
    });
    const tilesOf = async () => (await masksOf(server)).map(({ slices }) => slices);

    await page.keyboard.press('Shift+M');
    await page.keyboard.press('Shift+B');
    await page.getByRole('slider', { name: 'Radius' }).fill('0.5');
    await drag(page, project(1022.75, 768.75), project(1026.75, 768.75));
    // Pixels 1022 to 1026 of row 768, over the edge of the tiles in column 3 and 4 of row 3.
    const [one, two] = [3 * 32_768 + 3, 3 * 32_768 + 4];
    const first = tile(one, { left: 1022, top: 768, width: 2, height: 1, runs: [0, 2] });
    const second = tile(two, { left: 1024, top: 768, width: 3, height: 1, runs: [0, 3] });
    await expect.poll(tilesOf, { timeout: 60_000 }).toEqual([[first, second]]);
    expect((await masksOf(server))[0]?.place).toMatchObject({ type: 'slide', mask_step: 1 });
    await expect.poll(() => opacityAt(cell, project(1024.75, 768.75))).toBeGreaterThan(100);
    expect(await opacityAt(cell, project(1024.75, 766.75))).toBe(0);

    // 5 pixels of 0.25 x 0.25 micrometres.
    await page.getByText('0.3125 µm², in full resolution').waitFor();

    await drag(page, project(1024.75, 768.75), project(1024.75, 772.75));
    // Four more rows, of which the first pixel is painted.
    const grown = tile(two, { left: 1024, top: 768, width: 3, height: 5, runs: [0, 4, 2, 1, 2, 1, 2, 1, 2] });
    await expect.poll(tilesOf).toEqual([[first, grown]]);
    // The server may show the mask before the browser has told this process of its request.
    await expect.poll(() => sent).toEqual([[two]]);

    await cell.focus();
    await page.keyboard.press('Control+z');
    await expect.poll(tilesOf).toEqual([[first, second]]);
    await page.keyboard.press('Alt+B');
    await page.mouse.click(...project(1022.75, 768.75));
    const left1 = tile(one, { left: 1023, top: 768, width: 1, height: 1, runs: [0, 1] });
    await expect.poll(tilesOf).toEqual([[left1, second]]);

    // Another mask, begun where four pixels of the slide are one on the screen.
    await page.goto(`${server.baseUrl}/${at(1024, 768, 0.25)}`);
    await reload(page);
    await showsSlide(page);
    await page.keyboard.press('Shift+B');
    await page.mouse.click(left, top);
    await expect
      .poll(async () => (await masksOf(server)).map(({ place }) => place.type === 'slide' && place.mask_step), {
        timeout: 60_000,
      })
      .toEqual([1, 4]);
    expect(complaints).toEqual([]);
  },
);
