import { ownBytes } from '../../../bytes/origins/byteSource.ts';
import { ViewerError } from '../../../../shared/contract/errors.ts';
import { UNDEFINED_LENGTH } from '../../../standard/dicom/elementCursor.ts';
import { InflatedSource } from '../../../standard/dicom/inflatedSource.ts';
import type { DocumentSource } from '../documentKind.ts';
import { countBinaryTriangles, SNIFFED_BYTES } from './sniffContent.ts';

export const ENCAPSULATED_DOCUMENT = 0x00420011;
const ENCAPSULATED_DOCUMENT_LENGTH = 0x00420015;

/** All bytes of the encapsulated file. Throws `document_too_large` above `most`. */
export function readEncapsulated(source: DocumentSource, most: number): Uint8Array {
  const { offset, length } = locateContent(source);
  if (length > most) {
    const limit = `${Math.floor(most / 2 ** 20)} MiB`;
    throw new ViewerError('document_too_large', `the Encapsulated Document has ${length} bytes, more than ${limit}`);
  }
  return ownBytes(source.dataSet.context.source.read(offset, length));
}

/** So much is parsed however small the file is that it was deflated into. */
const FEW_BYTES = 2 * 2 ** 20;
/** Texts and models deflate to a fifth. What deflates to less than this part repeats itself, and means nothing. */
const MOST_RATIO = 32;

/**
 * The same for a file that is parsed: a few kilobytes can be deflated from so much text that parsing it takes seconds
 * and hundreds of megabytes.
 */
export function readParsable(source: DocumentSource, most: number): Uint8Array {
  const { length } = locateContent(source);
  const { source: bytes } = source.dataSet.context;
  if (bytes instanceof InflatedSource && length > Math.max(FEW_BYTES, MOST_RATIO * bytes.deflatedSize)) {
    throw new ViewerError(
      'document_too_large',
      `the Encapsulated Document has ${length} bytes, deflated to ${bytes.deflatedSize}: more than ${MOST_RATIO} times ` +
        'as many are not read',
    );
  }
  return readEncapsulated(source, most);
}

type ContentPlace = {
  readonly offset: number;
  /** Without padding. */
  readonly length: number;
  readonly opening: Uint8Array;
};

/** Where the encapsulated file lies in the data set. Throws `no_document` if there is none. */
export function locateContent(source: DocumentSource): ContentPlace {
  const { dataSet } = source;
  const element = dataSet.element(ENCAPSULATED_DOCUMENT);
  if (element === undefined || element.length === 0) {
    throw new ViewerError('no_document', 'the Encapsulated Document is absent or empty');
  }
  if (element.items !== undefined || element.declaredLength === UNDEFINED_LENGTH) {
    throw new ViewerError('malformed_content', 'the Encapsulated Document is stored as a sequence');
  }
  const { offset } = element;
  const opening = dataSet.bytes(ENCAPSULATED_DOCUMENT, SNIFFED_BYTES) ?? new Uint8Array(0);
  const length = lengthWithoutPadding(source, { offset, length: element.length, opening });
  return { offset, length, opening: opening.subarray(0, length) };
}

/**
 * Values have an even length, so a file of odd length is stored with one more byte. Encapsulated Document Length says
 * so in newer objects (PS3.3 C.24.2). It can differ by that byte only, so any other length is not believed.
 */
function lengthWithoutPadding({ dataSet }: DocumentSource, { offset, length, opening }: ContentPlace): number {
  const declared = dataSet.number(ENCAPSULATED_DOCUMENT_LENGTH);
  if (declared === length || (declared === length - 1 && declared > 0)) return declared;
  if (length % 2 === 1 || countBinaryTriangles(opening, length) !== undefined) return length;
  const [last] = dataSet.context.source.read(offset + length - 1, 1);
  return last === 0 && length > 1 ? length - 1 : length;
}
