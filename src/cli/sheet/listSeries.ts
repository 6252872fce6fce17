import type { Catalog } from '../../server/images/catalog/catalog.ts';
import type { DicomFile } from '../../server/images/catalog/dicomFile.ts';

/** The files of one series, by what they have in common. */
export type CountedSeries = {
  readonly studyInstanceUid: string;
  readonly seriesInstanceUid: string;
  /** Its first file, which tells the names. */
  readonly of: DicomFile;
  readonly files: number;
  /** Frames of all its images. */
  readonly images: number;
  readonly bytes: number;
};

export type ListedStudy = { readonly of: DicomFile; readonly series: readonly CountedSeries[] };

type Counted = { of: DicomFile; files: number; images: number; bytes: number };

/** All series by study, in the order of their first files; and the files that are in no series, each by itself. */
export function listSeries({ files, gone }: Pick<Catalog, 'files' | 'gone'>): {
  readonly studies: readonly ListedStudy[];
  readonly alone: readonly CountedSeries[];
} {
  const studies = new Map<string, Map<string, Counted>>();
  const alone: CountedSeries[] = [];
  for (const file of files) {
    if (gone.files.has(file.index)) continue;
    const { studyInstanceUid, seriesInstanceUid } = file;
    if (studyInstanceUid === '' || seriesInstanceUid === '') {
      const images = file.hasPixels ? file.frameCount : 0;
      alone.push({ studyInstanceUid, seriesInstanceUid, of: file, files: 1, images, bytes: file.fileBytes });
      continue;
    }
    const study = studies.get(studyInstanceUid) ?? new Map<string, Counted>();
    studies.set(studyInstanceUid, study);
    const known = study.get(seriesInstanceUid) ?? { of: file, files: 0, images: 0, bytes: 0 };
    study.set(seriesInstanceUid, known);
    known.files += 1;
    known.images += file.hasPixels ? file.frameCount : 0;
    known.bytes += file.fileBytes;
  }
  const listed = [...studies].map(([studyInstanceUid, bySeries]): ListedStudy => {
    const series = Array.from(bySeries, ([seriesInstanceUid, counted]) => ({
      studyInstanceUid,
      seriesInstanceUid,
      ...counted,
    }));
    series.sort((a, b) => numberOf(a.of) - numberOf(b.of));
    return { of: series[0]!.of, series };
  });
  return { studies: listed, alone };
}

/** Series without a number come last, in the order in which they were found. */
function numberOf({ seriesNumber }: DicomFile): number {
  const number = Number(seriesNumber === undefined || seriesNumber === '' ? NaN : seriesNumber);
  return Number.isFinite(number) ? number : Number.MAX_SAFE_INTEGER;
}
