import type { DataSet } from '../../standard/dicom/dataSet.ts';
import { readFrameNumbers } from '../../standard/dicom/eachFrame.ts';
import * as Tag from '../../standard/dicom/tag.ts';
import { IMAGE_LISTS } from '../../images/pixels/presentation/stateTargets.ts';
import type { NamedRange, NamedImage, PresentationWarning } from './presentationTasks.ts';

/** Images of one list; images and frame numbers of all lists of one object together. */
export const MOST_NAMED = { listed: 8_192, images: 32_768, frameNumbers: 65_536 };

/** Reads lists of images, up to a number for the whole object, into one long list. */
export interface ImageReader {
  /** The items of a list of images or series, of which the reader of the file may have left some out. */
  list(parent: DataSet, tag: number): readonly DataSet[];
  /** Returns where they are in the long list. */
  read(items: readonly DataSet[], seriesInstanceUid: string | undefined): NamedRange;
  /** Of items of the Referenced Series Sequence. Some blending states list instances under another name. */
  readSeries(series: readonly DataSet[]): NamedRange;
  /** The long list. */
  readonly all: readonly NamedImage[];
  /** Empty if nothing was left out. */
  readonly warnings: readonly PresentationWarning[];
}

export function createImageReader(): ImageReader {
  const all: NamedImage[] = [];
  let numbersLeft = MOST_NAMED.frameNumbers;
  let isCut = false;

  const list: ImageReader['list'] = (parent, tag) => {
    const items = parent.items(tag);
    if ((parent.element(tag)?.itemCount ?? 0) > items.length) isCut = true;
    return items;
  };

  const readOne = (item: DataSet, seriesInstanceUid: string | undefined): void => {
    const sopInstanceUid = item.string(Tag.ReferencedSOPInstanceUID);
    if (sopInstanceUid === undefined) return;
    if (all.length === MOST_NAMED.images) {
      isCut = true;
      return;
    }
    // One more shows whether there are more.
    const numbers = readFrameNumbers(item, numbersLeft + 1);
    if (numbers.length > numbersLeft) isCut = true;
    const frameNumbers = numbers.slice(0, numbersLeft).filter((number) => number > 0);
    numbersLeft -= frameNumbers.length;
    // A list without a valid number names no frame, which must not become all frames.
    if (numbers.length > 0 && frameNumbers.length === 0) return;
    const sopClassUid = item.string(Tag.ReferencedSOPClassUID);
    all.push({ seriesInstanceUid, sopClassUid, sopInstanceUid, frameNumbers: toAscending(frameNumbers) });
  };

  const read: ImageReader['read'] = (items, seriesInstanceUid) => {
    const from = all.length;
    for (const item of items) readOne(item, seriesInstanceUid);
    return { from, to: all.length };
  };

  return {
    list,
    read,
    readSeries(series) {
      const from = all.length;
      for (const one of series) {
        const uid = one.string(Tag.SeriesInstanceUID);
        for (const tag of IMAGE_LISTS) read(list(one, tag), uid);
      }
      return { from, to: all.length };
    },
    all,
    get warnings() {
      if (!isCut) return [];
      return [{ code: 'too_many_images', message: 'It names more images than are read; the last ones are left out.' }];
    },
  };
}

/** Each number once. */
function toAscending(numbers: readonly number[]): readonly number[] {
  return numbers.length < 2 ? numbers : [...Uint32Array.from(new Set(numbers)).toSorted()];
}
