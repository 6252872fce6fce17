import { expect, test } from 'vitest';
import { joinColumnNames, splitColumnNames, writeColumnName } from './columnNames.ts';

test.each([
  ['Modality,EchoTime', ['Modality', 'EchoTime']],
  [' Modality , EchoTime ', ['Modality', 'EchoTime']],
  ['-EchoTime,Modality', ['-EchoTime', 'Modality']],
  // The comma of a tag separates nothing.
  ['(0018,9087),0019,xx0C@SIEMENS MR HEADER,Rows', ['(0018,9087)', '0019,xx0C@SIEMENS MR HEADER', 'Rows']],
  ['0018,9087,0018,0081', ['0018,9087', '0018,0081']],
  ['Sequence[0].(0018,0081),Rows', ['Sequence[0].(0018,0081)', 'Rows']],
  ['"0019,xx01@GE, ""Inc""",Rows', ['0019,xx01@GE, "Inc"', 'Rows']],
  ['-"0019,xx01@A, B"', ['-0019,xx01@A, B']],
  ['', ['']],
  ['Rows,', ['Rows', '']],
])('%j has the names %j', (text, names) => {
  expect(splitColumnNames(text)).toEqual(names);
});

test.each([
  [['Modality', '(0018,9087)', '0019,xx0C@SIEMENS MR HEADER']],
  [['0019,xx01@GE, "Inc"', 'Rows']],
  [['a "b"']],
])('names %j that are joined are split again', (names) => {
  expect(splitColumnNames(joinColumnNames(names))).toEqual(names);
});

test('a condition writes a name that is no word in double quotes', () => {
  expect(writeColumnName('EchoTime')).toBe('EchoTime');
  expect(writeColumnName('0019,xx0C@A "B"')).toBe('"0019,xx0C@A ""B"""');
});
