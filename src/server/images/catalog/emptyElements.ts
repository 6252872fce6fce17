import { type FileFieldName, listFields } from '../../../shared/contract/fileFields.ts';
import type { Attributes } from '../../standard/dicom/dataSet.ts';
import * as Tag from '../../standard/dicom/tag.ts';

/**
 * Fields of the record that are empty or 0 both for an element without a value, or with the value 0, and for one that the
 * file does not have. `emptyElements` of a file has a bit for each: set if the element is in the file.
 */
const FIELDS: readonly { readonly name: FileFieldName; readonly tag: number; readonly isNumber: boolean }[] = [
  ...listFields().flatMap(({ name, element }) =>
    element === undefined ? [] : [{ name, tag: tagOf(element), isNumber: false }],
  ),
  { name: 'rows', tag: Tag.Rows, isNumber: true },
  { name: 'columns', tag: Tag.Columns, isNumber: true },
  { name: 'bitsAllocated', tag: Tag.BitsAllocated, isNumber: true },
];

/** The elements that fields hold the text of. */
export const ELEMENT_FIELDS = FIELDS.filter(({ isNumber }) => !isNumber);

/** Uses the named tags: a dictionary lookup would cost the first milliseconds of a new thread. */
function tagOf(keyword: string): number {
  const tags: Readonly<Record<string, unknown>> = Tag;
  const tag = tags[keyword];
  if (typeof tag !== 'number') throw new Error(`tag.ts has no element ${keyword}`);
  return tag;
}

export function findEmptyElements(header: Attributes): number {
  let bits = 0;
  for (const [at, { tag, isNumber }] of FIELDS.entries()) {
    if (isNumber ? header.number(tag) === 0 : header.has(tag) && header.string(tag) === undefined) bits |= 1 << at;
  }
  return bits;
}

/** Whether a field that is empty or 0 says what is in the file. */
export function isInFile(name: FileFieldName, emptyElements: number): boolean {
  const at = PLACES.get(name);
  return at !== undefined && (emptyElements & (1 << at)) !== 0;
}

const PLACES: ReadonlyMap<FileFieldName, number> = new Map(FIELDS.map(({ name }, at) => [name, at]));

/** The names in `/files` of the fields of which this is said. */
export function listEmptyFields(emptyElements: number): string[] {
  return WIRE_NAMES.filter((_, at) => (emptyElements & (1 << at)) !== 0);
}

const WIRE_NAMES = FIELDS.map(({ name }) => listFields().find((field) => field.name === name)?.wireName ?? name);

/** The fields of which this is said, in the order of their bits. */
export function listEmptyElementFields(): readonly FileFieldName[] {
  return FIELDS.map(({ name }) => name);
}
