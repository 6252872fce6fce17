import { type FileRows, PackedFile } from '../catalog/packedFile.ts';
import type { TableLevel } from '../../../shared/tableLevel.ts';
import { GrowingNumbers } from './growingNumbers.ts';
import { TextDictionary } from './textDictionary.ts';

/** The files of each row of a level: those of row n are from `starts[n]` on, up to the next start. */
export type Members = { readonly starts: Uint32Array; readonly files: Uint32Array };

/** How well a file stands for its series or study; the lowest is opened. */
const IMAGE = 0;
/** It may be the label of a slide, which has names on it. */
const MAYBE_COMPANION = 1;
const OTHER = 2;

/** The files of a table, and the series and studies that they are of. */
export class TableRows {
  readonly #batches: { readonly first: number; readonly rows: FileRows }[] = [];
  /** Files of which more was learned after they were added. */
  readonly #replaced = new Map<number, PackedFile>();
  readonly #levels = { series: new Groups(), study: new Groups() };
  #last: PackedFile | undefined;
  #count = 0;
  #gone: ReadonlySet<number> = new Set();
  #changes = 0;

  /** Number of files. */
  get count(): number {
    return this.#count;
  }

  /** Grows when rows are added, replaced or left out. */
  get changes(): number {
    return this.#changes;
  }

  get goneCount(): number {
    return this.#gone.size;
  }

  add(rows: FileRows): void {
    this.#batches.push({ first: this.#count, rows });
    for (let at = 0; at < rows.count; at += 1) this.#addToGroups(this.#count + at, this.file(this.#count + at));
    this.#count += rows.count;
    this.#changes += 1;
  }

  /** More is known of files. Their UIDs are the same. */
  replace(first: number, rows: FileRows): void {
    for (const file of PackedFile.ofRows(rows, first)) this.#replaced.set(file.index, file);
    this.#last = undefined;
    this.#changes += 1;
  }

  leaveOut(gone: ReadonlySet<number>): void {
    this.#gone = gone;
    this.#changes += 1;
  }

  isGone(file: number): boolean {
    return this.#gone.has(file);
  }

  file(index: number): PackedFile {
    // Most callers read one column after the other of a file.
    if (this.#last?.index !== index) this.#last = this.#find(index);
    return this.#last;
  }

  #find(index: number): PackedFile {
    const replaced = this.#replaced.get(index);
    if (replaced !== undefined) return replaced;
    let [low, high] = [0, this.#batches.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#batches[middle]!.first <= index) low = middle;
      else high = middle - 1;
    }
    const { first, rows } = this.#batches[low]!;
    const file = new PackedFile(rows.columns, rows.first + index - first);
    file.index = index;
    return file;
  }

  /** Number of rows, also of those whose files have all gone. */
  rowCount(level: TableLevel): number {
    return level === 'file' ? this.#count : this.#levels[level].count;
  }

  rowOf(level: TableLevel, file: number): number {
    return level === 'file' ? file : this.#levels[level].of.at(file);
  }

  /** The files of the rows of a level that are still there. */
  members(level: 'series' | 'study'): Members {
    return this.#levels[level].members(this.#changes, this.#count, this.#gone);
  }

  /** The files of one row that are still there. */
  filesOf(level: 'series' | 'study', row: number): readonly number[] {
    const { starts, files } = this.members(level);
    return [...files.subarray(starts[row], starts[row + 1])];
  }

  /** The file that opens a row. */
  opening(level: TableLevel, row: number): number {
    if (level === 'file') return row;
    const known = this.#levels[level].opening.at(row);
    if (!this.#gone.has(known)) return known;
    const { starts, files } = this.members(level);
    const there = [...files.subarray(starts[row], starts[row + 1])];
    return there.toSorted((a, b) => standing(this.file(a)) - standing(this.file(b)) || a - b)[0] ?? known;
  }

  #addToGroups(index: number, file: PackedFile): void {
    const { studyInstanceUid, seriesInstanceUid, path } = file;
    const key = seriesInstanceUid === '' ? `${path}\0` : `${studyInstanceUid}\0${seriesInstanceUid}`;
    const stands = standing(file);
    this.#levels.series.add(index, key, stands);
    this.#levels.study.add(index, studyInstanceUid, stands);
  }
}

class Groups {
  readonly #keys = new TextDictionary();
  readonly of = new GrowingNumbers();
  readonly opening = new GrowingNumbers();
  readonly #standing = new GrowingNumbers();
  #members: (Members & { readonly changes: number }) | undefined;

  get count(): number {
    return this.#keys.size;
  }

  add(file: number, key: string, stands: number): void {
    const group = this.#keys.add(key) - 1;
    this.of.set(file, group);
    if (group === this.opening.length || stands < this.#standing.at(group)) {
      this.opening.set(group, file);
      this.#standing.set(group, stands);
    }
  }

  members(changes: number, fileCount: number, gone: ReadonlySet<number>): Members {
    if (this.#members?.changes === changes) return this.#members;
    const starts = new Uint32Array(this.count + 1);
    for (let file = 0; file < fileCount; file += 1) if (!gone.has(file)) starts[this.of.at(file) + 1]! += 1;
    for (let group = 0; group < this.count; group += 1) starts[group + 1]! += starts[group]!;
    const next = starts.slice();
    const files = new Uint32Array(starts[this.count]!);
    for (let file = 0; file < fileCount; file += 1) if (!gone.has(file)) files[next[this.of.at(file)]!++] = file;
    this.#members = { starts, files, changes };
    return this.#members;
  }
}

function standing({ supportState, objectKind, frameCount }: PackedFile): number {
  if (supportState !== 'renderable') return OTHER;
  return objectKind === 'whole_slide_microscopy' && frameCount <= 1 ? MAYBE_COMPANION : IMAGE;
}
