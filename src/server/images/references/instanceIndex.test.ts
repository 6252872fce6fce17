import { expect, test } from 'vitest';
import { placedImage } from '../../../../test/support/placedElements.ts';
import { createTempFolder, writeBelow } from '../../../../test/support/tempFolder.ts';
import { writeImage } from '../../../../test/support/writeImage.ts';
import { createCatalog } from '../catalog/catalog.ts';
import { writeDicom } from '../../standard/dicom/writeDicom.ts';
import { createInstanceIndex } from './instanceIndex.ts';

test('the index follows the scan, and knows copies, series, value mappings and what points to others', async () => {
  const folder = createTempFolder();
  const image = { SOPClassUID: '1.2.840.10008.5.1.4.1.1.2', SeriesInstanceUID: '2.25.8', Modality: 'CT' };
  writeBelow(folder, 'a.dcm', writeDicom({ ...image, SOPInstanceUID: '2.25.1' }));
  writeBelow(folder, 'b.dcm', writeDicom({ ...image, SOPInstanceUID: '2.25.2' }));
  writeBelow(folder, 'c.dcm', writeDicom({ ...image, SOPInstanceUID: '2.25.1' }));
  writeBelow(folder, 'd.dcm', writeDicom({ SOPClassUID: '1.2.840.10008.5.1.4.1.1.67', SOPInstanceUID: '2.25.3' }));
  writeBelow(folder, 'e.dcm', writeImage());
  writeBelow(
    folder,
    'f.dcm',
    writeDicom(placedImage({ uid: '2.25.5', rows: 1, columns: 2 }, { ImageType: ['DERIVED', 'PRIMARY'] })),
  );
  writeBelow(folder, 'g.dcm', writeDicom({ SOPClassUID: '1.2.840.10008.5.1.4.1.1.88.59', SOPInstanceUID: '2.25.4' }));
  const catalog = createCatalog({ inputs: [folder] });
  const before = createInstanceIndex(catalog);

  catalog.start();
  await catalog.scanComplete;

  // An index that is created afterwards has the same content.
  for (const index of [before, createInstanceIndex(catalog)]) {
    expect(index.find('2.25.1')).toEqual([0, 2]);
    expect(index.find('2.25.2')).toEqual([1]);
    expect(index.find('2.25.9')).toEqual([]);
    expect(index.find('')).toEqual([]);
    expect(index.findSeries('2.25.8')).toEqual([0, 1, 2]);
    expect(index.valueMappings).toEqual([3]);
    expect(index.pointing).toEqual([3, 5, 6]);
  }
});
