import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { openPage, type TestPage } from './browser.ts';
import type { SharedServer } from './serve.ts';
import { showsImage } from './viewerPage.ts';

/** A graphics card that the test browser does not have. The software renderer behind it is equally exact, only slow. */
const NAME = 'ANGLE (NVIDIA, NVIDIA GeForce RTX 3060 (0x00002504) Direct3D11 vs_5_0 ps_5_0, D3D11)';

/** The viewer, drawing on a simulated graphics card. */
export async function openOnGpu(server: SharedServer): Promise<TestPage> {
  const opened = await openPage();
  await pretendGpu(opened.page);
  await opened.page.goto(server.baseUrl);
  await showsImage(opened.page);
  // The first drawing is the check that the card is exact.
  await expect.poll(() => countGpuDraws(opened.page)).toBeGreaterThan(0);
  return opened;
}

/** Call before the page is opened. WebGL reports the name of a graphics card, so that the page uses it as one. */
export async function pretendGpu(page: Page, name = NAME): Promise<void> {
  const content = `{
    const UNMASKED_RENDERER = 0x9246;
    const { prototype } = WebGL2RenderingContext;
    const { getParameter, drawArrays } = prototype;
    window.pretendedGpu = { draws: 0, gl: undefined };
    prototype.getParameter = function (parameter) {
      return parameter === UNMASKED_RENDERER ? ${JSON.stringify(name)} : getParameter.call(this, parameter);
    };
    prototype.drawArrays = function (...rest) {
      pretendedGpu.draws++;
      pretendedGpu.gl = this;
      drawArrays.apply(this, rest);
    };
  }`;
  await page.addInitScript({ content });
}

/** Call before the page is opened. One sample of 65,536 is uploaded with a wrong value. */
export async function breakGpu(page: Page): Promise<void> {
  const content = `{
    const { prototype } = WebGL2RenderingContext;
    const { texSubImage2D } = prototype;
    prototype.texSubImage2D = function (...rest) {
      const samples = rest.at(-1) instanceof Uint16Array ? rest.at(-1) : new Uint16Array(0);
      samples[12345] ^= 1;
      texSubImage2D.apply(this, rest);
      samples[12345] ^= 1;
    };
  }`;
  await page.addInitScript({ content });
}

/** Call before the page is opened. Simulates a browser without WebGL. */
export async function hideGpu(page: Page): Promise<void> {
  const content = `{
    const { getContext } = HTMLCanvasElement.prototype;
    HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
      return kind.startsWith('webgl') ? null : getContext.call(this, kind, ...rest);
    };
  }`;
  await page.addInitScript({ content });
}

/** Number of WebGL draws. */
export function countGpuDraws(page: Page): Promise<number> {
  return page.evaluate<number>('pretendedGpu.draws');
}

/** Loses the WebGL context, as a driver failure does. */
export async function loseGpu(page: Page): Promise<void> {
  await page.evaluate("pretendedGpu.gl.getExtension('WEBGL_lose_context').loseContext()");
}
