import type { Catalog } from '../../images/catalog/catalog.ts';
import type { DicomFile } from '../../images/catalog/dicomFile.ts';
import type { InstanceIndex } from '../../images/references/instanceIndex.ts';
import { doInTurns, type WorkInTurns } from '../../machine/workers/doInTurns.ts';

export type SeriesNode = {
  readonly uid: string;
  readonly study: StudyNode;
  /** Indices of the files, one for each instance, in the order of the walk. */
  readonly files: number[];
};

export type StudyNode = {
  readonly uid: string;
  readonly series: Map<string, SeriesNode>;
  readonly modalities: Set<string>;
};

/** The open files by study and series. */
export type StudyTree = {
  /** In the order of the walk. */
  readonly studies: ReadonlyMap<string, StudyNode>;
  /** Files without the UIDs by which they could be requested. */
  readonly unaddressed: number;
  /** Copies of an instance, of which the first file is used. */
  readonly copies: number;
};

/** Reads the files that have been found since the last call, and all of them again if some have vanished or come back. */
export type FollowStudies = () => Promise<StudyTree>;

export function createStudyTree({
  catalog,
  instances,
}: {
  readonly catalog: Pick<Catalog, 'files' | 'gone'>;
  readonly instances: Pick<InstanceIndex, 'find'>;
}): FollowStudies {
  let studies = new Map<string, StudyNode>();
  let unaddressed = 0;
  let copies = 0;
  let read = 0;
  let goneChanges = catalog.gone.changes;
  let following: Promise<void> | undefined;

  const add = (file: DicomFile): void => {
    const { studyInstanceUid, seriesInstanceUid, sopInstanceUid, modality } = file;
    if (![studyInstanceUid, seriesInstanceUid, sopInstanceUid].every(isUid)) {
      unaddressed += 1;
      return;
    }
    if (isCopy(file)) {
      copies += 1;
      return;
    }
    const study = studies.get(studyInstanceUid) ?? { uid: studyInstanceUid, series: new Map(), modalities: new Set() };
    studies.set(studyInstanceUid, study);
    const series = study.series.get(seriesInstanceUid) ?? { uid: seriesInstanceUid, study, files: [] };
    study.series.set(seriesInstanceUid, series);
    series.files.push(file.index);
    if (modality !== '') study.modalities.add(modality);
  };

  /** The series of files that share their SOP Instance UID with others: each is looked at once, however many they are. */
  const seriesOfShared = new Map<string, Set<string>>();

  /** A file that has moved is another one, and the first of its instance has vanished. Answers may still read the old tree. */
  const forget = (): void => {
    studies = new Map();
    seriesOfShared.clear();
    [unaddressed, copies, read] = [0, 0, 0];
    goneChanges = catalog.gone.changes;
  };

  const isCopy = (file: DicomFile): boolean => {
    const uid = file.sopInstanceUid;
    const sharing = instances.find(uid);
    if (sharing.length < 2) return false;
    let known = seriesOfShared.get(uid);
    if (known === undefined) {
      known = new Set();
      // The first of them came when it was the only one.
      for (const index of sharing) {
        if (index >= file.index) break;
        const before = catalog.files[index];
        if (before !== undefined) known.add(seriesOf(before));
      }
      seriesOfShared.set(uid, known);
    }
    const series = seriesOf(file);
    if (known.has(series)) return true;
    known.add(series);
    return false;
  };

  const follow = function* (): WorkInTurns<void> {
    if (goneChanges !== catalog.gone.changes) forget();
    for (; read < catalog.files.length; read += 1) {
      if (!catalog.gone.files.has(read)) add(catalog.files[read]!);
      yield;
    }
  };

  return async () => {
    following ??= doInTurns(follow(), undefined).finally(() => {
      following = undefined;
    });
    await following;
    return { studies, unaddressed, copies };
  };
}

function seriesOf({ studyInstanceUid, seriesInstanceUid }: DicomFile): string {
  return `${studyInstanceUid} ${seriesInstanceUid}`;
}

/** What can be a segment of a path. Real UIDs may have zeros where the standard forbids them. */
export function isUid(text: string): boolean {
  return /^[0-9.]{1,64}$/.test(text) && text !== '.' && text !== '..';
}
