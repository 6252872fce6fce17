import { expect, test } from 'vitest';
import { matchesFilters, parseFilters } from './fileFilter.ts';
import { createFileDescription } from '../../test/support/createFileDescription.ts';

function matches(texts: readonly string[], file: Parameters<typeof createFileDescription>[0]): boolean {
  const parsed = parseFilters(texts);
  if (!parsed.ok) throw new Error(parsed.message);
  return matchesFilters(createFileDescription(file), parsed.filters);
}

test.each([
  ['Modality=CT', true],
  ['modality=ct', true],
  ['MODALITY=c', true],
  ['Modality=MR', false],
  ['PatientName=doe^j', true],
  ['patient_name=JANE', true],
  ['SeriesDescription=a=b', true],
  ['StudyInstanceUID=1.2.3', true],
  ['study_uid=1.2.3', true],
  ['series_uid=9.9', false],
  ['Rows=512', true],
  ['frame_of_reference_uid=1', false],
  ['object_kind=classic', true],
])('%s keeps a CT of Jane Doe: %s', (text, kept) => {
  const file = {
    modality: 'CT',
    patientName: 'Doe^Jane',
    studyInstanceUid: '1.2.3.4',
    seriesDescription: 'A=B',
    rows: 512,
  };

  expect(matches([text], file)).toBe(kept);
});

test('a file must match every filter', () => {
  expect(matches(['Modality=CT', 'PatientID=7'], { modality: 'CT', patientId: '17' })).toBe(true);
  expect(matches(['Modality=CT', 'PatientID=8'], { modality: 'CT', patientId: '17' })).toBe(false);
});

test('no filter keeps everything', () => {
  expect(matches([], {})).toBe(true);
});

test.each([
  ['Modality', '"Modality" is not FIELD=VALUE'],
  ['Modality=', 'no value is given for "Modality"'],
  ['Modality=  ', 'no value is given for "Modality"'],
  ['Colour=red', '"Colour" is not a field'],
  ['=CT', '"" is not a field'],
  ['__proto__=x', '"__proto__" is not a field'],
])('%s is refused, and the fields are named', (text, problem) => {
  const parsed = parseFilters(['PatientID=1', text]);

  expect(parsed).toMatchObject({ ok: false });
  const message = parsed.ok ? '' : parsed.message;
  expect(message).toContain(problem);
  expect(message).toContain('Modality (modality)');
  expect(message).toContain('SeriesInstanceUID (series_instance_uid)');
});
