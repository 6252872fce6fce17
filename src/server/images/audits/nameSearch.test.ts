import { expect, test } from 'vitest';
import { readDicom } from '../../standard/dicom/readDataSet.ts';
import { writeDicom } from '../../standard/dicom/writeDicom.ts';
import type { DataSetInput } from '../../standard/dicom/dataSetInput.ts';
import { createNameSearch } from './nameSearch.ts';

function searchOf(elements: DataSetInput) {
  const bytes = writeDicom({ SOPClassUID: '1.2.840.10008.5.1.4.1.1.2', SOPInstanceUID: '1.2.3', ...elements });
  const read = (position: number, length: number) => bytes.subarray(position, position + length);
  return createNameSearch(readDicom({ size: bytes.length, read, peek: read }).dataSet);
}

test.each([
  ['Quimby had a fall', true],
  ['MRS. QUIMBY', true],
  ['see quimby_marjorie.pdf', true],
  ['Quimbyland', false],
  ['J', false],
  ['ID 48.213/A', true],
  ['ID 48x213/A', false],
  ['', false],
])('the name and ID of a patient are found in %j: %j', (text, isFound) => {
  const search = searchOf({ PatientName: 'Quimby^Marjorie^J', PatientID: '48.213/A' });
  expect(search?.isIn(text)).toBe(isFound);
});

test('letters of any script and other names are found', () => {
  const search = searchOf({
    SpecificCharacterSet: 'ISO_IR 192',
    PatientName: 'Müller^Zoë=山田太^郎',
    OtherPatientNames: ['Meier^Zoë'],
  });
  expect(['Frau MÜLLER', 'Meier, Z.', 'x 山田太 y', 'Müllers'].map((text) => search?.isIn(text))).toEqual([
    true,
    true,
    true,
    false,
  ]);
});

test.each([{}, { PatientName: 'Anonymous', PatientID: 'P1' }, { PatientName: 'Patient^X', PatientID: '123' }])(
  'what is in place of a name, and what is too short, is not looked for: %j',
  (elements) => {
    expect(searchOf(elements)).toBeUndefined();
  },
);
