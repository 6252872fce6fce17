import { withSameFile } from '../dicom/openSameFile.ts';
import { readDicom } from '../dicom/readDataSet.ts';
import * as Tag from '../dicom/tag.ts';
import { buildPixelInfo, type PixelInfo } from './buildPixelInfo.ts';
import type { InfoInput } from './infoTask.ts';

/** Reads no further than the pixel data, and of the functional groups only those of the first frame. */
export function readInfo(file: InfoInput): PixelInfo {
  return withSameFile(file, (source) => {
    const { dataSet, transferSyntaxUid } = readDicom(source, { until: Tag.FloatPixelData, filter: FIRST_FRAME });
    return buildPixelInfo(dataSet, transferSyntaxUid);
  });
}

const FIRST_FRAME = {
  element: () => true,
  item: (_depth: number, index: number) => index === 0,
};
