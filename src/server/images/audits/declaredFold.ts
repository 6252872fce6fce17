import type { DicomFile } from '../catalog/dicomFile.ts';
import { type FactFold, saidIn } from './factFold.ts';
import { countWords, FoundFiles, seriesUnit, toFinding } from './finding.ts';

type Declared = { readonly of: DicomFile; readonly files: FoundFiles; readonly uids: Set<string>; most: number };

/** Compares how many images there are of a series with how many its files say there are. */
export function createDeclaredFold(): FactFold {
  const all = new Map<string, Declared>();
  return {
    take(file, facts) {
      const { studyInstanceUid, seriesInstanceUid, sopInstanceUid } = file;
      if (!file.hasPixels || file.frameCount > 1 || seriesInstanceUid === '') return;
      const number = (keyword: string) => toCount(saidIn(facts, keyword));
      const inAcquisition = number('ImagesInAcquisition');
      const slices = number('NumberOfSlices');
      // Only a dynamic series has times; a gated one has more than these two numbers say.
      const type = saidIn(facts, 'SeriesType')?.split('\\')[0];
      const times = type === 'DYNAMIC' ? number('NumberOfTimeSlices') : 1;
      const isCounted = slices !== undefined && times !== undefined && type !== 'GATED';
      const declared = inAcquisition ?? (isCounted ? slices * times : undefined);
      if (declared === undefined) return;
      // The number of images in an acquisition is for each acquisition of the series.
      const acquisition = inAcquisition === undefined ? '' : (saidIn(facts, 'AcquisitionNumber') ?? '');
      const id = `${studyInstanceUid}/${seriesInstanceUid}/${acquisition}`;
      const known = all.get(id) ?? { of: file, files: new FoundFiles(), uids: new Set(), most: 0 };
      all.set(id, known);
      known.files.add(file);
      known.uids.add(sopInstanceUid);
      known.most = Math.max(known.most, declared);
    },
    *findings(list) {
      for (const { of, files, uids, most } of all.values()) {
        yield;
        if (uids.size >= most) continue;
        list.add(
          toFinding({
            code: 'files_declared_missing',
            unit: seriesUnit(of),
            files: files.list(),
            count: most - uids.size,
            message: `the files declare ${countWords(most, 'image')}, and ${uids.size} of them ${uids.size === 1 ? 'is' : 'are'} there`,
            values: { declared: most, present: uids.size },
          }),
        );
      }
    },
  };
}

/** More is no number of images. */
const MOST_IMAGES = 1_000_000;

function toCount(text: string | undefined): number | undefined {
  const count = text === undefined || !/^\d{1,7}$/.test(text) ? NaN : Number(text);
  return count >= 1 && count <= MOST_IMAGES ? count : undefined;
}
