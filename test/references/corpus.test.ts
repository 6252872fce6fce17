import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ReferencedByResponse } from '../../src/shared/contract/references.ts';
import { corpus } from '../support/corpus.ts';
import { serve } from '../support/serve.ts';
import { CORPUS, needs } from '../support/needs.ts';

/**
 * Number of objects that refer to a file, counted with pydicom over all sequences of every segmentation, map, state,
 * report, registration, therapy object and derived image.
 */
const REFERRERS: Readonly<Record<string, number>> = {
  'seg/dcmqi-24x38x3/image/IMG0001.dcm': 3,
  'seg/dcmqi-24x38x3/image/IMG0002.dcm': 1,
  'seg/dcmqi-liver/ct-3slice/01.dcm': 10,
  'seg/highdicom-ct/ct_image.dcm': 3,
  'seg/pet-tumor/source/000015.dcm': 1,
  'presentation-state/clearcanvas/real01.dcm': 2,
  'presentation-state/clearcanvas/real01.pr.dcm': 1,
  'rt/orient/mock_data/ct_1.dcm': 3,
  'rt/xio-irregular-spacing/SS.rtp99.5.20110509.1010.dcm': 1,
  'sr/dcmqi/rwvm.dcm': 1,
  'sr/dcmqi/seg.dcm': 1,
  'sr/dwv/squares.dcm': 14,
};

describe('the corpus', needs(CORPUS), () => {
  const folder = corpus ?? '';

  test('is pointed to by the objects that another tool finds', { timeout: 180_000 }, async () => {
    const server = await serve(...['seg', 'sr', 'presentation-state', 'rt'].map((topic) => join(folder, topic)));

    const isComplete = async () => {
      const { complete }: ReferencedByResponse = await (await server.request('/api/file/0/referenced-by')).json();
      return complete;
    };
    await expect.poll(isComplete).toBe(true);
    const counts = new Map<string, number>();
    for (const { index, path } of server.catalog.files) {
      const response = await server.request(`/api/file/${index}/referenced-by`);
      const { referrers, complete, unread_count }: ReferencedByResponse = await response.json();
      expect({ path, complete, unread_count }).toEqual({ path, complete: true, unread_count: 0 });
      const pointing = new Set(referrers.map(({ file_index }) => file_index));
      if (pointing.size > 0) counts.set(relative(folder, path), pointing.size);
    }

    expect(Object.fromEntries([...counts].filter(([path]) => path in REFERRERS))).toEqual(REFERRERS);
    // The number of files that are referred to, and the number of pairs of a file and an object that refers to it.
    expect(counts.size).toBe(87);
    expect([...counts.values()].reduce((sum, count) => sum + count, 0)).toBe(143);
  });
});
