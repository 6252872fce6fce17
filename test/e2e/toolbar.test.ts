import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { findViolations } from '../support/axe.ts';
import { serveShared } from '../support/serve.ts';
import { writeSegmentation, writeSlices } from '../support/segmentedSlices.ts';
import { writeSlice } from '../support/sliceFiles.ts';
import { openViewer, settle } from '../support/viewerPage.ts';

/** A stack with a missing slice, which causes a warning, and a segmentation. */
async function serveStack() {
  const patches = [{ slice: 0, segment: 1, top: 4, left: 4, rows: 6, columns: 8 }];
  return serveShared(
    ...writeSlices(6).filter((_, slice) => slice !== 4),
    writeSegmentation({ uid: '2.25.900', name: 'Organs', patches }),
  );
}

test('every popup closes with Esc, and the focus is where it was', async () => {
  const { page, cell } = await openViewer(await serveStack(), { width: 800 });
  await cell.locator('summary', { hasText: 'segmentation' }).waitFor();
  const focused = () =>
    page.evaluate(() => {
      const element = document.activeElement;
      return element?.getAttribute('aria-label') ?? element?.textContent ?? element?.tagName ?? '';
    });

  for (const [opener, popup] of [
    [page.getByRole('button', { name: 'Window presets' }), page.getByRole('menu', { name: 'Window presets' })],
    [page.getByRole('button', { name: 'Layout' }), page.getByRole('button', { name: '2 × 3' })],
    [page.getByRole('button', { name: 'More', exact: true }), page.getByRole('menu', { name: 'More' })],
    [cell.locator('summary', { hasText: 'warning' }), cell.locator('details[open] ul')],
    [cell.locator('summary', { hasText: 'segmentation' }), cell.locator('details[open] ul')],
  ] as const) {
    await opener.click();
    await popup.waitFor();
    // Esc works wherever the focus is: it also closes a menu that has lost the focus.
    await page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur());
    await page.keyboard.press('Escape');
    await expect.poll(() => popup.isVisible()).toBe(false);
    expect(await opener.evaluate((element) => element === document.activeElement)).toBe(true);
  }

  await cell.focus();
  const before = await focused();
  await cell.click({ button: 'right' });
  await page.getByRole('menu', { name: 'Image' }).waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByRole('menu', { name: 'Image' }).count()).toBe(0);
  expect(await focused()).toBe(before);

  // Esc closes a drawer that has the focus, and then the image gets the keys.
  await page.keyboard.press('n');
  await page.getByRole('tab', { name: 'Tags' }).focus();
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByRole('tab', { name: 'Tags' }).count()).toBe(0);
  expect(await focused()).toBe(before);
});

test('Esc closes a list in the moment in which it has opened', async () => {
  const { cell } = await openViewer(await serveStack());
  const badge = cell.locator('summary', { hasText: 'segmentation' });
  const isOpen = () => cell.locator('details[open]').count();
  await badge.click();
  expect(await isOpen()).toBe(1);
  await badge.click();
  await expect.poll(isOpen).toBe(0);

  // Both events in one task: no other event of the browser comes between them.
  await badge.evaluate(async (summary: HTMLElement) => {
    summary.click();
    await Promise.resolve();
    summary.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
  });
  await expect.poll(isOpen).toBe(0);
});

test('a list that was opened on an image closes when the user presses elsewhere', async () => {
  const { page, cell } = await openViewer(await serveStack());
  // Wait for both badges, because they move when another one appears.
  await cell.locator('summary', { hasText: 'segmentation' }).waitFor();
  await cell.locator('summary', { hasText: 'warning' }).click();
  await cell.locator('details[open]').waitFor();
  await page.getByRole('tab', { name: 'Tags' }).click();
  await expect.poll(() => cell.locator('details[open]').count()).toBe(0);
});

async function buttonsOutside(page: Page): Promise<string[]> {
  return page.getByRole('toolbar').evaluate((toolbar) => {
    const outer = toolbar.getBoundingClientRect();
    return [...toolbar.querySelectorAll('button')]
      .filter((button) => button.closest('[popover]') === null)
      .filter((button) => button.getBoundingClientRect().right > outer.right + 0.5)
      .map((button) => button.getAttribute('aria-label') ?? '');
  });
}

