import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { corpus } from '../support/corpus.ts';
import { canMeasure, labelsOf } from '../support/measuring.ts';
import { serve } from '../support/serve.ts';
import { drag, openViewer, projectionOf } from '../support/viewerPage.ts';
import { CORPUS, needs } from '../support/needs.ts';

const PET = '1.3.6.1.4.1.14519.5.2.1.2744.7002.890080896987221840502193867452';

describe('a real PET slice under its segmentation', needs(CORPUS), () => {
  test('is read and measured in SUV by body weight', async () => {
    const server = await serve(join(corpus ?? '', 'seg/pet-tumor'));
    // The 33rd image of its series in spatial order.
    const { page, cell, complaints } = await openViewer(server, { address: `#cell=${PET},1`, position: 32 });
    await canMeasure(cell);
    const at = await projectionOf(cell, { rows: 128, columns: 128 }, {});

    await page.keyboard.press('Shift+E');
    await drag(page, at(50, 40), at(70, 60));

    // Computed with pydicom and numpy for rows 40 to 59 and columns 50 to 69: 66,200 g over 381.47 MBq, with a
    // half-life of 6586.2 s, injected at 11:39:00 and decayed until 13:02:44.678. Mean 2.00424, standard deviation
    // 1.76519, shown to two places.
    await expect
      .poll(async () => (await labelsOf(cell, 'box'))[0]?.slice(0, 2))
      .toEqual(['Mean 2 SUVbw  SD 1.77', 'Min 0.2031  Max 11.62  400 px']);
    expect(complaints).toEqual([]);
  });
});
