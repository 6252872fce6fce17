import type { DicomFile } from '../catalog/dicomFile.ts';
import { buildSeries, isStackable } from './buildSeries.ts';
import type { ReadGeometry } from './geometryReader.ts';
import { isOrderPending, type KeyFrames, listKeyFrames } from './keyFrames.ts';
import type { WantedKeyFrames } from './seriesMessages.ts';
import type { Series, Stack } from './stack.ts';
import { joinStacks } from './jointStack.ts';
import {
  buildJointRecord,
  buildStackRecord,
  type LargeStack,
  MOST_STACK_FRAMES,
  type StackRecord,
} from './stackRecord.ts';
import { compareTexts } from '../../../shared/compareTexts.ts';

/** The series of all files added so far. */
export interface SeriesStacks {
  /** By index. */
  readonly files: readonly DicomFile[];
  /** The known positions of the frames of a file. */
  geometryOf(file: DicomFile): ReadGeometry | undefined;
  add(file: DicomFile): void;
  /** More is known of a file that was added. Its UIDs are the same. */
  replace(file: DicomFile): void;
  /** Sets the positions of the frames of a file; until then they are in stored order. */
  place(fileIndex: number, geometry: ReadGeometry): void;
  /** Sets the files that are no longer there: they are in no stack. */
  leaveOut(gone: ReadonlySet<number>): void;
  /** Rebuilds the series that have changed. Sorted by study and series UID; unchanged series are reused. */
  build(): readonly Series[];
  /** The frames that stand for a series; undefined if no file is of it. */
  findKeyFrames(wanted: WantedKeyFrames): KeyFrames | undefined;
  /**
   * The stack of a frame; without `frame`, of the first frame of the file that is in one. A joint one has the frames of all
   * stacks that may be one volume with it, unless these are too many.
   */
  findStack(wanted: {
    readonly fileIndex: number;
    readonly frame: number | undefined;
    readonly isJoint: boolean;
  }): StackRecord | LargeStack | undefined;
}

type Entry = {
  readonly studyInstanceUid: string;
  readonly seriesInstanceUid: string;
  readonly files: DicomFile[];
  built: Series | undefined;
};

export function createSeriesStacks(): SeriesStacks {
  const files: DicomFile[] = [];
  const geometries = new Map<number, ReadGeometry>();
  let gone: ReadonlySet<number> = new Set();
  /** The first file of each series that is in no stack. */
  const others = new Map<string, number>();
  const entries = new Map<string, Map<string, Entry>>();
  const changed = new Set<Entry>();
  const geometryOf = ({ index }: DicomFile) => geometries.get(index);
  let sorted: Entry[] = [];
  let answered: readonly Series[] = [];
  let count = 0;

  function findEntry({ studyInstanceUid, seriesInstanceUid }: DicomFile): Entry | undefined {
    return entries.get(studyInstanceUid)?.get(seriesInstanceUid);
  }

  function addToEntry(file: DicomFile): Entry {
    const { studyInstanceUid, seriesInstanceUid } = file;
    const known = findEntry(file);
    if (known !== undefined) {
      known.files.push(file);
      return known;
    }
    // An array literal with one file reserves no space for more: many series have only one.
    const entry: Entry = { studyInstanceUid, seriesInstanceUid, files: [file], built: undefined };
    const study = entries.get(studyInstanceUid) ?? new Map<string, Entry>();
    entries.set(studyInstanceUid, study.set(seriesInstanceUid, entry));
    count += 1;
    return entry;
  }

  function noteOther({ studyInstanceUid, seriesInstanceUid, index }: DicomFile): void {
    const key = keyOf(studyInstanceUid, seriesInstanceUid);
    if (!others.has(key)) others.set(key, index);
  }

  function change(fileIndex: number): void {
    const file = files[fileIndex];
    const entry = file && findEntry(file);
    if (entry !== undefined) changed.add(entry);
  }

  function build(): readonly Series[] {
    if (changed.size === 0) return answered;
    for (const entry of changed) {
      const present = gone.size === 0 ? entry.files : entry.files.filter(({ index }) => !gone.has(index));
      entry.built = present.length === 0 ? undefined : buildSeries({ ...entry, files: present, geometryOf });
    }
    changed.clear();
    if (sorted.length !== count) sorted = sortEntries(entries);
    answered = sorted.flatMap(({ built }) => built ?? []);
    return answered;
  }

  return {
    files,
    geometryOf,
    build,
    findStack({ fileIndex, frame, isJoint }) {
      build();
      const file = files[fileIndex];
      const series = file && findEntry(file)?.built;
      const stack = series?.stacks.find((candidate) => holds(candidate, fileIndex, frame));
      if (series === undefined || stack === undefined) return undefined;
      const sources = { files, geometryOf };
      const joint = isJoint ? joinStacks(series, stack, sources, MOST_STACK_FRAMES) : undefined;
      return joint === undefined ? buildStackRecord(stack, sources) : buildJointRecord(joint, sources);
    },
    findKeyFrames({ studyInstanceUid, seriesInstanceUid, wanted }) {
      build();
      const series = entries.get(studyInstanceUid)?.get(seriesInstanceUid)?.built;
      const first = others.get(keyOf(studyInstanceUid, seriesInstanceUid));
      const other = first === undefined || gone.has(first) ? undefined : first;
      if (series === undefined && other === undefined) return undefined;
      const isPending = series?.stacks.some((stack) =>
        isOrderPending(stack, files, (file) => geometries.has(file.index)),
      );
      const stacks = series === undefined ? [] : listKeyFrames(series, wanted);
      return { stacks, other, isPending: isPending === true };
    },
    add(file) {
      files.push(file);
      if (isStackable(file)) changed.add(addToEntry(file));
      else noteOther(file);
    },
    replace(file) {
      const known = files[file.index]!;
      files[file.index] = file;
      const entry = findEntry(file);
      const at = entry?.files.indexOf(known) ?? -1;
      if (entry === undefined || at < 0) return;
      entry.files.splice(at, 1, ...(isStackable(file) ? [file] : []));
      if (!isStackable(file)) noteOther(file);
      changed.add(entry);
    },
    place(fileIndex, geometry) {
      geometries.set(fileIndex, geometry);
      change(fileIndex);
    },
    leaveOut(vanished) {
      for (const index of vanished) if (!gone.has(index)) change(index);
      for (const index of gone) if (!vanished.has(index)) change(index);
      gone = vanished;
    },
  };
}

function keyOf(studyInstanceUid: string, seriesInstanceUid: string): string {
  return `${studyInstanceUid}/${seriesInstanceUid}`;
}

function holds({ frames }: Stack, fileIndex: number, frame: number | undefined): boolean {
  for (let at = 0; at < frames.length; at += 1) {
    if (frames.fileIndices[at] === fileIndex && (frame === undefined || frames.frameIndices[at] === frame)) return true;
  }
  return false;
}

function sortEntries(entries: ReadonlyMap<string, ReadonlyMap<string, Entry>>): Entry[] {
  const all = [...entries.values()].flatMap((study) => [...study.values()]);
  return all.toSorted(
    (a, b) =>
      compareTexts(a.studyInstanceUid, b.studyInstanceUid) || compareTexts(a.seriesInstanceUid, b.seriesInstanceUid),
  );
}
