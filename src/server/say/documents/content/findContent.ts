import { ViewerError } from '../../../../shared/contract/errors.ts';
import { InflatedSource } from '../../../standard/dicom/inflatedSource.ts';
import { chooseKind } from '../documentKinds.ts';
import type { DocumentSource } from '../documentKind.ts';
import type { DocumentFile } from '../documentTasks.ts';
import { withDocument } from '../readDocument.ts';
import type { TaskContext } from '../../../machine/workers/serveTasks.ts';
import type { ContentAsked, FoundContent } from './contentTasks.ts';
import { ENCAPSULATED_DOCUMENT, locateContent, readEncapsulated } from './locateContent.ts';
import { type ContentFormat, sniffContent } from './sniffContent.ts';

/** A deflated file is inflated in memory, so that the bytes of its document are held until they are sent. */
const MOST_INFLATED = 64 * 2 ** 20;

/** Implements `findContentTask`. */
export function findContent({ isViewed, ...file }: DocumentFile & ContentAsked, context: TaskContext): FoundContent {
  return withDocument(file, (source) => {
    const { dataSet } = source;
    requireEncapsulated(source);
    const place = locateContent(source);
    const format = sniffContent(place.opening, place.length);
    if (isViewed && format !== 'pdf') {
      throw new ViewerError('unsupported_media_type', 'the Encapsulated Document is no PDF: it can only be saved');
    }
    const extension = EXTENSIONS[format] ?? EXTENSION_OF_CLASS[file.sopClassUid] ?? '.bin';
    if (!(dataSet.context.source instanceof InflatedSource)) {
      const { offset, length } = place;
      const places = { starts: Float64Array.of(offset), ends: Float64Array.of(offset + length) };
      return { value: { places }, format, extension };
    }
    return { value: { bytes: context.transfer(readEncapsulated(source, MOST_INFLATED)) }, format, extension };
  });
}

const EXTENSIONS: Readonly<Partial<Record<ContentFormat, string>>> = {
  pdf: '.pdf',
  png: '.png',
  jpeg: '.jpg',
  gif: '.gif',
  stl: '.stl',
  xml: '.xml',
};

/** Of formats that cannot be recognized by their bytes. No system runs these files. */
const EXTENSION_OF_CLASS: Readonly<Record<string, string>> = {
  '1.2.840.10008.5.1.4.1.1.104.4': '.obj',
  '1.2.840.10008.5.1.4.1.1.104.5': '.mtl',
};

/** Refuses an object that is no encapsulated file by its class and holds none. */
export function requireEncapsulated(source: DocumentSource): void {
  if (source.dataSet.has(ENCAPSULATED_DOCUMENT) || ENCAPSULATED_KINDS.has(chooseKind(source).name)) return;
  throw new ViewerError('bad_request', 'this object has no Encapsulated Document');
}

const ENCAPSULATED_KINDS: ReadonlySet<string> = new Set(['pdf', 'cda', 'mesh', 'material', 'file']);
