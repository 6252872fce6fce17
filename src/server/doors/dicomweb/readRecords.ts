import { ViewerError } from '../../../shared/contract/errors.ts';
import type { DataSet } from '../../standard/dicom/dataSet.ts';
import { dictionaryVr } from '../../standard/dicom/dictionary.ts';
import { toTextElement, writeDicomJson } from '../../standard/dicom/dicomJson.ts';
import { type DicomObject, readDicom, type ReadOptions } from '../../standard/dicom/readDataSet.ts';
import * as Tag from '../../standard/dicom/tag.ts';
import { findRedactions, type KnownSource, withSame } from '../../bytes/origins/origins.ts';
import type { ByteSource } from '../../bytes/origins/byteSource.ts';
import { encodeTexts } from '../../machine/workers/jsonPieces.ts';
import type { TaskContext } from '../../machine/workers/serveTasks.ts';
import { type AttributeMatch, matchesValues } from './attributeMatch.ts';
import type { InstanceFile, MetadataInput, MetadataPiece, RecordsInput } from './dicomwebTasks.ts';

/** Values of a searched attribute that are compared. */
const MOST_COMPARED = 256;
const MOST_ITEMS = 256;

/** Implements `readRecordsTask`. */
export function readRecords(input: RecordsInput, { throwIfCancelled }: TaskContext): (string | undefined)[] {
  const { files, wanted, isAllWanted, matches } = input;
  const searched = matches.map(({ path }) => path[0]!);
  const shown = new Set([...wanted, ...input.shown, ...searched, Tag.SpecificCharacterSet]);
  const top = new Set([...shown, Tag.PixelRepresentation]);
  const options: ReadOptions = {
    // Attributes behind the pixels are seldom wanted, and reading up to them takes long.
    until: Tag.FloatPixelData,
    filter: { element: (depth, tag) => isAllWanted || depth > 0 || top.has(tag), item: () => true },
  };
  return files.map((file) => {
    throwIfCancelled();
    return skipGone(() =>
      withSame(file.source, (source) => {
        const { dataSet } = isAllWanted ? readAmongOthers(source, options) : readDicom(source, options);
        if (!matches.every((match) => matchesDataSet(dataSet, match))) return undefined;
        const more = new Map([...emptyElements(dataSet, wanted), ...file.more]);
        return [
          ...writeDicomJson(dataSet, {
            wants: (tag) => isAllWanted || shown.has(tag),
            hidesPixels: isRedacted(file.source),
            bulkUri: (path) => toBulkUri(file, path),
            more,
          }),
        ].join('');
      }),
    );
  });
}

/** Also as long as that is not known. */
function isRedacted(source: KnownSource): boolean {
  try {
    return findRedactions(source) !== undefined;
  } catch {
    return true;
  }
}

/** A file that is no longer there cannot be found. */
function skipGone(read: () => string | undefined): string | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof ViewerError && error.code === 'file_gone') return undefined;
    throw error;
  }
}

/** Elements of an answer that a file does not have: clients expect them all. */
function emptyElements(dataSet: DataSet, wanted: readonly number[]): [number, string][] {
  return wanted.flatMap((tag) => {
    return dataSet.has(tag) ? [] : [[tag, toTextElement(dictionaryVr(tag) ?? 'UN', [])]];
  });
}

function matchesDataSet(dataSet: DataSet, match: AttributeMatch): boolean {
  const [tag, ...inner] = match.path;
  if (tag === undefined) return false;
  if (inner.length === 0) return matchesValues(dataSet.strings(tag, MOST_COMPARED), match);
  const items = dataSet.items(tag).slice(0, MOST_ITEMS);
  // Universal matching matches an empty sequence as well. PS3.4 C.2.2.2.6.
  if (items.length === 0) return matchesValues([], match);
  return items.some((item) => matchesDataSet(item, { ...match, path: inner }));
}

/** A piece is sent while the next one is written. */
const PIECE_BYTES = 512 * 1024;

/** Implements `writeMetadataTask`. */
export function writeMetadata(
  { files, isOne }: MetadataInput,
  { transfer, throwIfCancelled }: TaskContext,
): MetadataPiece {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  let count = 0;
  for (const file of files) {
    throwIfCancelled();
    const json = withSame(file.source, (source) => {
      const { dataSet } = isOne ? readWhole(source) : readAmongOthers(source);
      return encodeTexts(
        writeDicomJson(dataSet, { bulkUri: (path) => toBulkUri(file, path), hidesPixels: isRedacted(file.source) }),
      );
    });
    pieces.push(json);
    bytes += json.length + 1;
    count += 1;
    if (bytes >= PIECE_BYTES) break;
  }
  return { json: transfer(joinByCommas(pieces, bytes - 1)), count };
}

function joinByCommas(pieces: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(Math.max(0, length));
  let at = 0;
  for (const piece of pieces) {
    if (at > 0) joined[at++] = COMMA;
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}

const COMMA = ','.charCodeAt(0);

function toBulkUri({ address }: InstanceFile, path: string): string {
  return `${address}/bulkdata/${path}`;
}

/** An object of which the reader had to leave out a part is refused, because clients would take the rest for all. */
function readWhole(source: ByteSource): DicomObject {
  const object = readDicom(source);
  if (isCutShort(object)) throw new ViewerError('document_too_large', 'the object has more elements than can be read');
  return object;
}

/** Of an object that cannot be read whole, the elements outside of sequences: the others of its study are sent as well. */
function readAmongOthers(source: ByteSource, options: ReadOptions = {}): DicomObject {
  const object = readDicom(source, options);
  if (!isCutShort(object)) return object;
  return readDicom(source, {
    ...options,
    filter: { element: (depth, tag) => depth === 0 && dictionaryVr(tag) !== 'SQ', item: () => false },
  });
}

function isCutShort({ dataSet, flags }: DicomObject): boolean {
  return dataSet.omitted !== undefined || flags.some(({ code }) => LIMITS.has(code));
}

const LIMITS: ReadonlySet<string> = new Set(['element_limit', 'byte_limit', 'depth_limited', 'fragment_limit']);