/** The buttons of the toolbar, and the lines of the menu at its end. */
async function toolsOf(page: Page): Promise<string[]> {
  const toolbar = page.getByRole('toolbar', { name: 'Tools' });
  const names = await toolbar
    .locator('button[data-tooltip]')
    .evaluateAll((buttons) => buttons.map((button) => button.getAttribute('aria-label') ?? ''));
  await toolbar.getByRole('button', { name: 'More', exact: true }).click();
  const menu = page.getByRole('menu', { name: 'More' });
  await menu.waitFor();
  const lines = await menu
    .locator('button')
    .evaluateAll((buttons) =>
      buttons.map(
        (button) => button.getAttribute('aria-label') ?? button.querySelector('span:last-of-type')?.textContent,
      ),
    );
  await page.keyboard.press('Escape');
  await menu.waitFor({ state: 'hidden' });
  return [...names, ...lines.map((line) => line ?? '')];
}

test('the tools of each task are reachable at every width: what does not fit is in the menu at the end', async () => {
  const { page } = await openViewer(await serveShared(...writeSlices(4)), { width: 1920 });
  const faults: string[] = [];
  for (const task of ['Look', 'Measure', 'Annotate', 'Compare']) {
    await page.setViewportSize({ width: 1920, height: 700 });
    await page.getByRole('button', { name: task, exact: true }).click();
    await settle(page);
    // The menus of layouts, turns and masks are lists in the menu at the end.
    const all = (await toolsOf(page)).filter(
      (name) => !/^(Layout|Color map|Fit, turn, flip|Make or change a mask)$/.test(name),
    );
    for (const width of [1600, 1366, 1280, 1150, 1099, 1024, 960, 899, 800, 700, 699, 600, 480, 400]) {
      await page.setViewportSize({ width, height: 700 });
      await settle(page);
      faults.push(...(await buttonsOutside(page)).map((name) => `${task}: ${name} leaves the toolbar at ${width}`));
      const names = await toolsOf(page);
      const missing = all.filter((name) => !names.some((one) => one.startsWith(name.replace(/:.*/, ''))));
      faults.push(...missing.map((name) => `${task}: ${name} is nowhere at ${width}`));
      const written = await page.getByRole('button', { name: 'Annotate', exact: true }).innerText();
      if ((written === 'Annotate') !== width >= 700) faults.push(`${task}: tasks are “${written}” at ${width}`);
    }
  }
  expect(faults).toEqual([]);

  // A tool chosen in the menu takes effect.
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Link windows' }).click();
  await page.waitForURL(/link=window/);
});

test('on a laptop, the tools of every task have names, and the image has three fifths of the width', async () => {
  const { page } = await openViewer(await serveShared(...writeSlices(4)), { width: 1366, height: 768 });
  for (const [task, names] of [
    ['Look', ['Window', 'Pan', 'Zoom', 'Scroll', 'Layout', 'Planes', 'Layers', 'Color', 'Turn']],
    ['Measure', ['Length', 'Angle', 'Ellipse', 'Value', 'Polygon', 'Axis', 'Line', 'Cobb']],
    ['Annotate', ['Box', 'Polygon', 'Brush', 'Eraser', 'Arrow', 'ROI']],
    ['Compare', ['Layout', 'Link scrolling', 'Link zoom', 'Link windows', 'Link layers', 'Crosshair']],
  ] as const) {
    await page.getByRole('button', { name: task, exact: true }).click();
    await settle(page);
    const written = await page.getByRole('toolbar', { name: 'Tools' }).locator('button').allInnerTexts();
    expect(await findViolations(page)).toEqual([]);
    expect(written.map((text) => text.trim().replace(/\s*\d+$/, ''))).toEqual(expect.arrayContaining([...names]));
  }
  const main = await page.getByRole('main').boundingBox();
  expect(main?.width).toBeGreaterThanOrEqual(0.6 * 1366);
});

test('choosing a task moves neither a task nor the letters of its name', async () => {
  const { page } = await openViewer(await serveShared(writeSlice({ number: 0 })), { width: 1366, height: 768 });
  const names = page.getByRole('group', { name: 'Task' }).getByRole('button').locator('span');
  const places = () =>
    names.evaluateAll((all) =>
      all.map((name) => {
        const letters = document.createRange();
        letters.selectNodeContents(name);
        return [name.textContent, letters.getBoundingClientRect().x, letters.getBoundingClientRect().width];
      }),
    );
  const before = await places();
  expect(before.map(([name]) => name)).toEqual(['Look', 'Measure', 'Annotate', 'Compare']);
  for (const task of ['Measure', 'Annotate', 'Compare']) {
    const button = page.getByRole('button', { name: task, exact: true });
    await button.click();
    await expect.poll(() => button.getAttribute('aria-pressed')).toBe('true');
    expect(await places()).toEqual(before);
  }
});

