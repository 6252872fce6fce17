import { OBJECT_KINDS, SPACING_SOURCES, SUPPORT_STATES } from '../../shared/contract/fileTerms.ts';
import type { DicomFile } from './dicomFile.ts';
import { type FileColumns, findNumber, findText, hasText, type NumberName, type TextName } from './fileColumns.ts';
import type { Placement } from './placement.ts';

/** A file of the catalog, read from the columns of its batch. Its fields are getters, which a copy by `...` leaves out. */
export class PackedFile implements DicomFile {
  /** Set by the catalog, once. */
  index = -1;
  readonly #columns: FileColumns;
  readonly #row: number;

  constructor(columns: FileColumns, row: number) {
    this.#columns = columns;
    this.#row = row;
  }

  get revision() {
    return this.index + 1;
  }
  get path() {
    return this.#text('path');
  }
  get realPath() {
    return this.#findText('realPath') ?? this.path;
  }
  get sopInstanceUid() {
    return this.#text('sopInstanceUid');
  }
  get instanceNumber() {
    return this.#text('instanceNumber');
  }
  get label() {
    return this.#text('label');
  }
  get patientId() {
    return this.#text('patientId');
  }
  get patientName() {
    return this.#text('patientName');
  }
  get studyInstanceUid() {
    return this.#text('studyInstanceUid');
  }
  get studyDate() {
    return this.#text('studyDate');
  }
  get studyDescription() {
    return this.#text('studyDescription');
  }
  get seriesInstanceUid() {
    return this.#text('seriesInstanceUid');
  }
  get seriesNumber() {
    return this.#text('seriesNumber');
  }
  get seriesDescription() {
    return this.#text('seriesDescription');
  }
  get modality() {
    return this.#text('modality');
  }
  get sopClassUid() {
    return this.#text('sopClassUid');
  }
  get sopClassName() {
    return this.#findText('sopClassName');
  }
  get objectKind() {
    return OBJECT_KINDS[this.#number('objectKind')] ?? 'unknown';
  }
  get supportState() {
    return SUPPORT_STATES[this.#number('supportState')] ?? 'unsupported';
  }
  get supportReason() {
    return this.#findText('supportReason');
  }
  get hasPixels() {
    return this.#number('hasPixels') === 1;
  }
  get frameCount() {
    return this.#number('frameCount');
  }
  get rows() {
    return this.#number('rows');
  }
  get columns() {
    return this.#number('columns');
  }
  get samplesPerPixel() {
    return this.#number('samplesPerPixel');
  }
  get bitsAllocated() {
    return this.#number('bitsAllocated');
  }
  get bitsStored() {
    return this.#number('bitsStored');
  }
  get photometricInterpretation() {
    return this.#text('photometricInterpretation');
  }
  get pixelAspectRatio() {
    return this.#findNumber('pixelAspectRatio');
  }
  get pixelSpacingMm(): DicomFile['pixelSpacingMm'] {
    const row = this.#findNumber('rowSpacingMm');
    return row === undefined ? undefined : [row, this.#number('columnSpacingMm')];
  }
  get pixelSpacingSource() {
    return SPACING_SOURCES[this.#findNumber('pixelSpacingSource') ?? -1];
  }
  get transferSyntaxUid() {
    return this.#text('transferSyntaxUid');
  }
  get transferSyntaxName() {
    return this.#text('transferSyntaxName');
  }
  get frameOfReferenceUid() {
    return this.#findText('frameOfReferenceUid');
  }
  get defaultWindow() {
    const center = this.#findNumber('windowCenter');
    return center === undefined ? undefined : { center, width: this.#number('windowWidth') };
  }
  get fileBytes() {
    return this.#number('size');
  }
  get identity() {
    const [dev, ino] = [this.#number('dev'), this.#number('ino')];
    return { dev, ino, size: this.#number('size'), mtimeMs: this.#number('mtimeMs') };
  }
  get placement() {
    return hasText(this.#columns, this.#row, 'imageType') ? new PackedPlacement(this.#columns, this.#row) : undefined;
  }

  #text(name: TextName): string {
    return findText(this.#columns, this.#row, name) ?? '';
  }
  #findText(name: TextName): string | undefined {
    return findText(this.#columns, this.#row, name);
  }
  #number(name: NumberName): number {
    return findNumber(this.#columns, this.#row, name) ?? NaN;
  }
  #findNumber(name: NumberName): number | undefined {
    return findNumber(this.#columns, this.#row, name);
  }
}

class PackedPlacement implements Placement {
  readonly #columns: FileColumns;
  readonly #row: number;

  constructor(columns: FileColumns, row: number) {
    this.#columns = columns;
    this.#row = row;
  }

  get imageType() {
    return findText(this.#columns, this.#row, 'imageType') ?? '';
  }
  get echoNumber() {
    return this.#find('echoNumber');
  }
  get time() {
    return this.#find('time');
  }
  get position() {
    const x = this.#find('positionX');
    return x === undefined ? undefined : [x, this.#find('positionY') ?? NaN, this.#find('positionZ') ?? NaN];
  }
  get orientation() {
    return this.#columns.orientations[this.#find('orientation') ?? -1];
  }
  get hasFrameGeometry() {
    return this.#find('hasFrameGeometry') === 1;
  }
  get concatenation() {
    return this.#columns.concatenations[this.#find('concatenation') ?? -1];
  }
  get slide() {
    return this.#columns.slides[this.#find('slide') ?? -1];
  }

  #find(name: NumberName): number | undefined {
    return findNumber(this.#columns, this.#row, name);
  }
}
