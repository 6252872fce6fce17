import { expect, test } from 'vitest';
import { createFileDescription } from '../../../../test/support/createFileDescription.ts';
import type { DicomFile } from '../../images/catalog/dicomFile.ts';
import { createSlidePlaces } from './slidePlaces.ts';

const SIZE = { totalRows: 100, totalColumns: 100 };

/** Slide images of one series, and how often their placement was looked at. */
function createSlides(count: number) {
  let looks = 0;
  const files = Array.from({ length: count }, (_, index): DicomFile => {
    const description = createFileDescription({
      objectKind: 'whole_slide_microscopy',
      hasPixels: true,
      studyInstanceUid: '2.25.1',
      seriesInstanceUid: '2.25.2',
    });
    // oxlint-disable-next-line typescript/no-misused-spread -- only its values are needed
    const placement = { ...description.placement!, imageType: 'ORIGINAL\\PRIMARY\\VOLUME\\NONE', slide: SIZE };
    return Object.defineProperty({ ...description, index, revision: index }, 'placement', {
      get: () => ((looks += 1), placement),
    });
  });
  return { files, countLooks: () => looks };
}

test('the levels of all files of a pyramid are each listed once, with as many looks as there are files', () => {
  const { files, countLooks } = createSlides(500);
  const places = createSlidePlaces({ files });

  expect(places.listLevels(files).map(({ index }) => index)).toEqual(files.map(({ index }) => index));
  // For each pair of files there would be 250,000.
  expect(countLooks()).toBeLessThan(20 * files.length);

  const before = countLooks();
  for (const file of files) expect(places.mapPixels(files[0]!, file)).toMatchObject({ scaleX: 1, scaleY: 1 });
  expect(countLooks() - before).toBeLessThan(20 * files.length);
});
