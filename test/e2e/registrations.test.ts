import { expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { AXIAL, FRAME_OF_REFERENCE, placedImage } from '../support/placedElements.ts';
import { motion, registrationElements } from '../support/registrationElements.ts';
import { serve, serveShared } from '../support/serve.ts';
import { structureSetElements } from '../support/structureSetElements.ts';
import { openViewer } from '../support/viewerPage.ts';

const ELSEWHERE = '2.25.511';
const OTHER_STUDY = { FrameOfReferenceUID: ELSEWHERE, StudyInstanceUID: '2.25.5029', SeriesInstanceUID: '2.25.5019' };

/** Squares at z = 0, 3 and 6 of their frame of reference. */
const STRUCTURES = structureSetElements([
  {
    number: 1,
    name: 'Square',
    contours: [0, 3, 6].map((z) => ({
      points: [
        [4, 4, z],
        [20, 4, z],
        [20, 20, z],
        [4, 20, z],
      ],
    })),
  },
]);

/** Three slices in the other frame of reference. */
function writeElsewhere() {
  return [0, 1, 2].map((slice) =>
    placedImage(
      { uid: `2.25.90${slice}`, rows: 32, columns: 32, plane: { ...AXIAL, position: [0, 0, 3 * slice] } },
      { ...OTHER_STUDY, InstanceNumber: String(slice + 1) },
    ),
  );
}

function writeRegistration(uid: string, shift: readonly [number, number, number]) {
  const items = [{ from: FRAME_OF_REFERENCE, matrices: [motion(0, shift)] }];
  return registrationElements({ uid, into: ELSEWHERE, items });
}

test('structures of another study lie over images and planes by a registration, which the page describes', async () => {
  const files = [...writeElsewhere(), STRUCTURES, writeRegistration('2.25.701', [3, 4, 0])];
  const server = await serveShared(...files.map((file) => writeDicom(file)));
  const { page, complaints } = await openViewer(server, { address: '#cell=2.25.901,1', position: 1 });
  const layers = (cell: number) => page.locator(`[data-cell="${cell}"] [data-layer="layers"][data-masks="1"]`);

  await page.keyboard.press('m');
  await layers(0).waitFor();
  const note = page.locator('[data-cell="0"] [data-note="registration"]');
  await expect.poll(() => note.textContent()).toBe('1 of 1 structure set · registered');
  await note.click();
  // (3, 4, 0) is 5 mm long.
  const words = 'Over the registration “Registration 2.25.701”: turned by 0.0° and shifted by 5.0 mm';
  await page.locator('[data-cell="0"] details').getByText(words).first().waitFor();
  await page.getByRole('tab', { name: 'Layers' }).click();
  await page
    .getByRole('tabpanel')
    .getByText('Over images of another frame of reference, over the registration')
    .waitFor();
  await page.keyboard.press('y');
  for (const cell of [0, 1, 2]) await layers(cell).waitFor();
  expect(complaints).toEqual([]);
});

test('the user chooses between registrations that disagree, and the address keeps the choice', async () => {
  const registrations = [writeRegistration('2.25.701', [3, 4, 0]), writeRegistration('2.25.702', [6, 8, 0])];
  const server = await serve(...[...writeElsewhere(), STRUCTURES, ...registrations].map((file) => writeDicom(file)));
  const { page, complaints } = await openViewer(server, { address: '#cell=2.25.901,1&tab=context', position: 1 });
  const choice = page.getByRole('group', { name: /can lie over these images in 2 ways. Nothing is drawn/ });
  await choice.waitFor();
  // (6, 8, 0) is 10 mm long.
  await page.getByLabel('Over the registration “Registration 2.25.702”: turned by 0.0° and shifted by 10.0 mm').check();
  const layers = page.locator('[data-cell="0"] [data-layer="layers"][data-masks="1"]');
  await page.locator('[data-cell="0"] summary', { hasText: '1 structure set' }).waitFor();
  await page.locator('[data-cell="0"]').focus();
  await page.keyboard.press('m');
  await layers.waitFor();
  await expect.poll(() => new URL(page.url()).hash).toContain('layer=2.25.600&reg=2.25.702');

  // A link decides again for a server that has forgotten it.
  const headers = { 'Content-Type': 'application/json' };
  const preferred = new URL('api/registrations/preferred', page.url()).href;
  await page.request.put(preferred, { headers, data: { files: [] } });
  await page.reload();
  await layers.waitFor();
  expect(complaints).toEqual([]);
});
