import { ViewerError } from '../../../shared/contract/errors.ts';
import { readAsOf } from '../../standard/dicom/tagValue.ts';
import type { DataElement, DataSet } from '../../standard/dicom/dataSet.ts';
import { readValue, toLittleEndian } from '../../standard/dicom/dicomJson.ts';
import { readDicom } from '../../standard/dicom/readDataSet.ts';
import type { StoredValue } from '../../say/documents/storedValue.ts';
import { ownBytes } from '../../bytes/origins/byteSource.ts';
import { findRedactions, withSame } from '../../bytes/origins/origins.ts';
import type { TaskContext } from '../../machine/workers/serveTasks.ts';
import { vrTraits } from '../../standard/dicom/vr.ts';
import type { BulkInput } from './dicomwebTasks.ts';

/** A value that does not lie in the file as it is sent is held until it is sent. */
const MOST_HELD = 64 * 2 ** 20;
const MOST_LEVELS = 64;

/** Implements `findBulkTask`. */
export function findBulk({ source: file, path }: BulkInput, context: TaskContext): StoredValue {
  const { tags, items } = parseBulkPath(path);
  return withSame(file, (source) => {
    const { dataSet: root } = readDicom(source, {
      filter: {
        element: (depth, tag) => depth < tags.length && tag === tags[depth],
        item: (depth, index) => index === items[depth],
      },
    });
    let dataSet: DataSet | undefined = root;
    // The filter has kept one item of each sequence on the path.
    for (const tag of tags.slice(0, -1)) dataSet = dataSet?.items(tag)[0];
    const element = dataSet?.element(tags.at(-1)!);
    if (dataSet === undefined || element === undefined || element.items !== undefined) {
      throw new ViewerError('tag_not_found', 'the object has no such value');
    }
    if (dataSet.context.source === source && !isSwapped(dataSet, element)) {
      const { offset, length } = element;
      return { places: { starts: Float64Array.of(offset), ends: Float64Array.of(offset + length) } };
    }
    // A value that lies in the file is refused when it is sent.
    if (findRedactions(file) !== undefined) {
      throw new ViewerError('masked', 'parts of the file are redacted, so its values are not sent as they are stored');
    }
    if (element.length > MOST_HELD) {
      throw new ViewerError('document_too_large', `the value has ${element.length} bytes and cannot be converted`);
    }
    const bytes = readValue(dataSet, element);
    const vr = readAsOf(dataSet, element);
    return { bytes: context.transfer(isSwapped(dataSet, element) ? toLittleEndian(bytes, vr) : ownBytes(bytes)) };
  });
}

/** Whether the bytes of the value are in the order of a big-endian file. */
function isSwapped(dataSet: DataSet, element: DataElement): boolean {
  if (dataSet.context.littleEndian || element.vr === 'UN' || element.fragments !== undefined) return false;
  return (vrTraits(readAsOf(dataSet, element))?.unit ?? 1) > 1;
}

/** `00081140.0.00081155`: the tags of sequences, each with the number of an item, and the tag of the value. */
export function parseBulkPath(path: string): { readonly tags: readonly number[]; readonly items: readonly number[] } {
  const parts = path.split('.', 2 * MOST_LEVELS);
  const tags = parts.filter((_, index) => index % 2 === 0);
  const items = parts.filter((_, index) => index % 2 === 1);
  const isPath = tags.every((tag) => /^[0-9A-Fa-f]{8}$/.test(tag)) && items.every((item) => /^\d{1,9}$/.test(item));
  if (!isPath || tags.length !== items.length + 1) {
    throw new ViewerError('invalid_path', 'the path of a value is tags and numbers of items: 00081140.0.00081155');
  }
  return { tags: tags.map((tag) => parseInt(tag, 16)), items: items.map(Number) };
}
