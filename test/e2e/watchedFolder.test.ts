import { appendFileSync, copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openPage } from '../support/browser.ts';
import { SLICE_SIZE, writeSlices } from '../support/segmentedSlices.ts';
import { serveWith } from '../support/serve.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';

test('files that are copied into a watched folder appear on the page when they are complete, and removed ones go', async () => {
  const [first, second, third, fourth] = writeSlices(4);
  const folder = createTempFolder();
  writeBelow(folder, 'a/1.dcm', first);
  writeBelow(folder, 'a/2.dcm', second);
  const server = await serveWith({ inputs: [folder], catalog: { watch: {} } });
  const { page, complaints } = await openPage();
  await page.goto(server.baseUrl);
  const place = page.getByRole('group', { name: 'Position in the stack' });
  await place.getByText('1 / 2').waitFor();

  copyFileSync(writeBelow(createTempFolder(), 'x', third), join(folder, 'a/3.dcm'));
  await place.getByText('1 / 3').waitFor();

  // The pixels come piece by piece for longer than a complete file takes to appear.
  const slow = join(folder, 'a/4.dcm');
  const end = fourth!.length - 20;
  let isTakenEarly = false;
  let writtenMs = performance.now();
  writeFileSync(slow, fourth!.subarray(0, end));
  for (let at = end; at < fourth!.length; at += 1) {
    await wait(100);
    const isShown = await place.getByText('1 / 4').isVisible();
    // A file that rests for a second counts as complete, and a busy machine may make such a pause.
    isTakenEarly ||= isShown && performance.now() - writtenMs < 900;
    appendFileSync(slow, fourth!.subarray(at, at + 1));
    writtenMs = performance.now();
  }
  await place.getByText('1 / 4').waitFor();
  expect(isTakenEarly).toBe(false);
  const frame = await server.request('/api/file/3/frame/0/raw');
  const pixels = Buffer.from(await frame.bytes());
  expect(pixels.length).toBe(SLICE_SIZE * SLICE_SIZE);
  expect(pixels.equals(fourth!.subarray(-pixels.length))).toBe(true);

  rmSync(join(folder, 'a/2.dcm'));
  await place.getByText('1 / 3').waitFor();
  await page.getByText('3 files open').waitFor();
  expect(complaints).toEqual([]);
});