test('in the panel of layers, the buttons of a layer are on one line on a laptop', async () => {
  const { page } = await openViewer(await serveStack(), { width: 1366, height: 768 });
  await page.getByRole('tab', { name: 'Layers' }).click();
  const layer = page.getByRole('complementary').getByRole('region', { name: 'Organs' });
  await layer.getByRole('button', { name: 'Labels…' }).waitFor();
  const lines = await layer
    .getByRole('button', { name: /^(Stored mask|Truth|Test|Labels…)$/ })
    .evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().y)));
  expect(lines).toHaveLength(4);
  expect(new Set(lines).size).toBe(1);
});

test('a task brings its first tool, a tool chosen by its key brings its task, and window and pan keep it', async () => {
  const { page, cell } = await openViewer(await serveShared(...writeSlices(4)));
  await cell.focus();
  const pressed = () =>
    page
      .getByRole('toolbar', { name: 'Tools' })
      .getByRole('button', { pressed: true })
      .evaluateAll((buttons) =>
        buttons
          .map((button) => button.getAttribute('aria-label') ?? '')
          .filter((name) => name !== '' && !name.startsWith('Toggle')),
      );
  expect(await pressed()).toEqual(['Look', 'Window and level']);
  for (const [key, task, tool] of [
    ['Alt+2', 'Measure', 'Length'],
    ['e', 'Measure', /^Ellipse/],
    ['Shift+B', 'Annotate', 'Brush'],
    ['w', 'Annotate', 'Window and level'],
    ['Alt+2', 'Measure', /^Ellipse/],
    ['Alt+3', 'Annotate', 'Brush'],
    ['Shift+X', 'Compare', 'Layout 1x1'],
    ['Alt+1', 'Look', 'Window and level'],
  ] as const) {
    await page.keyboard.press(key);
    await expect.poll(pressed, { message: key }).toEqual(expect.arrayContaining([task, expect.stringMatching(tool)]));
  }
  // The task is there again, and nothing is drawn before a tool is chosen.
  await page.keyboard.press('Alt+3');
  await page.reload();
  await page.locator('html[data-parts="all"]').waitFor();
  await expect.poll(pressed).toEqual(['Annotate', 'Window and level']);
});

test('the toolbar is one stop of the Tab key, and arrow keys go from button to button', async () => {
  const { page, cell } = await openViewer(await serveShared(...writeSlices(4)));
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
  const stops = () =>
    page
      .getByRole('toolbar', { name: 'Tools' })
      .locator('button:enabled')
      .evaluateAll(
        (buttons) => buttons.filter((button) => button instanceof HTMLElement && button.tabIndex === 0).length,
      );
  await page.getByRole('button', { name: 'Toggle explorer' }).focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Shift+Tab');
  expect([await focused(), await stops()]).toEqual(['Toggle explorer', 1]);
  for (const [key, name] of [
    ['ArrowRight', 'Look'],
    ['ArrowRight', 'Measure'],
    ['Enter', 'Measure'],
    ['End', 'Toggle inspector'],
    ['ArrowRight', 'Toggle explorer'],
    ['ArrowLeft', 'Toggle inspector'],
    ['ArrowLeft', 'More'],
  ] as const) {
    await page.keyboard.press(key);
    expect(await focused()).toBe(name);
  }
  // The tools of another task are no further stops.
  expect(await stops()).toBe(1);
  await page.keyboard.press('Enter');
  await page.getByRole('menu', { name: 'More' }).waitFor();
  await page.keyboard.press('Escape');
  expect(await focused()).toBe('More');

  // After a click, these keys are for the image.
  await page.getByRole('button', { name: 'Angle', exact: true }).click();
  await page.keyboard.press('ArrowRight');
  await page.locator('[data-cell="0"][data-shown="1"]').waitFor();
  expect(await cell.count()).toBe(1);
});

test('a tool shows its name and key at once when the pointer is over it', async () => {
  const { page } = await openViewer(await serveShared(writeSlice({ number: 0 })));
  await page.getByRole('button', { name: 'Pan', exact: true }).hover();
  // Counted in animation frames instead of time: the tip is visible in the next one.
  await settle(page);
  expect(await page.locator('[data-tip]').innerText()).toBe('PanP');
  await page.mouse.move(600, 500);
  await settle(page);
  expect(await page.locator('[data-tip]').isVisible()).toBe(false);
});

/** Whether the dashed line in the middle of an icon is vertical. */
async function isMirrorUpright(button: Locator): Promise<boolean> {
  const dashes = await button.locator('path').evaluateAll((paths) =>
    paths.flatMap((path) => {
      const { width, height } = path instanceof SVGPathElement ? path.getBBox() : { width: 1, height: 1 };
      return Math.min(width, height) === 0 ? [height > 0] : [];
    }),
  );
  expect(dashes.length).toBeGreaterThan(1);
  return dashes.every(Boolean);
}

