import type { DataSet } from '../dicom/dataSet.ts';
import * as Tag from '../dicom/tag.ts';
import type { NamedImage, PresentationWarning } from './presentationTasks.ts';

/** For all lists of one object together. */
export const MOST_NAMED = { images: 8_192, frameNumbers: 65_536 };

/** Reads lists of images, up to a number for the whole object. */
export interface ImageReader {
  read(items: readonly DataSet[], seriesInstanceUid: string | undefined): NamedImage[];
  /** Empty if nothing was left out. */
  readonly warnings: readonly PresentationWarning[];
}

export function createImageReader(): ImageReader {
  let left = MOST_NAMED.images;
  let numbersLeft = MOST_NAMED.frameNumbers;
  let isCut = false;
  return {
    read(items, seriesInstanceUid) {
      const images: NamedImage[] = [];
      for (const item of items) {
        const sopInstanceUid = item.string(Tag.ReferencedSOPInstanceUID);
        if (sopInstanceUid === undefined) continue;
        if (left === 0) {
          isCut = true;
          break;
        }
        left -= 1;
        // One more shows whether there are more.
        const numbers = item.numbers(Tag.ReferencedFrameNumber, numbersLeft + 1);
        if (numbers.length > numbersLeft) isCut = true;
        const frameNumbers = numbers.slice(0, numbersLeft).filter((number) => number > 0 && number === (number | 0));
        numbersLeft -= frameNumbers.length;
        // A list without a valid number names no frame, which must not become all frames.
        if (numbers.length > 0 && frameNumbers.length === 0) continue;
        const sopClassUid = item.string(Tag.ReferencedSOPClassUID);
        images.push({ seriesInstanceUid, sopClassUid, sopInstanceUid, frameNumbers });
      }
      return images;
    },
    get warnings() {
      if (!isCut) return [];
      return [{ code: 'too_many_images', message: 'It names more images than are read; the last ones are left out.' }];
    },
  };
}
