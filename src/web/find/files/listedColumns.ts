import { type FileField, listFields, type NamedField } from '../../../shared/contract/fileFields.ts';
import type { FileRecord } from '../../../shared/contract/files.ts';

export type ListedValue = string | number | boolean | null;

/** Something that the list knows of every file. */
export type ListedColumn = {
  /** As users know it: the DICOM keyword, if it has one. */
  readonly name: string;
  /** Other names for it. */
  readonly aliases: readonly string[];
  readonly isText: boolean;
  /** Null if the file does not have it. */
  readonly read: (file: FileRecord) => ListedValue;
};

/** Texts of the list that are whole numbers in the file, and in the columns of an index. */
const WRITTEN_NUMBERS: ReadonlySet<string> = new Set(['seriesNumber', 'instanceNumber']);

const PAIRS: Readonly<
  Partial<Record<FileField['form'], readonly (readonly [suffix: string, key: string | number])[]>>
> = {
  pair: [
    ['_row', 0],
    ['_column', 1],
  ],
  window: [
    ['_center', 'center'],
    ['_width', 'width'],
  ],
};

/** As the columns of `negato index`, as far as the list knows them. */
export const LISTED_COLUMNS: readonly ListedColumn[] = listFields()
  .filter(({ isInternal }) => !isInternal)
  .flatMap(columnsOf);

const BY_NAME: ReadonlyMap<string, ListedColumn> = new Map(
  LISTED_COLUMNS.toReversed().flatMap((column) =>
    [column.name, ...column.aliases].map((name) => [name.toLowerCase(), column] as const),
  ),
);

export function findListedColumn(name: string): ListedColumn | undefined {
  return BY_NAME.get(name.toLowerCase());
}

/** All names that a condition may use. */
export const COLUMN_NAMES: readonly string[] = LISTED_COLUMNS.flatMap(({ name, aliases }) => [name, ...aliases]);

function columnsOf(field: NamedField): readonly ListedColumn[] {
  const { name, wireName, form, alias, element, keyword = element } = field;
  const pair = PAIRS[form];
  if (pair !== undefined) {
    return pair.map(([suffix, key]) => ({
      name: wireName + suffix,
      aliases: [],
      isText: false,
      read: (file) => toValue(Reflect.get(Object(Reflect.get(file, wireName) ?? {}), key)),
    }));
  }
  const isOfHeader = form === 'integer' && keyword !== undefined && name !== 'frameCount';
  const read = (file: FileRecord) => {
    const value: unknown = Reflect.get(file, wireName);
    // Empty is not missing.
    if (file.empty_fields?.includes(wireName) === true) return form === 'text' ? '' : 0;
    return toValue(value, isOfHeader);
  };
  const isText = form === 'text' || form === 'term';
  const own: ListedColumn = { name: wireName, aliases: alias === undefined ? [] : [alias], isText, read };
  if (keyword === undefined) return [own];
  if (!WRITTEN_NUMBERS.has(name)) return [{ ...own, name: keyword, aliases: [...own.aliases, wireName] }];
  return [{ ...own, name: keyword, aliases: [], isText: false, read: (file) => toWholeNumber(read(file)) }, own];
}

/** An absent text is empty in the list, and an absent number of the header is 0. */
function toValue(value: unknown, isOfHeader = false): ListedValue {
  if (value === '' || (isOfHeader && value === 0)) return null;
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

function toWholeNumber(value: ListedValue): number | null {
  return typeof value === 'string' && /^\s*[+-]?\d+\s*$/.test(value) ? Number(value) : null;
}
