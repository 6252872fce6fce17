import { expect, test } from 'vitest';
import type { WireMark } from '../../src/shared/contract/marks.ts';
import { labelsOf } from '../support/measuring.ts';
import { SLICE_SIZE, sliceUid, writeSlices } from '../support/segmentedSlices.ts';
import { serve } from '../support/serve.ts';
import { showStoredBeside } from '../support/storedBeside.ts';
import { drag, openViewer, projectionOf, reload } from '../support/viewerPage.ts';

const SLOW = { timeout: 60_000 };
/** 9 slices, 3 mm apart, with pixels of 1 by 1 mm. */
const CORONAL = { rows: 9, columns: SLICE_SIZE, aspect: 3 };
const AXIAL = { rows: SLICE_SIZE, columns: SLICE_SIZE };

/** The pointer moves by whole screen pixels, of which one is less than a tenth of a millimetre. */
const near = (wanted: readonly number[]) => wanted.map((number) => expect.closeTo(number, 0));

test('marks on planes are in the patient, and a rectangle becomes a 3-D box that all planes show and change', async () => {
  const server = await serve(...writeSlices(9));
  // The planes go through the image on the screen: the one in the middle.
  const { page, complaints } = await openViewer(server, { address: `#cell=${sliceUid(4)},1`, position: 4 });
  const cellAt = (cell: number) => page.locator(`[data-cell="${cell}"]`);
  const [axial, coronal, sagittal, stored] = [cellAt(0), cellAt(1), cellAt(2), cellAt(3)];
  const marks = async (): Promise<WireMark[]> => (await (await server.request('/api/marks')).json()).marks;
  const arePlanesShown = async () => {
    for (const cell of [0, 1, 2]) await page.locator(`[data-cell="${cell}"][data-status="ready"]`).waitFor();
  };
  await page.keyboard.press('y');
  await arePlanesShown();
  await showStoredBeside(page, sliceUid(0));
  const onCoronal = await projectionOf(coronal, CORONAL, {});
  await page.keyboard.press('l');
  await drag(page, onCoronal(6, 2), onCoronal(26, 2));
  await expect.poll(async () => (await marks()).length).toBe(1);
  const [length] = await marks();
  // The plane in the middle is that of row 15; its first row is the slice at the head, at 24 mm.
  expect(length).toMatchObject({
    kind: 'length',
    place: { type: 'plane', position: [0, 15, 24], orientation: [1, 0, 0, 0, 0, -1], spacing: [3, 1], slab_mm: 0 },
    points: [near([6, 2]), near([26, 2])],
  });
  const drawn = await labelsOf(coronal, 'length');

  await reload(page);
  await page.locator('html[data-parts="all"]').waitFor();
  await arePlanesShown();
  await expect.poll(() => labelsOf(coronal, 'length'), SLOW).toEqual(drawn);
  await coronal.focus();
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => labelsOf(coronal, 'length'), SLOW).toEqual([]);
  await page.keyboard.press('Shift+M');
  await page.getByRole('button', { name: /^Length .*Coronal plane at 15 mm$/ }).click();
  await expect.poll(() => labelsOf(coronal, 'length'), SLOW).toEqual(drawn);

  await axial.focus();
  await page.keyboard.press('Shift+E');
  const onAxial = await projectionOf(axial, AXIAL, {});
  await drag(page, onAxial(10, 8), onAxial(20, 16));
  await page.keyboard.press('Alt+e');
  const place = async () => {
    const found = (await marks()).find(({ kind }) => kind === 'box')?.place;
    return found?.type === 'volume' ? { position: found.position, size: found.size } : undefined;
  };
  // The plane in the middle is at 12 mm, and the shorter side is 8 mm long.
  const cube = { position: near([9.5, 7.5, 8]), size: near([10, 8, 8]) };
  await expect.poll(place).toEqual(cube);
  /** The volumes that the pictures show; one if all show the same. */
  const volumes = async () => {
    const labels = await Promise.all([axial, coronal, sagittal, stored].map((cell) => labelsOf(cell, 'box')));
    return [...new Set(labels.map((lines) => String(lines[0]?.[1])))];
  };
  await expect.poll(volumes, SLOW).toEqual([expect.stringMatching(/^Volume 0\.6\d* ml$/)]);

  // From 16 to 8 mm is from row 8 / 3 + 0.5 to row 16 / 3 + 0.5. The corner at the left of the patient and at the feet.
  const onCoronalNow = await projectionOf(coronal, CORONAL, {});
  await drag(page, onCoronalNow(20, 16 / 3 + 0.5), onCoronalNow(24, 6.5));
  await expect.poll(place).toEqual({ position: near([9.5, 7.5, 6]), size: near([14, 8, 10]) });
  await expect.poll(volumes, SLOW).toEqual([expect.stringMatching(/^Volume 1\.1\d* ml$/)]);
  await page.keyboard.press('Control+z');
  await expect.poll(place).toEqual(cube);
  await reload(page);
  await page.locator('html[data-parts="all"]').waitFor();
  await expect.poll(volumes, SLOW).toEqual([expect.stringMatching(/^Volume 0\.6\d* ml$/)]);
  expect(complaints).toEqual([]);
}, 180_000);