test('the icon of a flip shows the line that the image is mirrored at', async () => {
  const { page } = await openViewer(await serveShared(writeSlice({ number: 0 })));
  await page.getByRole('button', { name: 'Fit, turn, flip' }).click();
  expect(await isMirrorUpright(page.getByRole('menuitemcheckbox', { name: 'Flip horizontally' }))).toBe(true);
  expect(await isMirrorUpright(page.getByRole('menuitemcheckbox', { name: 'Flip vertically' }))).toBe(false);
});

test('the window menu separates the windows of the file from computed ones, presets and manual ones', async () => {
  const { page } = await openViewer(await serveShared(writeSlice({ number: 0 })));
  await page.getByRole('button', { name: 'Window presets' }).click();
  const groups = page.getByRole('menu', { name: 'Window presets' }).getByRole('group');
  const inGroup = (name: string) => groups.and(page.getByRole('group', { name })).getByRole('menuitemradio').count();
  expect(await groups.count()).toBe(4);
  expect(await inGroup('From the file')).toBe(1);
  expect(await inGroup('Computed')).toBe(1);
  expect(await inGroup('CT presets')).toBe(8);
  // These items are not windows but ways to choose one.
  const manual = page.getByRole('group', { name: 'Manual' });
  expect([await inGroup('Manual'), await manual.locator('[role^=menuitem]').count()]).toEqual([0, 2]);
});

test('menus offer only what applies to the picture, and say why if nothing does', async () => {
  const report = writeDicom({
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.88.33',
    SOPInstanceUID: '2.25.901',
    Modality: 'SR',
  });
  const server = await serveShared(...writeSlices(6), report);
  const { page, cell } = await openViewer(server);
  const offered = async () => {
    await cell.click({ button: 'right' });
    await page.getByRole('menu', { name: 'Image' }).waitFor();
    const titles = await page.getByRole('menu', { name: 'Image' }).getByRole('menuitem').allTextContents();
    await page.keyboard.press('Escape');
    return titles.filter((title) => /^(Full range|Invert|Download file)/.test(title));
  };
  expect(await offered()).toEqual(['Full range `', 'Invert I', 'Download file D']);

  // A plane is gray, but it is in no file.
  await page.keyboard.press('y');
  await page.waitForURL(/axial/);
  await page.locator('[data-cell="0"][data-status="ready"][data-quality="exact"]').waitFor();
  expect(await offered()).toEqual(['Full range `', 'Invert I']);
  await page.keyboard.press('y');
  await expect.poll(() => page.locator('[data-cell]').count()).toBe(1);

  await page.evaluate(() => (location.hash = 'cell=2.25.901,1'));
  await cell.getByText('Comprehensive SR').first().waitFor();
  await page.getByRole('button', { name: 'Window: No window' }).click();
  await page.getByText('No image is shown. Windows apply only to gray images.').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Color map' }).click();
  await page.getByText('No image is shown. Color maps apply only to gray images.').waitFor();
});

/** Texts of the toolbar of which a part is not seen. */
async function cutTexts(page: Page): Promise<string[]> {
  return page.getByRole('toolbar', { name: 'Tools' }).evaluate((toolbar) => {
    const texts = [...toolbar.querySelectorAll('span, button, fieldset')].filter(
      (element) => element.closest('[popover]') === null,
    );
    return texts
      .filter((element) => {
        const box = element.getBoundingClientRect();
        const outer = element.closest('[class*=group]')?.getBoundingClientRect();
        const isOut = outer !== undefined && box.right > outer.right + 0.5;
        return element.textContent !== '' && (isOut || element.scrollWidth > element.clientWidth + 1) && box.width > 0;
      })
      .map((element) => element.textContent ?? '');
  });
}

test('no name in the bar is cut, and switches that link cells say so at every width', async () => {
  const { page } = await openViewer(await serveShared(...writeSlices(4)), { width: 1920 });
  for (const width of [1920, 1366, 1280, 1160, 1024, 900, 800]) {
    await page.setViewportSize({ width, height: 700 });
    for (const task of [1, 2, 3, 4]) {
      await page.keyboard.press(`Alt+${task}`);
      await settle(page);
      expect(await cutTexts(page), `task ${task} at ${width} px`).toEqual([]);
    }
    const links = page.getByRole('toolbar', { name: 'Tools' }).getByText(/^Link/);
    expect(await links.first().isVisible()).toBe(true);
    expect(await buttonsOutside(page)).toEqual([]);
  }
});
