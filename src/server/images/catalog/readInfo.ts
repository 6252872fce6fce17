import { type KnownSource, withSame } from '../../bytes/origins/origins.ts';
import { type PixelDataLocation, readDicom } from '../../standard/dicom/readDataSet.ts';
import * as Tag from '../../standard/dicom/tag.ts';
import { describePixels, type PixelDescription } from '../pixels/imagePixel.ts';
import { warnOfStream } from '../pixels/openStream.ts';
import { assessSupport, toImagePixel } from '../pixels/support.ts';
import { buildPixelInfo } from './buildPixelInfo.ts';
import type { FileInfo } from './infoTask.ts';

/** Stops reading before the pixel data, and reads only the first frame's functional groups. */
export function readInfo(file: KnownSource): FileInfo {
  return withSame(file, (source) => {
    const { dataSet, transferSyntaxUid, pixelData } = readDicom(source, {
      until: Tag.FloatPixelData,
      filter: FIRST_FRAME,
    });
    const description = describePixels(dataSet, transferSyntaxUid, pixelData);
    return { ...buildPixelInfo(dataSet, transferSyntaxUid), warnings: listWarnings(description, pixelData) };
  });
}

/** Irregularities of a file whose images can still be shown. */
function listWarnings(description: PixelDescription, pixelData: PixelDataLocation | undefined): readonly string[] {
  if (pixelData === undefined || assessSupport(description, 1).state !== 'renderable') return [];
  const { pixel } = toImagePixel(description);
  return [...description.warnings, ...warnOfStream(pixelData.source, pixelData.offset, pixel)];
}

const FIRST_FRAME = {
  element: () => true,
  item: (_depth: number, index: number) => index === 0,
};
