import { OBJECT_KINDS, SPACING_SOURCES, SUPPORT_STATES } from '../../shared/contract/fileTerms.ts';
import { unpackSource } from '../origins/sourceColumns.ts';
import type { DicomFile } from './dicomFile.ts';
import { type FileColumns, NUMBER_AT, NUMBERS, TEXT_AT, TEXTS } from './fileColumns.ts';
import type { Placement } from './placement.ts';

/** One row of the columns. Its values are asked for by their place among those of a file. */
class PackedRow {
  // Private to the last: what sends or prints a file must not take all columns with it.
  readonly #columns: FileColumns;
  readonly #row: number;

  constructor(columns: FileColumns, row: number) {
    this.#columns = columns;
    this.#row = row;
  }

  protected get batch(): FileColumns {
    return this.#columns;
  }

  protected get row(): number {
    return this.#row;
  }

  protected findText(at: number): string | undefined {
    const { text, textEnds, texts } = this.#columns;
    const place = texts[this.#row * TEXTS.length + at] ?? -1;
    return place < 0 ? undefined : text.slice(textEnds[place - 1] ?? 0, textEnds[place]);
  }

  protected hasText(at: number): boolean {
    return this.#columns.texts[this.#row * TEXTS.length + at]! >= 0;
  }

  protected findNumber(at: number): number | undefined {
    const value = this.#columns.numbers[this.#row * NUMBERS.length + at]!;
    return Number.isNaN(value) ? undefined : value;
  }

  /** The rows of the files from `start` on that are in one batch with it. */
  static rowsFrom(files: readonly PackedRow[], start: number): FileRows | undefined {
    const file = files[start];
    if (file === undefined) return undefined;
    let end = start + 1;
    while (end < files.length && files[end]!.#columns === file.#columns) end += 1;
    return { columns: file.#columns, first: file.#row, count: end - start };
  }

  protected text(at: number): string {
    return this.findText(at) ?? '';
  }

  protected number(at: number): number {
    return this.findNumber(at) ?? NaN;
  }
}

/** Rows that follow each other, as they are sent to another thread: a file itself cannot be. */
export type FileRows = { readonly columns: FileColumns; readonly first: number; readonly count: number };

/** A file of the catalog, read from the columns of its batch. Its fields are getters, which a copy by `...` leaves out. */
export class PackedFile extends PackedRow implements DicomFile {
  /** Set by the catalog, once. */
  index = -1;

  /** The files of rows; the first of them is the one at `index` of the catalog. */
  static ofRows({ columns, first, count }: FileRows, index: number): PackedFile[] {
    return Array.from({ length: count }, (_, at) => {
      const file = new PackedFile(columns, first + at);
      file.index = index + at;
      return file;
    });
  }

  get revision() {
    return this.index + 1;
  }
  get path() {
    return this.text(TEXT_AT.path);
  }
  get sopInstanceUid() {
    return this.text(TEXT_AT.sopInstanceUid);
  }
  get instanceNumber() {
    return this.text(TEXT_AT.instanceNumber);
  }
  get label() {
    return this.text(TEXT_AT.label);
  }
  get patientId() {
    return this.text(TEXT_AT.patientId);
  }
  get patientName() {
    return this.text(TEXT_AT.patientName);
  }
  get studyInstanceUid() {
    return this.text(TEXT_AT.studyInstanceUid);
  }
  get studyDate() {
    return this.text(TEXT_AT.studyDate);
  }
  get studyDescription() {
    return this.text(TEXT_AT.studyDescription);
  }
  get seriesInstanceUid() {
    return this.text(TEXT_AT.seriesInstanceUid);
  }
  get seriesNumber() {
    return this.text(TEXT_AT.seriesNumber);
  }
  get seriesDescription() {
    return this.text(TEXT_AT.seriesDescription);
  }
  get modality() {
    return this.text(TEXT_AT.modality);
  }
  get sopClassUid() {
    return this.text(TEXT_AT.sopClassUid);
  }
  get sopClassName() {
    return this.findText(TEXT_AT.sopClassName);
  }
  get objectKind() {
    return OBJECT_KINDS[this.number(NUMBER_AT.objectKind)] ?? 'unknown';
  }
  get supportState() {
    return SUPPORT_STATES[this.number(NUMBER_AT.supportState)] ?? 'unsupported';
  }
  get supportReason() {
    return this.findText(TEXT_AT.supportReason);
  }
  get hasPixels() {
    return this.number(NUMBER_AT.hasPixels) === 1;
  }
  get burnedInAnnotation() {
    return this.number(NUMBER_AT.burnedInAnnotation) === 1;
  }
  get frameCount() {
    return this.number(NUMBER_AT.frameCount);
  }
  get declaredFrameCount() {
    return this.findNumber(NUMBER_AT.declaredFrameCount);
  }
  get rows() {
    return this.number(NUMBER_AT.rows);
  }
  get columns() {
    return this.number(NUMBER_AT.columns);
  }
  get samplesPerPixel() {
    return this.number(NUMBER_AT.samplesPerPixel);
  }
  get bitsAllocated() {
    return this.number(NUMBER_AT.bitsAllocated);
  }
  get bitsStored() {
    return this.number(NUMBER_AT.bitsStored);
  }
  get photometricInterpretation() {
    return this.text(TEXT_AT.photometricInterpretation);
  }
  get pixelAspectRatio() {
    return this.findNumber(NUMBER_AT.pixelAspectRatio);
  }
  get pixelSpacingMm(): DicomFile['pixelSpacingMm'] {
    const row = this.findNumber(NUMBER_AT.rowSpacingMm);
    return row === undefined ? undefined : [row, this.number(NUMBER_AT.columnSpacingMm)];
  }
  get pixelSpacingSource() {
    return SPACING_SOURCES[this.findNumber(NUMBER_AT.pixelSpacingSource) ?? -1];
  }
  get transferSyntaxUid() {
    return this.text(TEXT_AT.transferSyntaxUid);
  }
  get transferSyntaxName() {
    return this.text(TEXT_AT.transferSyntaxName);
  }
  get frameOfReferenceUid() {
    return this.findText(TEXT_AT.frameOfReferenceUid);
  }
  get defaultWindow() {
    const center = this.findNumber(NUMBER_AT.windowCenter);
    return center === undefined ? undefined : { center, width: this.number(NUMBER_AT.windowWidth) };
  }
  get fileBytes() {
    return this.number(NUMBER_AT.size);
  }
  get source() {
    return unpackSource(
      {
        text: this.findText(TEXT_AT.source),
        dev: this.number(NUMBER_AT.dev),
        ino: this.number(NUMBER_AT.ino),
        size: this.number(NUMBER_AT.size),
        mtimeMs: this.number(NUMBER_AT.mtimeMs),
      },
      this.path,
    );
  }
  get placement() {
    return this.hasText(TEXT_AT.imageType) ? new PackedPlacement(this.batch, this.row) : undefined;
  }
}

class PackedPlacement extends PackedRow implements Placement {
  get imageType() {
    return this.text(TEXT_AT.imageType);
  }
  get echoNumber() {
    return this.findNumber(NUMBER_AT.echoNumber);
  }
  get bValue() {
    return this.findNumber(NUMBER_AT.bValue);
  }
  get time() {
    return this.findNumber(NUMBER_AT.time);
  }
  get position() {
    const x = this.findNumber(NUMBER_AT.positionX);
    return x === undefined
      ? undefined
      : [x, this.findNumber(NUMBER_AT.positionY) ?? NaN, this.findNumber(NUMBER_AT.positionZ) ?? NaN];
  }
  get orientation() {
    return this.batch.orientations[this.findNumber(NUMBER_AT.orientation) ?? -1];
  }
  get hasFrameGeometry() {
    return this.findNumber(NUMBER_AT.hasFrameGeometry) === 1;
  }
  get concatenation() {
    return this.batch.concatenations[this.findNumber(NUMBER_AT.concatenation) ?? -1];
  }
  get slide() {
    return this.batch.slides[this.findNumber(NUMBER_AT.slide) ?? -1];
  }
}
