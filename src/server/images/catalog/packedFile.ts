import { loseSource } from '../../bytes/origins/origins.ts';
import { unpackSource } from '../../bytes/origins/sourceColumns.ts';
import { type ColumnReader, defineGetters, type Layout } from './columnForms.ts';
import type { DicomFile } from './dicomFile.ts';
import { FIELDS, type FileColumns, FILE_END, PLACEMENT, readText, SOURCE } from './fileColumns.ts';
import { numberOfRow } from './numberColumns.ts';
import type { Placement } from './placement.ts';

class PackedRow implements ColumnReader {
  // Truly private, so that sending or printing a file does not include all columns.
  #columns: FileColumns;
  #row: number;

  constructor(columns: FileColumns, row: number) {
    this.#columns = columns;
    this.#row = row;
  }

  findText(at: number): string | undefined {
    const place = numberOfRow(this.#columns.numbers, at, this.#row);
    return Number.isNaN(place) ? undefined : readText(this.#columns, place);
  }

  findNumber(at: number): number | undefined {
    const value = numberOfRow(this.#columns.numbers, FILE_END.text + at, this.#row);
    return Number.isNaN(value) ? undefined : value;
  }

  findItem(list: number, at: number): unknown {
    return this.#columns.lists[list]![at];
  }

  /** Takes the values of another row. */
  protected takeRow(other: PackedRow): void {
    this.#columns = other.#columns;
    this.#row = other.#row;
  }

  /** The rows of the files from `start` on that follow each other in the same batch: some of it may not be listed. */
  static rowsFrom(files: readonly PackedRow[], start: number): FileRows | undefined {
    const file = files[start];
    if (file === undefined) return undefined;
    let end = start + 1;
    while (
      end < files.length &&
      files[end]!.#columns === file.#columns &&
      files[end]!.#row === file.#row + end - start
    ) {
      end += 1;
    }
    return { columns: file.#columns, first: file.#row, count: end - start };
  }

  protected findPlacement(): Placement | undefined {
    const isThere = !Number.isNaN(numberOfRow(this.#columns.numbers, SOURCE.end.text, this.#row));
    return isThere ? new PackedPlacement(this.#columns, this.#row) : undefined;
  }
}

/** Consecutive rows, in a form that can be sent to another thread; a file itself cannot be sent. */
export type FileRows = { readonly columns: FileColumns; readonly first: number; readonly count: number };

/** A row class with a getter for each field of the layouts. */
function rowWith<First, Second = unknown>(first: Layout<First>, second?: Layout<Second>) {
  class Row extends PackedRow {}
  defineGetters(first, Row);
  if (second !== undefined) defineGetters(second, Row);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it has these getters
  return Row as unknown as (new (columns: FileColumns, row: number) => PackedRow & First & Second) &
    Pick<typeof PackedRow, 'prototype' | 'rowsFrom'>;
}

/**
 * A file of the catalog, read from the columns of its batch. Its fields are getters, which a copy with `...` leaves
 * out.
 */
export class PackedFile extends rowWith(FIELDS, SOURCE) implements DicomFile {
  /** Set once, by the catalog. */
  index = -1;
  /** Set by the catalog for a file that was listed before it was read. */
  revised: number | undefined = undefined;

  /** The files of the rows; the first one has the given index in the catalog. */
  static ofRows({ columns, first, count }: FileRows, index: number): PackedFile[] {
    return Array.from({ length: count }, (_, at) => {
      const file = new PackedFile(columns, first + at);
      file.index = index + at;
      return file;
    });
  }

  /** Set by the catalog if the file turned out to be another one than was listed. */
  isLost = false;

  /** The same file, after it was read: whoever has this object sees what is known now. */
  becomeRead(read: PackedFile): void {
    this.takeRow(read);
  }

  get revision() {
    return this.revised ?? this.index + 1;
  }
  get source() {
    const source = unpackSource(this.packedSource, { path: this.path, size: this.fileBytes });
    return this.isLost ? loseSource(source) : source;
  }
  get placement() {
    return this.findPlacement();
  }
}

class PackedPlacement extends rowWith(PLACEMENT) implements Placement {}
