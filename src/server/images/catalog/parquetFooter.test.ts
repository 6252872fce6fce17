import { parquetMetadata } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { expect, test } from 'vitest';
import { readFooter } from './parquetFooter.ts';

const NAMES = Array.from({ length: 40 }, (_, at) => `column${at}`);

/** Three groups of 4, 4 and 2 rows; the columns are texts and numbers in turn. */
function writeTable(): Uint8Array {
  const columnData = NAMES.map((name, at) => ({
    name,
    type: at % 2 === 0 ? ('STRING' as const) : ('DOUBLE' as const),
    nullable: true,
    data: Array.from({ length: 10 }, (_, row) => (at % 2 === 0 ? `${name} ${row}` : at * 100 + row)),
  }));
  const kvMetadata = [{ key: 'about', value: 'these' }];
  return new Uint8Array(parquetWriteBuffer({ columnData, rowGroupSize: 4, kvMetadata }));
}

/** Without the length and the magic number at the end. */
function descriptionOf(table: Uint8Array): Uint8Array {
  const length = new DataView(table.buffer).getUint32(table.length - 8, true);
  return table.subarray(table.length - 8 - length, table.length - 8);
}

test('what a footer says of each group and column is what the reader of Parquet finds in the whole', () => {
  const table = writeTable();
  const whole = parquetMetadata(table);
  const footer = readFooter(descriptionOf(table));

  expect(footer.groupRows).toEqual([4, 4, 2]);
  expect(footer.schema).toEqual(whole.schema);
  expect(footer.about).toEqual([{ key: 'about', value: 'these' }]);
  for (const at of [0, 1, 2]) expect(footer.describeGroup(at).row_groups).toEqual([whole.row_groups[at]]);
  const wanted = ['column7', 'column30'];
  expect(footer.describeColumns(wanted).row_groups.map(({ columns }) => columns)).toEqual(
    whole.row_groups.map(({ columns }) =>
      columns.filter(({ meta_data: column }) => wanted.includes(column?.path_in_schema[0] ?? '')),
    ),
  );
  expect(footer.describeColumns(['none']).row_groups.map(({ columns }) => columns)).toEqual([[], [], []]);
  expect(() => footer.describeGroup(3)).toThrow('it has no row group 3');
});

test('a description that is cut off anywhere, or has any other byte in one place, is refused or read, and never runs on', () => {
  const bytes = descriptionOf(writeTable());
  const outcomes = new Set<string>();
  for (let length = 0; length < bytes.length; length += 97) outcomes.add(tryToRead(bytes.subarray(0, length)));
  for (let at = 0; at < bytes.length; at += 61) {
    for (const value of [0, 0x15, 0x19, 0xff]) {
      const damaged = bytes.slice();
      damaged[at] = value;
      outcomes.add(tryToRead(damaged));
    }
  }
  expect([...outcomes].toSorted()).toEqual(['read', 'refused']);
});

/** Anything but an Error would end the run. */
function tryToRead(damaged: Uint8Array): 'read' | 'refused' {
  try {
    const footer = readFooter(damaged);
    footer.describeColumns(['column1']);
    for (const at of footer.groupRows.keys()) footer.describeGroup(at);
    return 'read';
  } catch (error) {
    if (error instanceof Error) return 'refused';
    throw error;
  }
}

test('lists inside of each other without an end are refused', () => {
  // Field 5: a list of one list of one list, and so on (0x19: one item of type list).
  expect(() => readFooter(new Uint8Array([0x59, ...Array.from({ length: 10_000 }, () => 0x19)]))).toThrow(
    'nested too deeply',
  );
});
