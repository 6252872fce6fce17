import { type FieldValues, type FileField, listFields, type WireValues } from '../../src/shared/contract/fileFields.ts';

const EMPTY: Readonly<Record<FileField['form'], (field: FileField) => unknown>> = {
  text: () => '',
  integer: () => 0,
  number: () => 0,
  flag: () => false,
  pair: () => [1, 1],
  window: () => ({ center: 0, width: 1 }),
  term: ({ terms }) => terms?.at(-1),
};

/** A value for every field of a file, so that a test only sets the fields that it is about. */
export function emptyFields(): FieldValues {
  const values = listFields().map((field) => [field.name, field.isOptional ? undefined : EMPTY[field.form](field)]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- both come from the same table
  return Object.fromEntries(values) as FieldValues;
}

/** The same fields as `/files` sends them. */
export function emptyWireFields(): WireValues {
  const values = listFields()
    .filter(({ isInternal }) => !isInternal)
    .map((field) => [field.wireName, field.isOptional ? null : EMPTY[field.form](field)]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- both come from the same table
  return Object.fromEntries(values) as WireValues;
}
