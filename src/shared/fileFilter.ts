import { type FileField, type FileFieldName, listFields } from './contract/fileFields.ts';

const FILTERED_FORMS: ReadonlySet<FileField['form']> = new Set(['text', 'integer', 'flag', 'term']);
const LAST: readonly FileFieldName[] = ['label', 'path'];

/** Keeps the files whose field contains the text, ignoring case. */
export type Filter = { readonly field: FilterField; readonly text: string };

/** What a file has to meet to be opened: text in one of its fields, or a condition as `--where` has it. */
export type FileCriterion = Filter | { readonly where: string };

export type ParsedFilters =
  | { readonly ok: true; readonly filters: readonly Filter[] }
  | { readonly ok: false; readonly message: string };

/** Each filter has the form `FIELD=VALUE`; the field is given by its DICOM keyword or by its name in the file list. */
export function parseFilters(texts: readonly string[]): ParsedFilters {
  const filters: Filter[] = [];
  for (const given of texts) {
    const equals = given.indexOf('=');
    if (equals < 0) return refuse(`"${given}" is not FIELD=VALUE`);
    const name = given.slice(0, equals).trim();
    const field = findFilterField(name);
    if (field === undefined) return refuse(`"${name}" is not a field to filter by`);
    const text = given.slice(equals + 1).trim();
    if (text === '') return refuse(`no value is given for "${name}"`);
    filters.push({ field, text: text.toLowerCase() });
  }
  return { ok: true, filters };
}

/** Several conditions of `--where` are one. */
export function splitConditions(conditions: readonly FileCriterion[]): {
  readonly filters: readonly Filter[];
  readonly where: string | undefined;
} {
  const texts = conditions.flatMap((condition) => ('where' in condition ? [condition.where] : []));
  return {
    filters: conditions.filter((condition) => 'field' in condition),
    where: texts.length > 1 ? texts.map((text) => `(${text})`).join(' and ') : texts[0],
  };
}

export function matchesFilters(
  file: { readonly [Field in FilterField]?: unknown },
  filters: readonly Filter[],
): boolean {
  return filters.every(({ field, text }) => containsText(file[field], text));
}

/** Whether a value of a file contains a text of small letters. */
export function containsText(value: unknown, text: string): boolean {
  const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return (isPlain ? String(value) : '').toLowerCase().includes(text);
}

type FilterField = FileFieldName;

/** Texts, counts, flags and terms. Label and path are listed last, because they are not in the header. */
const FIELDS = listFields()
  .filter(({ form, isFilter, isInternal }) => isFilter !== false && !isInternal && FILTERED_FORMS.has(form))
  .toSorted((a, b) => LAST.indexOf(a.name) - LAST.indexOf(b.name))
  .map(({ name, wireName, alias, element, keyword = element }) => ({ field: name, name: wireName, alias, keyword }));

/** By its DICOM keyword, its name in the file list or the name that dcmview uses. */
export function findFilterField(name: string): FilterField | undefined {
  const wanted = name.toLowerCase();
  return FIELDS.find(
    (known) => known.name === wanted || known.alias === wanted || known.keyword?.toLowerCase() === wanted,
  )?.field;
}

function refuse(problem: string): ParsedFilters {
  const names = FIELDS.map(({ name, keyword }) => (keyword === undefined ? name : `${keyword} (${name})`));
  return { ok: false, message: `--filter: ${problem}; fields: ${names.join(', ')}` };
}
