import { countMaskPixels } from '../../src/shared/maskRuns.ts';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  fromColumnRuns,
  toColumnRuns,
  unpackCounts,
  unpackMask,
} from '../../src/server/work/marks/formats/maskRuns.ts';

type Recorded = {
  readonly pixels: readonly string[];
  readonly counts: string;
  readonly area: number;
  readonly bbox: readonly number[];
};

/** What pycocotools made of masks: see makeCoco.py. */
const RECORDED: readonly Recorded[] = JSON.parse(readFileSync(new URL('coco.json', import.meta.url), 'utf8'));

test.each(RECORDED.map((one, n) => ({ ...one, n })))(
  'mask $n is packed and measured as pycocotools does',
  ({ pixels, counts, area, bbox }) => {
    const image = { rows: pixels.length, columns: pixels[0]!.length };

    const mask = fromColumnRuns(unpackCounts(counts), image)!;

    const { left, top, width, height } = mask;
    expect([left, top, width, height]).toEqual(bbox);
    expect(countMaskPixels(mask.runs)).toBe(area);
    const slice = { rectangle: Uint32Array.of(left, top, width, height), runs: Uint32Array.from(mask.runs) };
    const unpacked = unpackMask(slice);
    const drawn = pixels.map((row, y) =>
      Array.from(row, (_, x) => {
        const isInside = x >= left && x < left + width && y >= top && y < top + height;
        return isInside && unpacked[(y - top) * width + x - left] === 1 ? '#' : '.';
      }),
    );
    expect(drawn.map((row) => row.join(''))).toEqual(pixels);
    expect(toColumnRuns(slice, image)).toEqual(unpackCounts(counts));
  },
);
