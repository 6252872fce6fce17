import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { openTab } from '../support/browser.ts';
import { corpus } from '../support/corpus.ts';
import { readStream, writeJpeg } from '../support/jpegElements.ts';
import { serve } from '../support/serve.ts';
import { CORPUS, needs } from '../support/needs.ts';

type Comparison = { readonly mediaType: string; readonly size: string; readonly difference: number };

/** Largest sample difference between the stored stream as the browser decodes it and our PNG. */
async function compare(page: Page, path: string): Promise<Comparison> {
  return page.evaluate(async (frame) => {
    // oxlint-disable-next-line unicorn/consistent-function-scoping -- it must come along into the page
    const load = async (url: string) => {
      const blob = await (await fetch(url)).blob();
      const bitmap = await createImageBitmap(blob);
      const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')!;
      context.drawImage(bitmap, 0, 0);
      const { data, width, height } = context.getImageData(0, 0, bitmap.width, bitmap.height);
      return { data, size: `${width} x ${height}`, mediaType: blob.type };
    };
    const [source, png] = [await load(`${frame}?format=source`), await load(frame)];
    const difference = source.data.reduce(
      (most, value, i) => Math.max(most, Math.abs(value - (png.data[i] ?? NaN))),
      0,
    );
    return { mediaType: source.mediaType, size: source.size, difference };
  }, path);
}

test.each([
  ['4:2:2', 'jpeg-baseline-q90_8u_ybr422.jpg', 'YBR_FULL_422'],
  ['4:4:4', 'jpeg-baseline-q90_8u_ybr444.jpg', 'YBR_FULL'],
  ['RGB', 'jpeg-baseline-q90_8u_rgb.jpg', 'RGB'],
])('a stored JPEG of %s is in this browser what our PNG is, sample by sample', async (_, name, color) => {
  const server = await serve(writeJpeg([readStream(name)], { PhotometricInterpretation: color }));
  const { page } = await openTab(server);
  await page.goto(`${server.baseUrl}/api/health`);
  expect(await compare(page, '/api/file/0/frame/0')).toEqual({
    mediaType: 'image/jpeg',
    size: '33 x 24',
    difference: 0,
  });
});

describe('real slides', needs(CORPUS), () => {
  test('tiles of a slide with an ICC profile are the same both ways', async () => {
    const server = await serve(`${corpus}/wsi/pyramid-ohif`);
    const { page } = await openTab(server);
    await page.goto(`${server.baseUrl}/api/health`);
    for (const path of ['/api/file/0/frame/36', '/api/file/1/frame/15', '/api/file/4/frame/0']) {
      expect(await compare(page, path)).toEqual({ mediaType: 'image/jpeg', size: '512 x 512', difference: 0 });
    }
  });
});
